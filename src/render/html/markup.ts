import { cleanText } from "../../redact/clean-text.ts";

/** HTML that this program wrote itself. Only `html` makes it, so nothing out of a log is ever taken for it. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | null | readonly Html[];

/**
 * A template of HTML. Whatever is put in is text and is escaped, in attributes too (which must stand in double
 * quotes), unless it is HTML of ours. null is nothing.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? "";
  for (const [index, part] of parts.entries()) text += htmlOf(part) + (strings[index + 1] ?? "");
  return { html: text };
}

export function joined(parts: Iterable<Html>, between = ""): Html {
  return { html: Array.from(parts, (part) => part.html).join(between) };
}

function htmlOf(part: Part): string {
  if (part === null) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escapeHtml(part);
  return "html" in part ? part.html : part.map((each) => each.html).join("");
}

const special = /[&<>"']/g;
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return cleanText(text).replace(special, (character) => entities[character] ?? "");
}
