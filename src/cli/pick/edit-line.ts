import { graphemesOf } from "../output/text-width.ts";

/** A line that is being typed. */
export interface TypedLine {
  readonly text: string;
  /** In UTF-16 units, always between two characters. */
  readonly cursor: number;
}

export type EditAction =
  | { readonly kind: "insert"; readonly text: string }
  | { readonly kind: "move"; readonly to: "left" | "right" | "start" | "end" }
  | { readonly kind: "delete"; readonly what: "before" | "after" | "word" | "line" };

/** A query is cut at 10,000 characters; nobody types that much. */
const MAX_CHARS = 1_000;

/** Edits a line as shells do. Emoji and accents are one character each; pasted line breaks become spaces. */
export function editLine({ text, cursor }: TypedLine, action: EditAction): TypedLine {
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  switch (action.kind) {
    case "insert": {
      const added = action.text.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ").slice(0, MAX_CHARS - text.length);
      return { text: before + added + after, cursor: cursor + added.length };
    }
    case "move":
      return { text, cursor: movedTo(action.to, before, after) };
    case "delete": {
      const kept = { before: before.slice(0, -lastLength(before) || undefined), word: withoutWord(before) };
      if (action.what === "line") return { text: "", cursor: 0 };
      if (action.what === "after") return { text: before + after.slice(firstLength(after)), cursor };
      const left = before === "" ? "" : kept[action.what];
      return { text: left + after, cursor: left.length };
    }
  }
}

function movedTo(to: "left" | "right" | "start" | "end", before: string, after: string): number {
  const cursor = before.length;
  if (to === "left") return cursor - lastLength(before);
  if (to === "right") return cursor + firstLength(after);
  return to === "start" ? 0 : cursor + after.length;
}

function lastLength(text: string): number {
  return [...graphemesOf(text)].at(-1)?.length ?? 0;
}

function firstLength(text: string): number {
  const [first = ""] = graphemesOf(text);
  return first.length;
}

function withoutWord(text: string): string {
  return text.replace(/\S*\s*$/, "");
}
