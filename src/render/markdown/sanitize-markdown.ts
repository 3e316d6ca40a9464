import { cleanText } from "../../redact/clean-text.ts";
import { fencedLines } from "./blocks.ts";
import { escapeInline } from "./escape-inline.ts";

export interface SanitizeOptions {
  /** What a heading becomes: bold text, or its own characters with the first one escaped. */
  readonly headings: "bold" | "escaped";
  /** Lines end where the transcript ends them: who typed a request meant its lines. */
  readonly keepBreaks: boolean;
}

const replyOptions: SanitizeOptions = { headings: "bold", keepBreaks: false };
export const verbatim: SanitizeOptions = { headings: "escaped", keepBreaks: true };

/**
 * Markdown out of a transcript as lines that can't alter the document around them: no headings, no rules, no fence
 * that stays open, nothing that `escapeInline` takes the power from. Emphasis, lists, tables, quotes and code stay as
 * they were written.
 *
 * Which lines are code decides what may stay as it is, and readers differ in how they see lists and indents. So every
 * block of code is written anew: after an empty line, behind a fence longer than any run inside, each of its lines
 * indented at least as far as its fence. Whether a reader takes that for a block in a list, a block of its own or
 * indented code, it is code to its end.
 */
export function sanitizeMarkdown(text: string, options: SanitizeOptions = replyOptions): readonly string[] {
  const lines = trimmedLines(text);
  const tame: string[] = [];
  let bold: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = openingFence(line);
    if (fence === undefined) {
      const isTitle = options.headings === "bold" && /^ {0,3}#{1,6}[ \t]/.test(line);
      // What was a heading is a paragraph of its own.
      if ((isTitle || tame.at(-1) === bold) && !isBlank(tame.at(-1)) && !isBlank(line)) tame.push("");
      const breaks = options.keepBreaks && !isBlank(line) && !isBlank(lines[at + 1]);
      tame.push(tameLine(line, options) + (breaks ? "  " : ""));
      bold = isTitle ? tame.at(-1) : undefined;
      continue;
    }
    const end = findClose(lines, at + 1, fence.run);
    if (!isBlank(tame.at(-1))) tame.push("");
    for (const code of rewriteCode(fence, lines.slice(at + 1, end))) tame.push(code);
    at = end;
  }
  return tame;
}

function trimmedLines(text: string): readonly string[] {
  const lines = cleanText(text).split("\n");
  let start = 0;
  let end = lines.length;
  while (start < end && isBlank(lines[start])) start++;
  while (end > start && isBlank(lines[end - 1])) end--;
  return lines.slice(start, end);
}

function findClose(lines: readonly string[], from: number, run: string): number {
  for (let at = from; at < lines.length; at++) if (closesFence(lines[at] ?? "", run)) return at;
  return lines.length;
}

/** Deeper than any list that people read; a hostile indent must not be repeated on every line. */
const MAX_INDENT = 16;

function rewriteCode({ indent, mark, language }: Fence, code: readonly string[]): readonly string[] {
  const outer = " ".repeat(Math.min(indentOf(indent), MAX_INDENT));
  const item = mark === "" ? "" : `${mark.trim()} `;
  const inner = outer + " ".repeat(item.length);
  const width = indentOf(indent) + mark.length;
  const [open = "", ...rest] = fencedLines(
    code.map((line) => dedent(line, width)),
    language,
  );
  return [outer + item + open, ...rest.map((line) => (line === "" ? "" : inner + line))];
}

/** Quotes and list items within each other; deeper ones are text. */
const MAX_DEPTH = 8;
const container = /[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;
const heading = /^(#{1,6})(?:[ \t]+(.*))?$/;

function tameLine(line: string, options: SanitizeOptions): string {
  let at = 0;
  for (let depth = 0; depth < MAX_DEPTH && ruleKind(line, at) === undefined; depth++) {
    container.lastIndex = at;
    if (!container.test(line)) break;
    at = container.lastIndex;
  }
  while (line.charAt(at) === " " || line.charAt(at) === "\t") at++;
  return line.slice(0, at) + sanitizeRest(line.slice(at), options);
}

/** One line that begins a block of its own, or stands behind the marks of quotes and lists. */
export function sanitizeRest(rest: string, options: SanitizeOptions = verbatim): string {
  if (rest === "") return "";
  if (ruleKind(rest) !== undefined || /^(?:>|~~~|[-*+](?=[ \t]))/.test(rest))
    return `\\${escapeInline(rest)}`;
  if (/^\d{1,9}[.)][ \t]/.test(rest)) return escapeInline(rest).replace(/[.)]/, "\\$&");
  const parts = heading.exec(rest);
  if (parts === null) return escapeInline(rest);
  if (options.headings === "escaped") return `\\${escapeInline(rest)}`;
  const title = (parts[2] ?? "")
    .replace(/[ \t]#+[ \t]*$/, "")
    .replaceAll("**", "")
    .trim();
  return title === "" ? "" : `**${escapeInline(title)}**`;
}

/** What one line of markdown may be. By hand where a pattern would be slow, or run out of stack, on a hostile line. */

export function isBlank(line: string | undefined): boolean {
  return line === undefined || !/\S/.test(line);
}

/** White space at the beginning, in columns: a tab goes on to the next multiple of four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns++;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** Without so many columns of white space at its beginning, or all of it where it has less. */
export function dedent(line: string, width: number): string {
  let columns = 0;
  let at = 0;
  for (; at < line.length && columns < width; at++) {
    const character = line.charAt(at);
    if (character === " ") columns++;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return line.slice(at);
}

interface Fence {
  readonly indent: string;
  /** The mark of the list item that begins on the same line. */
  readonly mark: string;
  readonly run: string;
  readonly language: string;
}

const fenceLine = /^([ \t]*)([-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})(.*)$/;

/** Does the line begin a block of code? */
export function openingFence(line: string): Fence | undefined {
  const parts = fenceLine.exec(line);
  if (parts === null) return undefined;
  const [, indent = "", mark = "", run = "", info = ""] = parts;
  // A backtick there makes it inline code.
  if (run.startsWith("`") && info.includes("`")) return undefined;
  return { indent, mark, run, language: /\S*/.exec(info.trim())?.[0] ?? "" };
}

export function closesFence(line: string, run: string): boolean {
  const text = line.trim();
  if (!text.startsWith(run)) return false;
  const mark = run.charAt(0);
  for (let at = run.length; at < text.length; at++) if (text.charAt(at) !== mark) return false;
  return true;
}

/**
 * `rule`: three or more of `-`, `*` or `_`, maybe apart. `underline`: `=` or `-` alone, which makes a heading of the
 * line above.
 */
export function ruleKind(line: string, from = 0): "rule" | "underline" | undefined {
  let mark = "";
  let count = 0;
  let gap = false;
  let isApart = false;
  for (let at = from; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === " " || character === "\t") {
      gap = count > 0;
      continue;
    }
    if (mark === "" && "-*_=".includes(character)) mark = character;
    if (character !== mark) return undefined;
    isApart ||= gap;
    count++;
  }
  if (mark !== "=" && count > 2) return "rule";
  return (mark === "=" || mark === "-") && !isApart ? "underline" : undefined;
}
