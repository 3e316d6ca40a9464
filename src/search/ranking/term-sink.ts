/**
 * Takes the terms of texts by numbers that it gave them itself: whoever analyses remembers the numbers of common
 * words, so that these are looked up once and counted from then on.
 */
export interface TermSink {
  numberOf(term: string): number;
  /** The same for a term in ASCII, by its first `length` letters. */
  numberOfLetters(letters: Uint8Array, length: number): number;
  /**
   * The first `count` codes are terms of the text, as often as they occur there: twice the number, plus one for
   * a term that counts once in a text, however often it comes.
   */
  take(codes: Uint32Array, count: number): void;
}
