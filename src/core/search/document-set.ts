/**
 * Documents of one kind with what a query gives them. Arrays over all documents, so that a word
 * that stands in nearly every one costs an addition per document and no look-up.
 */
export interface DocumentSet {
  /** The documents in the set, in no order: the first `count`. */
  readonly docs: Uint32Array;
  count: number;
  /** 1 where the document is in the set. */
  readonly has: Uint8Array;
  readonly scores: Float64Array;
  /** `words` numbers of 32 bits per document: which terms and which clauses it matches. */
  readonly bits: Uint32Array;
  readonly words: number;
}

export function createDocumentSet(space: number, words: number): DocumentSet {
  return {
    docs: new Uint32Array(space),
    count: 0,
    has: new Uint8Array(space),
    scores: new Float64Array(space),
    bits: new Uint32Array(space * words),
    words,
  };
}

/** Adds the documents of another set: scores are summed, bits united, and `bit` is set. */
export function addSet(into: DocumentSet, other: DocumentSet, bit?: number): void {
  const words = into.words;
  for (let i = 0; i < other.count; i++) {
    const doc = other.docs[i] ?? 0;
    if (into.has[doc] === 0) {
      into.has[doc] = 1;
      into.docs[into.count++] = doc;
    }
    into.scores[doc] = (into.scores[doc] ?? 0) + (other.scores[doc] ?? 0);
    for (let w = 0; w < words; w++) {
      into.bits[doc * words + w] = (into.bits[doc * words + w] ?? 0) | (other.bits[doc * words + w] ?? 0);
    }
    if (bit !== undefined) setBit(into, doc, bit);
  }
}

/** Keeps what is in both: scores are summed, bits united. */
export function intersectSet(into: DocumentSet, other: DocumentSet): void {
  const words = into.words;
  let kept = 0;
  for (let i = 0; i < into.count; i++) {
    const doc = into.docs[i] ?? 0;
    if (other.has[doc] === 0) {
      removeDoc(into, doc);
      continue;
    }
    into.docs[kept++] = doc;
    into.scores[doc] = (into.scores[doc] ?? 0) + (other.scores[doc] ?? 0);
    for (let w = 0; w < words; w++) {
      into.bits[doc * words + w] = (into.bits[doc * words + w] ?? 0) | (other.bits[doc * words + w] ?? 0);
    }
  }
  into.count = kept;
}

export function subtractSet(from: DocumentSet, other: DocumentSet): void {
  let kept = 0;
  for (let i = 0; i < from.count; i++) {
    const doc = from.docs[i] ?? 0;
    if (other.has[doc] === 1) removeDoc(from, doc);
    else from.docs[kept++] = doc;
  }
  from.count = kept;
}

function removeDoc(set: DocumentSet, doc: number): void {
  set.has[doc] = 0;
  set.scores[doc] = 0;
  set.bits.fill(0, doc * set.words, (doc + 1) * set.words);
}

export function setBit(set: DocumentSet, doc: number, bit: number): void {
  const at = doc * set.words + (bit >>> 5);
  set.bits[at] = (set.bits[at] ?? 0) | (1 << (bit & 31));
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
