import { cleanLine, cleanText } from "../../redact/clean-text.ts";
import { fencedLines } from "./fenced-lines.ts";
import { escapeInline, type SanitizeOptions, sanitizeMarkdown, sanitizeRest } from "./sanitize-markdown.ts";

/** A paragraph, a list or a block of code; an empty line separates it from the next block. */
export type Block = string;

/** Makes text from a log safe within a line. */
export function inline(text: string): string {
  return escapeInline(cleanLine(text));
}

/** Makes a list item of text from a log: it must not start another block. */
export function item(text: string): string {
  return `- ${sanitizeRest(cleanLine(text))}`;
}

export function prose(text: string, options?: SanitizeOptions): readonly Block[] {
  const lines = sanitizeMarkdown(text, options);
  return lines.length === 0 ? [] : [lines.join("\n")];
}

export function quoted(text: string, options?: SanitizeOptions): readonly Block[] {
  const lines = sanitizeMarkdown(text, options);
  return lines.length === 0 ? [] : [lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n")];
}

/** Indents blocks below a list item. */
export function indented(blocks: readonly Block[]): Block {
  return blocks.join("\n\n").replace(/^(?=.)/gm, "  ");
}

/**
 * Folds blocks below a line. Most programs that show markdown know `<details>`; in others, and in plain text, the content
 * is simply there. The summary is HTML.
 */
export function fold(summary: string, blocks: readonly Block[]): readonly Block[] {
  if (blocks.length === 0) return [];
  return [`<details><summary>${summary}</summary>`, ...blocks, "</details>"];
}

/**
 * Makes text safe within a line of HTML. An ampersand that cannot start an entity is valid, so `a && b` stays as it is.
 * Links and comments, which some programs recognize even within HTML, are broken up.
 */
export function htmlBlock(text: string): string {
  return cleanLine(text)
    .replace(/&(?=[#\w])/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/\[(?=\[)/g, "&#91;")
    .replace(/\](?=[(:])/g, "&#93;")
    .replace(/%(?=%)/g, "&#37;");
}

/** Formats text as inline code. Its run of backticks does not occur in the text, so that it cannot end early. */
export function codeSpan(text: string): string {
  const line = cleanLine(text);
  if (line === "") return "";
  const marks = "`".repeat(unusedRun(line));
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${marks}${pad}${line}${pad}${marks}`;
}

/** Finds the length of the shortest run of backticks that the text does not have. */
function unusedRun(text: string): number {
  const used = new Set(Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  let length = 1;
  while (used.has(length)) length++;
  return length;
}

/** Formats text as the lines of a code block. Its fence is longer than any run of backticks in the text. */
export function codeBlock(text: string, language: string): readonly string[] {
  const lines = cleanText(text).trimEnd().split("\n");
  const start = lines.findIndex((line) => line.trim() !== "");
  return fencedLines(lines.slice(Math.max(0, start)), language);
}
