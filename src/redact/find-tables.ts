import type { Finding } from "./finding.ts";
import { readSecretName, type SecretName } from "./secret-name.ts";
import type { Value } from "./secret-value.ts";
import { isPlaceholder, isSecretValue } from "./secret-value.ts";

const MAX_LINE = 600;
const MAX_ROWS = 100;
const SEPARATORS = ["|", "│", "\t", ";", ","] as const;
/** Two spaces separate the columns of a table without any other separator. */
const SPACES = "  ";
/** `|---|:--:|`, `----+----`, `├──┼──┤` */
const RULE =
  /^[\s|+:=\u2502\u2500\u253c\u251c\u2524\u250c\u252c\u2510\u2514\u2534\u2518\u2550\u256a\u255e\u2561-]*$/;
/** Up to three words: more make a sentence. */
const NAME_OF_COLUMN =
  /^[*"'`#(]{0,3}(?:[\p{L}\d_.()/-]{1,30}(?: [\p{L}\d_.()/-]{1,30}){0,2})?[*"'`)]{0,3}$/u;
const WHOSE = /user|login|mail|account|name|host|server|service|env|role/i;

interface Cell {
  readonly text: string;
  readonly start: number;
}

/** Masks the column of a table under the name around `at`: CSV, Markdown, the tables that databases print. */
export function findTableColumn(text: string, at: number, found: Finding[]): void {
  const from = startOfLine(text, at);
  const headerEnd = endOfLine(text, at);
  if (from === -1 || headerEnd === -1 || headerEnd === text.length) return;
  const header = text.slice(from, headerEnd);
  const separator = SEPARATORS.find((sign) => header.includes(sign)) ?? SPACES;
  const border = borderOf(header, separator);
  const names = cellsOf(header, from, separator, border);
  if (names.length < 2 || !names.every((cell) => NAME_OF_COLUMN.test(cell.text))) return;
  const isRuled = RULE.test(lineAt(text, headerEnd + 1) ?? "x");
  if (separator === "|" || separator === "│" ? !isRuled : isRow(text, from - 1, separator, names.length))
    return;
  const column = names.findIndex((cell) => cell.start <= at && at < cell.start + cell.text.length + 2);
  const name = readColumn(names, column);
  if (name === undefined) return;
  let lineStart = headerEnd + 1;
  for (let row = 0; row < MAX_ROWS; row++) {
    const line = lineAt(text, lineStart);
    if (line === undefined || line.trim() === "") return;
    if (!RULE.test(line)) {
      const cells = cellsOf(line, lineStart, separator, border);
      const cell = cells[column];
      if (cells.length !== names.length || cell === undefined) return;
      maskCell(name, cell, separator, found);
    }
    lineStart += line.length + 1;
  }
}

function readColumn(names: readonly Cell[], column: number): SecretName | undefined {
  const name = readSecretName(
    (names[column]?.text ?? "").replace(/[^\p{L}\d]+/gu, "_").replace(/^_|_$/g, ""),
  );
  // `Pass` and `Fail` are counts; passwords belong to somebody.
  const isCount = name?.words.length === 1 && name.words[0] === "pass";
  return isCount && !names.some((cell) => WHOSE.test(cell.text)) ? undefined : name;
}

function maskCell(name: SecretName, cell: Cell, separator: string, found: Finding[]): void {
  const quote = /^["'`]/.exec(cell.text)?.[0] ?? "";
  const plain = quote !== "" && cell.text.endsWith(quote) ? cell.text.slice(1, -1) : cell.text;
  if (plain === "" || isPlaceholder(plain) || /["'`\\]/.test(plain)) return;
  const start = cell.start + (plain === cell.text ? 0 : 1);
  const isText = quote !== "" || separator === "," || separator === ";" || separator === "\t";
  const value: Value = { text: plain, start, end: start + plain.length, quote: isText ? '"' : "" };
  if (isSecretValue(name, value, "")) found.push({ kind: name.kind, start, end: value.end });
}

/** Whether the line that ends at `end` is also a row: then the next line is not a header. */
function isRow(text: string, end: number, separator: string, count: number): boolean {
  if (end <= 0) return false;
  const start = startOfLine(text, end - 1);
  return start !== -1 && cellsOf(text.slice(start, end), start, separator, NO_BORDER).length === count;
}

/** Whether the lines of a table begin and end with its separator, as in Markdown and unlike in what psql prints. */
interface Border {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

const NO_BORDER: Border = { isFirst: false, isLast: false };

function borderOf(header: string, separator: string): Border {
  if (separator !== "|" && separator !== "│") return NO_BORDER;
  const line = header.trim();
  return { isFirst: line.startsWith(separator), isLast: line.endsWith(separator) };
}

/**
 * The cells of a line, trimmed, with their positions in the text; without the empty cells that a border leaves at
 * both ends.
 */
function cellsOf(line: string, lineStart: number, separator: string, border: Border): readonly Cell[] {
  const cells: Cell[] = [];
  const pattern = separator === SPACES ? /\S+(?: \S+)*/g : cellPattern(separator);
  for (const match of line.matchAll(pattern)) {
    const text = match[0].trim();
    cells.push({ text, start: lineStart + match.index + match[0].indexOf(text) });
  }
  return cells.slice(
    border.isFirst && cells[0]?.text === "" ? 1 : 0,
    border.isLast && cells.at(-1)?.text === "" ? -1 : undefined,
  );
}

const patterns = new Map<string, RegExp>();

function cellPattern(separator: string): RegExp {
  const known = patterns.get(separator);
  if (known !== undefined) return known;
  const sign = separator === "|" ? "\\|" : separator;
  const pattern = new RegExp(`(?<=^|${sign})(?:[ \\t]*"[^"]*"[ \\t]*(?=${sign}|\\r?$)|[^${sign}]*)`, "g");
  patterns.set(separator, pattern);
  return pattern;
}

function startOfLine(text: string, at: number): number {
  const limit = Math.max(0, at - MAX_LINE);
  for (let start = at; start > limit; start--) if (text.charCodeAt(start - 1) === 10) return start;
  return limit === 0 ? 0 : -1;
}

function endOfLine(text: string, at: number): number {
  const limit = Math.min(text.length, at + MAX_LINE);
  for (let end = at; end < limit; end++) if (text.charCodeAt(end) === 10) return end;
  return limit === text.length ? limit : -1;
}

function lineAt(text: string, start: number): string | undefined {
  if (start >= text.length) return undefined;
  const end = endOfLine(text, start);
  return end === -1 ? undefined : text.slice(start, end);
}
