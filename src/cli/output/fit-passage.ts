import { highlight, type Style } from "./style.ts";
import { displayWidth, graphemesOf, graphemeWidth, takeEnd } from "./text-width.ts";

type Range = readonly [number, number];

export interface PassageRoom {
  readonly width: number;
  /** The columns that are used on the first line, and the indent of the others. */
  readonly first: number;
  readonly indent: number;
  readonly lines: number;
}

/** Later matches are marked if they are visible, but a passage is not moved for them. */
const MOST_CONSIDERED = 10;

/**
 * Fits a passage into a few lines, broken at spaces, with its matches marked. A passage that is too long starts later, so
 * that as many matches as possible are visible; of a match that is longer than the lines, its beginning.
 */
export function fitPassage(
  text: string,
  highlights: readonly Range[],
  room: PassageRoom,
  style: Pick<Style, "match">,
): string {
  return placePassage(text, highlights.slice(0, MOST_CONSIDERED), room)
    .map(([from, to], index, { length }) => {
      const before = index === 0 && from > 0 ? "…" : "";
      const after = index === length - 1 && to < text.length ? "…" : "";
      const ranges = highlights.map(([start, end]): Range => [start - from, end - from]);
      return before + highlight(text.slice(from, to), ranges, style) + after;
    })
    .join(`\n${" ".repeat(room.indent)}`);
}

/** Finds the lines that show the most matches. */
function placePassage(text: string, matches: readonly Range[], room: PassageRoom): readonly Range[] {
  let best = layOut(text, 0, room);
  let most = visibleMatches(matches, best);
  for (const [from] of matches) {
    if (most === matches.length) return best;
    const lines = layOut(text, startBefore(text, from, Math.floor(room.width / 4)), room);
    const visible = visibleMatches(matches, lines);
    if (visible > most) [best, most] = [lines, visible];
  }
  // The beginning of a match is certainly visible if the passage starts with it.
  return most === 0 && matches[0] !== undefined ? layOut(text, matches[0][0], room) : best;
}

/** How many matches are completely visible; if none is, the largest visible share of one. */
function visibleMatches(matches: readonly Range[], lines: readonly Range[]): number {
  const start = lines[0]?.[0] ?? 0;
  const end = lines.at(-1)?.[1] ?? 0;
  const shares = matches.map(
    ([from, to]) => Math.max(0, Math.min(to, end) - Math.max(from, start)) / Math.max(1, to - from),
  );
  const whole = shares.filter((share) => share === 1).length;
  return whole > 0 ? whole : Math.max(0, ...shares);
}

/** Finds the start and end of each line; text that does not fit on the last line is left out. */
function layOut(text: string, start: number, { width, first, indent, lines }: PassageRoom): readonly Range[] {
  const found: Range[] = [];
  let from = start;
  while (from < text.length && found.length < lines) {
    const isFirst = found.length === 0;
    const isLast = found.length === lines - 1;
    const columns = Math.max(8, width - (isFirst ? first : indent)) - (isFirst && from > 0 ? 1 : 0);
    const whole = from + taken(text.slice(from), columns);
    const most = whole < text.length && isLast ? from + taken(text.slice(from), columns - 1) : whole;
    if (most === text.length) {
      found.push([from, most]);
      break;
    }
    const space = text.lastIndexOf(" ", most);
    const wordStart = space > from ? space + 1 : from;
    const wordEnd = text.indexOf(" ", most);
    const word = text.slice(wordStart, wordEnd === -1 ? text.length : wordEnd);
    // Only a word longer than a line is broken. A first line without room for its first word stays empty.
    const isKept = displayWidth(word) < width - indent;
    const to =
      isKept && (space > from || (isFirst && !isLast))
        ? Math.max(from, wordStart - 1)
        : space > from + columns / 2
          ? space
          : most;
    found.push([from, to]);
    from = text[to] === " " ? to + 1 : to;
  }
  return found;
}

/** Counts the UTF-16 units of a text that fit into a number of columns. */
function taken(text: string, columns: number): number {
  let used = 0;
  let units = 0;
  for (const grapheme of graphemesOf(text)) {
    used += graphemeWidth(grapheme);
    if (used > columns) break;
    units += grapheme.length;
  }
  return units;
}

/**
 * Finds the start of a word about `columns` before `at`, and at most twice as far; in the middle of a long word, the
 * character that is `columns` before it.
 */
function startBefore(text: string, at: number, columns: number): number {
  const before = text.slice(0, at);
  const near = at - takeEnd(before, columns).length;
  if (near === 0) return 0;
  const space = text.lastIndexOf(" ", near);
  if (space >= at - takeEnd(before, 2 * columns).length) return space + 1;
  const next = text.indexOf(" ", near);
  return next === -1 || next >= at ? near : next + 1;
}
