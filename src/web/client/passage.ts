interface Passage {
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
}

/** The number of characters that certainly fit into two lines. */
const ROOM = 90;
/** A match that begins further in may be cut off. */
const MAX_BEFORE = 60;
/** How much of the text before it is kept; more if there is room. */
const KEPT_BEFORE = 24;

/** Moves the start of a passage to a word shortly before its first match, so that two lines of it show the match. */
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
