import { IndexDamage } from "../../fs/damage.ts";
import type { PostingsGroup } from "../paged/postings.ts";
import type { FieldLengths } from "./index-view.ts";
import { type LoopArena, type SearchLoops, withSearchLoops } from "./loops/search-loops.ts";

/**
 * BM25+ as MiniSearch computes it, with its default parameters. Tests compare every score with a real MiniSearch, so
 * nothing here may be "improved" alone.
 */
const bm25 = { k: 1.2, b: 0.7, d: 0.5 } as const;

export function inverseFrequency(documents: number, matching: number): number {
  return Math.log(1 + (documents - matching + 0.5) / (matching + 0.5));
}

/** Weight of a term that only starts with the query term, by the lengths of both. */
export function prefixWeight(queryLength: number, foundLength: number): number {
  return (0.375 * foundLength) / (foundLength + 0.3 * (foundLength - queryLength));
}

/** Weight of a term that only resembles the query term. */
export function fuzzyWeight(foundLength: number, distance: number): number {
  return (0.45 * foundLength) / (foundLength + distance);
}

/**
 * Documents of one kind with their scores. The arrays cover all documents, so a word that is in nearly every one
 * costs an addition per document and no look-up.
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

/** Counts the bits that are set from `from` up to, not including, `to`; bit 0 is in `bits[start]`. */
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

/** A document set while it is being scored, in the arena of the compiled loops. */
export interface ScoredSet {
  readonly at: number;
  readonly space: number;
  readonly words: number;
}

/** The postings of a term in one field of one part. */
export interface PartGroup {
  readonly bytes: Uint8Array;
  readonly group: PostingsGroup;
  /** How many documents the part has, and 1 for each that is deleted. */
  readonly documents: number;
  readonly gone: Uint8Array | undefined;
}

/** How a group's documents are scored. */
export interface GroupScoring {
  /** Number of the part's first document of this kind. */
  readonly base: number;
  readonly lengths: FieldLengths;
  readonly averageLength: number;
  readonly weight: number;
  /** Bits to set in each document. */
  readonly bit: number;
  readonly clauseBit: number;
}

/** Scores document sets with the compiled loops. */
export interface Scorer {
  createSet(space: number, words: number): ScoredSet;
  /** Frees the sets that `use` creates when it is done: a query may have hundreds of phrases. */
  scoped(use: () => void): void;
  /** Counts the documents of a group that are not deleted. */
  countLiving(group: PartGroup): number;
  scoreGroup(set: ScoredSet, group: PartGroup, scoring: GroupScoring): void;
  /** Adds the documents of another set: sums scores, merges bits, and sets `bit`. */
  add(into: ScoredSet, other: ScoredSet, bit?: number): void;
  /** Keeps the documents that are in both sets: sums scores, merges bits. */
  intersect(into: ScoredSet, other: ScoredSet): void;
  subtract(from: ScoredSet, other: ScoredSet): void;
  /** Multiplies each score by the number of its bits from one up to, not including, another. */
  multiplyByBits(set: ScoredSet, from: number, to: number): void;
  /** Copies a set out of the arena. */
  copyOf(set: ScoredSet): DocumentSet;
}

/** If a term is in fewer than one in this many documents, their lengths are read one by one. */
const SPARSE = 64;

/** The head of a set as in search-loops.as: four addresses, `words` and `count`. */
const HEAD_BYTES = 24;
const DOCS = 1;
const SCORES = 2;
const BITS = 3;
const COUNT = 5;

/** Frees everything that the scorer holds when `use` is done. */
export function withScorer<T>(use: (scorer: Scorer) => T): T {
  return withSearchLoops((loops, arena) => use(createScorer(loops, arena)));
}

function createScorer(loops: SearchLoops, arena: LoopArena): Scorer {
  const { k, b, d } = bm25;
  /** Where columns are that were copied into the arena: every term needs the same ones. */
  const copied = new Map<object, number>();
  const copyIn = (array: Uint8Array | Uint16Array | Uint32Array): number => {
    const at = copied.get(array) ?? arena.put(array);
    copied.set(array, at);
    return at;
  };
  const { numbers } = arena;

  /** Decodes a group at the end of the arena, for as long as `use` takes. */
  const decode = <T>(
    { bytes, group, documents, gone }: PartGroup,
    use: (docs: number, freqs: number, living: number) => T,
  ): T => {
    const isGone = gone === undefined ? 0 : copyIn(gone);
    const mark = arena.mark();
    const { start, end, count } = group;
    const from = arena.put(bytes.subarray(start, end));
    const docs = arena.take(count * 4);
    const freqs = arena.take(count * 4);
    const living = loops.decode(from, from + end - start, count, documents, isGone, docs, freqs);
    // The checksum was right, so this is a bug of the writer; a wrong answer would be worse than none.
    if (living < 0) throw new IndexDamage("A posting list points outside of its segment");
    const result = use(docs, freqs, living);
    arena.release(mark);
    return result;
  };

  const lookUpLengths = (docs: number, count: number, lengths: FieldLengths, to: number): void => {
    const documents = numbers(docs, count);
    const found = numbers(to, count);
    for (let i = 0; i < count; i++) found[i] = lengths.at(documents[i] ?? 0);
  };

  return {
    createSet(space, words) {
      const at = arena.take(HEAD_BYTES);
      const has = arena.takeZeros(space);
      const docs = arena.take(space * 4);
      const scores = arena.takeZeros(space * 8);
      const bits = arena.takeZeros(space * words * 4);
      numbers(at, HEAD_BYTES / 4).set([has, docs, scores, bits, words, 0]);
      return { at, space, words };
    },
    scoped(use) {
      const mark = arena.mark();
      use();
      for (const [array, at] of copied) if (at >= mark) copied.delete(array);
      arena.release(mark);
    },
    countLiving: (each) =>
      each.gone === undefined ? each.group.count : decode(each, (_docs, _freqs, living) => living),
    scoreGroup(set, each, { base, lengths, averageLength, weight, bit, clauseBit }) {
      const isSparse = each.group.count * SPARSE < each.documents;
      const all = isSparse ? undefined : wholeNumbers(lengths.all());
      const column = all === undefined ? 0 : copyIn(all);
      decode(each, (docs, freqs, living) => {
        const found = arena.take(living * 4);
        if (all === undefined) lookUpLengths(docs, living, lengths, found);
        else loops.gatherLengths(docs, living, column, all.BYTES_PER_ELEMENT >> 1, found);
        const flat = k * (1 - b);
        const slope = (k * b) / averageLength;
        loops.score(set.at, docs, freqs, found, living, base, weight, k, d, flat, slope, bit, clauseBit);
      });
    },
    add: (into, other, bit = -1) => loops.addSet(into.at, other.at, bit),
    intersect: (into, other) => loops.intersectSet(into.at, other.at),
    subtract: (from, other) => loops.subtractSet(from.at, other.at),
    multiplyByBits: (set, from, to) => loops.multiplyByBits(set.at, from, to),
    copyOf({ at, space, words }) {
      const head = numbers(at, HEAD_BYTES / 4);
      return {
        docs: numbers(head[DOCS] ?? 0, head[COUNT] ?? 0).slice(),
        scores: arena.fractions(head[SCORES] ?? 0, space).slice(),
        bits: numbers(head[BITS] ?? 0, space * words).slice(),
        words,
      };
    },
  };
}

/** Lengths are whole numbers, but a column may have any type. */
function wholeNumbers(column: ReturnType<FieldLengths["all"]>): Uint8Array | Uint16Array | Uint32Array {
  return column instanceof Float64Array ? Uint32Array.from(column) : column;
}
