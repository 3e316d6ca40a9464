/** What was moved out of a log. */
export interface FlatContent {
  readonly toolUseId: string;
  readonly tool: string;
  readonly file: string | undefined;
  readonly kind: "text" | "image" | "document";
  readonly mediaType: string | null;
  readonly bytes: number;
  /** Of texts. */
  readonly lines: number;
  /** Which one of its call it is, from 1. */
  readonly number: number;
}

const BEGINNING = "[FLATTENED id=";

/** The words that stay in the place of a text or an image: what it was, and how to get it back. */
export function flatMarker(session: string, content: FlatContent): string {
  const { toolUseId, tool, file, kind, mediaType, bytes, lines, number } = content;
  const id = plain(toolUseId);
  const what =
    kind === "text" ? `text ${bytes} B, ${lines} lines` : `${kind} ${plain(mediaType ?? "")} ${bytes} B`;
  const which = number === 1 ? id : `${id}#${number}`;
  return (
    `${BEGINNING}${id} tool=${plain(tool) || "unknown"}${file === undefined ? "" : ` file=${plain(file)}`}` +
    ` | ${what} | sessions retrieve ${plain(session)} ${which}]`
  );
}

export function isFlatMarker(text: string): boolean {
  return text.startsWith(BEGINNING);
}

/** Names come out of logs: whatever they hold, a marker is one line and its parts can be told apart. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s|\]]+/gu, "_").slice(0, 300);
}

/** A name of a block on the command line: the id of its call, and its number where there are several. */
export function parseBlockName(name: string): { readonly toolUseId: string; readonly number: number | null } {
  const match = /^(.*)#([1-9]\d{0,5})$/.exec(name);
  return match === null
    ? { toolUseId: name, number: null }
    : { toolUseId: match[1] ?? "", number: Number(match[2]) };
}
