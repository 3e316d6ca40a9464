import { cleanText } from "../../redact/clean-text.ts";
import { fencedLines } from "./fenced-lines.ts";

export interface SanitizeOptions {
  /** A heading becomes bold text, or stays as text with its first character escaped. */
  readonly headings: "bold" | "escaped";
  /** Keeps line breaks as they were typed. */
  readonly keepBreaks: boolean;
}

const replyOptions: SanitizeOptions = { headings: "bold", keepBreaks: false };
export const verbatim: SanitizeOptions = { headings: "escaped", keepBreaks: true };

/**
 * Turns markdown from a transcript into lines that cannot change the document around them: no headings, no rules, no open
 * fences, and nothing that `escapeInline` escapes. Emphasis, lists, tables, quotes and code stay as they were written.
 *
 * Code may keep its text, but programs disagree about lists and indents, and so about which lines are code. So every code
 * block is written again: after an empty line, in a fence that is longer than any run inside, each line indented at least
 * as far as the fence. Whether a program takes that for a block in a list, a separate block or indented code, it is code
 * to its end.
 */
export function sanitizeMarkdown(text: string, options: SanitizeOptions = replyOptions): readonly string[] {
  const lines = trimmedLines(text);
  const safe: string[] = [];
  let bold: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = openingFence(line);
    if (fence === undefined) {
      const isTitle = options.headings === "bold" && /^ {0,3}#{1,6}[ \t]/.test(line);
      // A former heading is a separate paragraph.
      if ((isTitle || safe.at(-1) === bold) && !isBlank(safe.at(-1)) && !isBlank(line)) safe.push("");
      const breaks = options.keepBreaks && !isBlank(line) && !isBlank(lines[at + 1]);
      safe.push(sanitizeLine(line, options) + (breaks ? "  " : ""));
      bold = isTitle ? safe.at(-1) : undefined;
      continue;
    }
    const end = findClose(lines, at + 1, fence.run);
    if (!isBlank(safe.at(-1))) safe.push("");
    for (const code of rewriteCode(fence, lines.slice(at + 1, end))) safe.push(code);
    at = end;
  }
  return safe;
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

/** No list is indented more; a hostile indent must not be repeated on every line. */
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

/** Quotes and list items that are nested deeper are text. */
const MAX_DEPTH = 8;
const container = /[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;
const heading = /^(#{1,6})(?:[ \t]+(.*))?$/;

function sanitizeLine(line: string, options: SanitizeOptions): string {
  let at = 0;
  for (let depth = 0; depth < MAX_DEPTH && ruleKind(line, at) === undefined; depth++) {
    container.lastIndex = at;
    if (!container.test(line)) break;
    at = container.lastIndex;
  }
  while (line.charAt(at) === " " || line.charAt(at) === "\t") at++;
  return line.slice(0, at) + sanitizeRest(line.slice(at), options);
}

/** Sanitizes a line that starts a block, or the rest of a line after the marks of quotes and lists. */
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

/*
 * The kind of a line of markdown. Loops instead of patterns that would be slow, or overflow the stack, on a hostile
 * line.
 */

export function isBlank(line: string | undefined): boolean {
  return line === undefined || !/\S/.test(line);
}

/** Measures the indent of a line in columns: a tab extends to the next multiple of four. */
function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns++;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** Removes up to `width` columns of white space from the start of a line. */
function dedent(line: string, width: number): string {
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
  /** The mark of the list item that starts on the same line. */
  readonly mark: string;
  readonly run: string;
  readonly language: string;
}

const fenceLine = /^([ \t]*)([-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})(.*)$/;

/** Whether the line starts a code block. */
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
 * `rule`: three or more of `-`, `*` or `_`, possibly with spaces. `underline`: only `=` or `-`, which makes the line above
 * a heading.
 */
function ruleKind(line: string, from = 0): "rule" | "underline" | undefined {
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

/**
 * Makes one line of markdown from a transcript harmless, and keeps it readable and searchable. Emphasis and inline code
 * stay. A backslash is put before everything that could become active markup, so that `grep '[ERROR]'` still finds
 * `\[ERROR]`: raw HTML, links, images and footnotes (they all start with `<` or `[`), entities (they can spell characters
 * that were cleaned away), and what notes programs recognize: `$` of formulas, `#` of tags, `%%` of comments.
 *
 * Inline code keeps its text, so every program must agree that it is code. So it never spans lines, and lone backticks are
 * escaped. If programs may disagree, it is not code: after an address (some take the backtick for a part of it), and around
 * a `|` (a table is cut into cells first) beside code with markup.
 */
export function escapeInline(line: string): string {
  if (!special.test(line)) return line;
  const { text, pipeInCode, markupInCode } = escapeLine(line, true);
  return pipeInCode && markupInCode ? escapeLine(line, false).text : text;
}

const special = /[\\`<[$&#]|%%/;
const tokens = /\\|`+|<|\[|\$|&|#|%{2,}|:\/\/|www\./gi;
const punctuation = /[!-/:-@[-`{-~]/;
const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;
/** A tag needs a character that is not a digit. */
const tag = /#[\p{N}]*[\p{L}\p{S}\p{M}_/-]/uy;
const wordBefore = /[\p{L}\p{N}_]$/u;
const markup = /[<[]|%%/;

interface EscapedLine {
  readonly text: string;
  readonly pipeInCode: boolean;
  readonly markupInCode: boolean;
}

function escapeLine(line: string, pipesInCode: boolean): EscapedLine {
  const closers = closingRuns(line);
  let text = "";
  let from = 0;
  let addressEnd = 0;
  let pipeInCode = false;
  let markupInCode = false;
  const put = (end: number, replacement: string, next: number): void => {
    text += line.slice(from, end) + replacement;
    from = next;
  };
  /** In an address a backslash would be taken for a part of it, so a character reference is used there. */
  const disarm = (at: number, characters: string): void => {
    const inAddress = at < addressEnd;
    let disarmed = "";
    for (const each of characters) disarmed += inAddress ? `&#${each.charCodeAt(0)};` : `\\${each}`;
    put(at, disarmed, at + characters.length);
  };
  tokens.lastIndex = 0;
  for (let match = tokens.exec(line); match !== null; match = tokens.exec(line)) {
    const [token] = match;
    const at = match.index;
    switch (token[0]) {
      case "\\":
        // Escaped in the transcript already.
        if (at >= addressEnd && punctuation.test(line.charAt(at + 1))) tokens.lastIndex = at + 2;
        break;
      case "`": {
        const end = at < addressEnd ? undefined : closers(at, token.length);
        const inside = end === undefined ? "" : line.slice(at + token.length, end);
        const hasPipe = inside.includes("|");
        if (end === undefined || (hasPipe && !pipesInCode)) disarm(at, token);
        else {
          pipeInCode ||= hasPipe;
          markupInCode ||= markup.test(inside);
          tokens.lastIndex = end + token.length;
        }
        break;
      }
      case "%":
        // Separated in the source too, because not every program knows escapes.
        put(at, `%${"\\%".repeat(token.length - 1)}`, at + token.length);
        break;
      case "&":
        entity.lastIndex = at;
        if (entity.test(line)) disarm(at, token);
        break;
      case "#":
        tag.lastIndex = at;
        if (at >= addressEnd && tag.test(line) && !wordBefore.test(line.slice(Math.max(0, at - 2), at)))
          disarm(at, token);
        break;
      case "<":
      case "[":
      case "$":
        disarm(at, token);
        break;
      default:
        if (at >= addressEnd) addressEnd = endOfWord(line, at);
    }
  }
  return { text: text + line.slice(from), pipeInCode, markupInCode };
}

function endOfWord(line: string, at: number): number {
  const space = line.slice(at).search(/\s/);
  return space === -1 ? line.length : at + space;
}

/**
 * Finds the end of inline code: the next run of exactly as many backticks. Must be called from left to right, so that the
 * text is searched only once.
 */
export function closingRuns(text: string): (at: number, length: number) => number | undefined {
  let starts: Map<number, number[]> | undefined;
  return (at, length) => {
    starts ??= startsByLength(text);
    const ahead = starts.get(length) ?? [];
    while (ahead.length > 0 && (ahead.at(-1) ?? 0) <= at) ahead.pop();
    return ahead.at(-1);
  };
}

/** Lists the positions of runs by their length, the last first, so that the next one is at the end of its list. */
function startsByLength(text: string): Map<number, number[]> {
  const starts = new Map<number, number[]>();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const known = starts.get(run.length);
    if (known === undefined) starts.set(run.length, [index]);
    else known.push(index);
  }
  return starts;
}
