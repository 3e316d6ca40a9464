import {
  closesFence,
  dedent,
  indentOf,
  isBlank,
  openingFence,
  ruleKind,
} from "../markdown/sanitize-markdown.ts";
import { markOf, readList } from "./prose-list.ts";
import { readTable, startsTable } from "./prose-table.ts";

/** Markdown as agents write it, as far as a page needs it. Every line ends up in some block. */
export type ProseBlock =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly blocks: readonly ProseBlock[] }
  | {
      readonly kind: "list";
      /** The first number; null where items have none. */
      readonly start: number | null;
      readonly items: readonly (readonly ProseBlock[])[];
    }
  | {
      readonly kind: "table";
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

/** Deeper quotes and lists are paragraphs: each level reads its lines again, and pages end somewhere. */
const MAX_DEPTH = 6;

export function parseProse(text: string): readonly ProseBlock[] {
  return parseLines(text.split("\n"), 0);
}

interface Parsed {
  readonly block: ProseBlock;
  /** The line behind it. */
  readonly next: number;
}

function parseLines(lines: readonly string[], depth: number): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) {
      at++;
      continue;
    }
    const { block, next } =
      parseCode(lines, at) ??
      parseLine(lines, at) ??
      parseQuote(lines, at, depth) ??
      parseList(lines, at, depth) ??
      parseTable(lines, at) ??
      parseParagraph(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function parseCode(lines: readonly string[], at: number): Parsed | undefined {
  const fence = openingFence(lines[at] ?? "");
  // On the line of a list item it belongs to the item.
  if (fence === undefined || fence.mark !== "") return undefined;
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end] ?? "", fence.run)) end++;
  const indent = indentOf(fence.indent);
  const text = lines.slice(at + 1, end).map((line) => dedent(line, indent));
  return { block: { kind: "code", language: fence.language, text: text.join("\n") }, next: end + 1 };
}

const heading = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;

function parseLine(lines: readonly string[], at: number): Parsed | undefined {
  const line = lines[at] ?? "";
  if (ruleKind(line) === "rule") return { block: { kind: "rule" }, next: at + 1 };
  const [, marks = "", text] = heading.exec(line) ?? [];
  if (text === undefined) return undefined;
  return { block: { kind: "heading", level: marks.length, text: text.trim() }, next: at + 1 };
}

function parseQuote(lines: readonly string[], at: number, depth: number): Parsed | undefined {
  if (depth >= MAX_DEPTH) return undefined;
  const inner: string[] = [];
  let next = at;
  for (; /^ {0,3}>/.test(lines[next] ?? ""); next++)
    inner.push((lines[next] ?? "").replace(/^ {0,3}> ?/, ""));
  return next === at ? undefined : { block: { kind: "quote", blocks: parseLines(inner, depth + 1) }, next };
}

function parseList(lines: readonly string[], at: number, depth: number): Parsed | undefined {
  const list = depth >= MAX_DEPTH ? undefined : readList(lines, at, (line) => startsBlock(lines, line));
  if (list === undefined) return undefined;
  const items = list.items.map((item) => parseLines(item, depth + 1));
  return { block: { kind: "list", start: list.start, items }, next: list.next };
}

function parseTable(lines: readonly string[], at: number): Parsed | undefined {
  const table = readTable(lines, at);
  return table === undefined
    ? undefined
    : { block: { kind: "table", head: table.head, rows: table.rows }, next: table.next };
}

function parseParagraph(lines: readonly string[], at: number): Parsed {
  let next = at + 1;
  while (!isBlank(lines[next]) && !startsBlock(lines, next)) next++;
  return { block: { kind: "paragraph", text: lines.slice(at, next).join("\n") }, next };
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return (
    /^ {0,3}>/.test(line) ||
    heading.test(line) ||
    markOf(line) !== undefined ||
    openingFence(line) !== undefined ||
    ruleKind(line) === "rule" ||
    startsTable(lines, at)
  );
}
