/**
 * Takes the terms of texts. It gives every term a number, and whoever analyses remembers that: a common word is
 * looked up once, and counted by its number from then on.
 */
export interface TermSink {
  /** Tells it from all other sinks: a number is worth something only together with this. */
  readonly id: number;
  numberOf(term: string): number;
  /** The term occurs in the text; as often as this is called. */
  add(number: number): void;
  /** The same for a term that counts once in a text, however often this is called. */
  addOnce(number: number): void;
}

let sinks = 0;

/** Never 0: that is nobody's. */
export function nextSinkId(): number {
  sinks++;
  return sinks;
}
