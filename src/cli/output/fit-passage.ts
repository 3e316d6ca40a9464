import { graphemesOf, graphemeWidth } from "./display-width.ts";
import { highlight } from "./highlight.ts";
import type { Style } from "./style.ts";

type Range = readonly [number, number];

export interface PassageRoom {
  readonly width: number;
  /** Columns that are taken on the first line, and left free on the others. */
  readonly first: number;
  readonly indent: number;
  readonly lines: number;
}

/**
 * A passage in so many lines, broken at spaces, with its words marked. Where it is too long, it begins later, so that
 * as many of the marked words as possible are seen.
 */
export function fitPassage(
  text: string,
  highlights: readonly Range[],
  room: PassageRoom,
  style: Pick<Style, "match">,
): string {
  const starts = [0, ...highlights.map(([from]) => startBefore(text, from, Math.floor(room.width / 4)))];
  let best: { readonly seen: number; readonly start: number; readonly lines: readonly Range[] } | undefined;
  for (const start of starts) {
    const lines = layOut(text, start, room);
    const end = lines.at(-1)?.[1] ?? start;
    const seen = highlights.filter(([from, to]) => from >= start && to <= end).length;
    if (best === undefined || seen > best.seen) best = { seen, start, lines };
    if (seen === highlights.length) break;
  }
  return (best?.lines ?? [])
    .map(([from, to], index, { length }) => {
      const before = index === 0 && from > 0 ? "…" : "";
      const after = index === length - 1 && to < text.length ? "…" : "";
      const ranges = highlights.map(([start, end]): Range => [start - from, end - from]);
      return before + highlight(text.slice(from, to), ranges, style) + after;
    })
    .join(`\n${" ".repeat(room.indent)}`);
}

/** Where lines begin and end; what does not fit on the last is left out. */
function layOut(text: string, start: number, { width, first, indent, lines }: PassageRoom): readonly Range[] {
  const found: Range[] = [];
  let from = start;
  while (from < text.length && found.length < lines) {
    const isFirst = found.length === 0;
    const isLast = found.length === lines - 1;
    const columns = Math.max(8, width - (isFirst ? first : indent)) - (isFirst && from > 0 ? 1 : 0);
    const whole = from + taken(text.slice(from), columns);
    const most = whole < text.length && isLast ? from + taken(text.slice(from), columns - 1) : whole;
    const space = most < text.length ? text.lastIndexOf(" ", most) : -1;
    // A word that is longer than most of a line is broken.
    const to = space > from + columns / 2 ? space : most;
    found.push([from, to]);
    from = text[to] === " " ? to + 1 : to;
  }
  return found;
}

/** How many units of a text fit so many columns. */
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

/** Where a word begins, about so many units before; the place itself where there is none near. */
function startBefore(text: string, at: number, units: number): number {
  if (at <= units) return 0;
  const space = text.lastIndexOf(" ", at - units);
  if (space >= at - 2 * units) return space + 1;
  const next = text.indexOf(" ", at - units);
  return next === -1 || next >= at ? at : next + 1;
}
