interface Passage {
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
}

/** So many characters are sure to be seen in two lines. */
const ROOM = 90;
/** A match that begins further in may be cut off. */
const MAX_BEFORE = 60;
/** How much of what comes before it is kept, and more if there is room. */
const KEPT_BEFORE = 24;

/** Has a passage start shortly before its first match, at a word, so that two lines of it show the match. */
export function startAtMatch({ text, highlights }: Passage): Passage {
  const [first] = highlights;
  if (first === undefined || first[0] <= MAX_BEFORE) return { text, highlights };
  const earliest = Math.min(first[0] - KEPT_BEFORE, text.length - ROOM);
  if (earliest <= 0) return { text, highlights };
  const space = text.slice(earliest, first[0]).search(/\s\S/);
  const from = earliest + (space < 0 ? 0 : space + 1);
  const by = 1 - from;
  return {
    text: `…${text.slice(from)}`,
    highlights: highlights.map(([start, end]) => [start + by, end + by]),
  };
}
