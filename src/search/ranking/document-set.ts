/**
 * Documents of one kind with what a query gives them. Arrays over all documents, so that a word
 * that stands in nearly every one costs an addition per document and no look-up.
 */
export interface DocumentSet {
  /** The documents in the set, in no order. */
  readonly docs: Uint32Array;
  readonly scores: Float64Array;
  /** `words` numbers of 32 bits per document: which clauses and which terms it matches. */
  readonly bits: Uint32Array;
  readonly words: number;
}

export function hasBit(set: DocumentSet, doc: number, bit: number): boolean {
  return ((set.bits[doc * set.words + (bit >>> 5)] ?? 0) & (1 << (bit & 31))) !== 0;
}

/** How many bits are set from one up to, not including, another. `start`: where bit 0 stands. */
export function countBits(bits: Uint32Array, start: number, from: number, to: number): number {
  let count = 0;
  for (let bit = from; bit < to; ) {
    const shift = bit & 31;
    const span = Math.min(32 - shift, to - bit);
    let word = (bits[start + (bit >>> 5)] ?? 0) >>> shift;
    if (span < 32) word &= (1 << span) - 1;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    bit += span;
  }
  return count;
}
