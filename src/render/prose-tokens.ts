import { Marked, type Token } from "marked";
import { cleanText } from "../redact/clean-text.ts";
import { closesFence, closingRuns, isBlank, openingFence } from "./markdown/sanitize-markdown.ts";

/** How markdown of logs is read: raw HTML and link definitions are text like any other. */
export const plainTokenizer = { html: () => undefined, tag: () => undefined, def: () => undefined };

const markdown = new Marked({ gfm: true, tokenizer: plainTokenizer });

/** Parses an agent's reply as a tree of markdown; undefined if it is to be shown as typed. */
export function proseTokens(text: string): readonly Token[] | undefined {
  const clean = cleanText(text);
  return isParsable(clean) ? markdown.lexer(clean) : undefined;
}

const MAX_CHARS = 50_000;
const nestedTooDeep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){24}/m;

/** Nobody writes more than this by hand, and the parser's time and stack grow with it: the rest is shown as typed. */
export function isParsable(text: string): boolean {
  return text.length <= MAX_CHARS && !nestedTooDeep.test(text);
}

/** Only addresses of the web become links. */
export function isWebAddress(href: string): boolean {
  return /^https?:\/\/[^/]/i.test(href);
}

/** A part of a text that a person typed. */
export type TypedBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string };

/** Splits a person's text into text, line by line, and fenced code. */
export function typedBlocks(text: string): readonly TypedBlock[] {
  const lines = cleanText(text).split("\n");
  const blocks: TypedBlock[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    const said = plain.join("\n").replace(/^\n+/, "").trimEnd();
    if (said !== "") blocks.push({ kind: "text", text: said });
    plain = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = openingFence(line);
    if (fence === undefined) {
      if (!isBlank(line) || plain.length > 0) plain.push(line);
      continue;
    }
    flush();
    let end = at + 1;
    while (end < lines.length && !closesFence(lines[end] ?? "", fence.run)) end++;
    blocks.push({ kind: "code", language: fence.language, text: lines.slice(at + 1, end).join("\n") });
    at = end;
  }
  flush();
  return blocks;
}

/** A part of a line: text, or what is between backticks. */
export interface TypedSpan {
  readonly kind: "text" | "code";
  readonly text: string;
}

/** Splits typed text into code between backticks, and the rest. */
export function codeSpans(text: string): readonly TypedSpan[] {
  const spans: TypedSpan[] = [];
  const closing = closingRuns(text);
  const runs = /`+/g;
  let from = 0;
  for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
    const { length } = run[0];
    const end = closing(run.index, length);
    if (end === undefined) continue;
    spans.push({ kind: "text", text: text.slice(from, run.index) });
    spans.push({ kind: "code", text: text.slice(run.index + length, end) });
    from = end + length;
    runs.lastIndex = from;
  }
  spans.push({ kind: "text", text: text.slice(from) });
  return spans;
}
