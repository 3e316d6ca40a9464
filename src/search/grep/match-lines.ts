/** Where a pattern matches in a text: whole lines, with the matches on them. */
export interface LineMatch {
  /** Of the line; of the first where a match goes over several. */
  readonly start: number;
  /** Without the line end. */
  readonly end: number;
  /** Ranges from and to, in UTF-16 units of the whole text. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Also those of which no range is kept. */
  readonly matches: number;
}

/** Nobody looks at more marks on one line. */
const MOST_RANGES = 200;

/**
 * The lines of a text on which the pattern matches. Matches on one line are told together. An empty match
 * is none. `regex` is global; its place is moved.
 */
export function matchLines(text: string, regex: RegExp): readonly LineMatch[] {
  const lines: { start: number; end: number; ranges: [number, number][]; matches: number }[] = [];
  regex.lastIndex = 0;
  for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
    const from = found.index;
    const to = from + found[0].length;
    if (from === to) {
      regex.lastIndex = nextCharacter(text, to);
      if (regex.lastIndex > text.length) break;
      continue;
    }
    const last = lines.at(-1);
    // A line end that the pattern asked for belongs to the line that it ends.
    if (last !== undefined && from <= last.end) {
      last.matches++;
      if (last.ranges.length < MOST_RANGES) last.ranges.push([from, to]);
      if (to > last.end) last.end = endOfLine(text, to - 1);
    } else {
      const start = from === 0 ? 0 : text.lastIndexOf("\n", from - 1) + 1;
      lines.push({ start, end: endOfLine(text, to - 1), ranges: [[from, to]], matches: 1 });
    }
  }
  return lines;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function nextCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

/** The lines before and behind a place, nearest last and nearest first. */
export function linesAround(
  text: string,
  start: number,
  end: number,
  count: number,
): { readonly before: readonly Span[]; readonly after: readonly Span[] } {
  const before: Span[] = [];
  for (let to = start - 1; before.length < count && to >= 0; ) {
    const from = to === 0 ? 0 : text.lastIndexOf("\n", to - 1) + 1;
    before.unshift([from, to]);
    to = from - 1;
  }
  const after: Span[] = [];
  for (let from = end + 1; after.length < count && from <= text.length; ) {
    const to = endOfLine(text, from);
    after.push([from, to]);
    from = to + 1;
  }
  // A line end at the very end begins no line.
  if (after.at(-1)?.[0] === text.length) after.pop();
  return { before, after };
}

export type Span = readonly [from: number, to: number];
