import { closesFence, dedent, indentOf, isBlank, openingFence } from "../markdown/sanitize-markdown.ts";

/** The lines of a list, item by item, without marks and indents. */
export interface ListLines {
  /** The first number; null where items have none. */
  readonly start: number | null;
  readonly items: readonly (readonly string[])[];
  /** The line behind the list. */
  readonly next: number;
}

interface Mark {
  readonly indent: number;
  /** With the white space behind it. */
  readonly length: number;
  readonly number: number | null;
}

const itemLine = /^( {0,3})(?:[-*+]|(\d{1,9})[.)])(?:[ \t]+(?=\S)|[ \t]*$)/;

export function markOf(line: string | undefined): Mark | undefined {
  const [whole, indent = "", number] = itemLine.exec(line ?? "") ?? [];
  if (whole === undefined) return undefined;
  return {
    indent: indent.length,
    length: whole.length,
    number: number === undefined ? null : Number(number),
  };
}

/**
 * Reads a list that begins on a line. What is indented by two or more belongs to the item above it: agents mean it so,
 * also below `10.` where markdown asks for four.
 */
export function readList(
  lines: readonly string[],
  at: number,
  startsBlock: (at: number) => boolean,
): ListLines | undefined {
  const first = markOf(lines[at]);
  if (first === undefined) return undefined;
  const items: (readonly string[])[] = [];
  let next = at;
  for (let mark: Mark | undefined = first; mark !== undefined; ) {
    const item = readItem(lines, next, mark, startsBlock);
    items.push(item.lines);
    next = item.next;
    const after = skipBlank(lines, next);
    const following = markOf(lines[after]);
    mark =
      following !== undefined && (following.number === null) === (first.number === null)
        ? following
        : undefined;
    if (mark !== undefined) next = after;
  }
  return { start: first.number, items, next };
}

function readItem(
  lines: readonly string[],
  at: number,
  mark: Mark,
  startsBlock: (at: number) => boolean,
): { readonly lines: readonly string[]; readonly next: number } {
  const item = [(lines[at] ?? "").slice(mark.length)];
  let run = openingFence(item[0] ?? "")?.run;
  let next = at + 1;
  while (next < lines.length) {
    const line = lines[next] ?? "";
    if (isBlank(line)) {
      const after = skipBlank(lines, next);
      if (after === lines.length || indentOf(lines[after] ?? "") < mark.indent + 2) break;
      for (; next < after; next++) item.push("");
      continue;
    }
    const isInside = indentOf(line) >= mark.indent + 2;
    // A paragraph may go on without its indent; code may not.
    if (!isInside && (run !== undefined || isBlank(lines[next - 1]) || startsBlock(next))) break;
    if (run === undefined) run = openingFence(line)?.run;
    else if (closesFence(line, run)) run = undefined;
    item.push(dedent(line, mark.length));
    next++;
  }
  return { lines: item, next };
}

function skipBlank(lines: readonly string[], at: number): number {
  let next = at;
  while (next < lines.length && isBlank(lines[next])) next++;
  return next;
}
