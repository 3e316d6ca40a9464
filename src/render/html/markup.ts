import { cleanText } from "../../redact/clean-text.ts";

/** HTML that this program wrote. Only the `html` template makes it, so text from a log never becomes markup. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | null | readonly Html[];

/**
 * A template for HTML. Every value is escaped, in attributes too (which must be in double quotes), unless it is `Html`
 * already. null is empty.
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
