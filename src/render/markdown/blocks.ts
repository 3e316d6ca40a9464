import { cleanLine } from "../../redact/clean-text.ts";
import { escapeInline } from "./escape-inline.ts";
import { type TameOptions, tameMarkdown, tameRest } from "./tame-markdown.ts";

/** A paragraph, a list, a block of code: what an empty line sets apart from the next. */
export type Block = string;

/** One line out of a log within a line of ours. */
export function inline(text: string): string {
  return escapeInline(cleanLine(text));
}

/** One line out of a log as an item of a list: it must not begin a block of its own there. */
export function item(text: string): string {
  return `- ${tameRest(cleanLine(text))}`;
}

export function prose(text: string, options?: TameOptions): readonly Block[] {
  const lines = tameMarkdown(text, options);
  return lines.length === 0 ? [] : [lines.join("\n")];
}

export function quoted(text: string, options?: TameOptions): readonly Block[] {
  const lines = tameMarkdown(text, options);
  return lines.length === 0 ? [] : [lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n")];
}

/** Blocks below a list item. */
export function indented(blocks: readonly Block[]): Block {
  return blocks.join("\n\n").replace(/^(?=.)/gm, "  ");
}

/**
 * What is read only by those who open it. `<details>` is the one fold that hosts and most readers know, and in plain
 * text it is a line before and a line behind; where a reader does not know it, the content is simply there. The summary
 * is HTML.
 */
export function fold(summary: string, blocks: readonly Block[]): readonly Block[] {
  if (blocks.length === 0) return [];
  return [`<details><summary>${summary}</summary>`, ...blocks, "</details>"];
}

/**
 * Text within our own line of HTML. An ampersand that can't begin an entity is HTML, so `a && b` stays as it is. What
 * some readers look for within HTML too (links, comments) is taken apart.
 */
export function html(text: string): string {
  return cleanLine(text)
    .replace(/&(?=[#\w])/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/\[(?=\[)/g, "&#91;")
    .replace(/\](?=[(:])/g, "&#93;")
    .replace(/%(?=%)/g, "&#37;");
}
