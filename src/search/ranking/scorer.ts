import { IndexDamage } from "../../fs/damage.ts";
import type { PostingsGroup } from "../paged/postings.ts";
import { bm25 } from "./bm25.ts";
import type { LoopArena } from "./compiled-loops.ts";
import type { DocumentSet } from "./document-set.ts";
import type { FieldLengths } from "./index-view.ts";
import { type SearchLoops, withSearchLoops } from "./loops/search-loops.ts";

/** Documents of one kind while they are scored, in the memory of the compiled loops. */
export interface ScoredSet {
  readonly at: number;
  readonly space: number;
  readonly words: number;
}

/** The postings of a term in a field of a part. */
export interface GroupOfPart {
  readonly bytes: Uint8Array;
  readonly group: PostingsGroup;
  /** How many documents the part has, and which of them are gone. */
  readonly documents: number;
  readonly gone: Uint8Array | undefined;
}

/** What a group's documents get. */
export interface GroupScoring {
  /** Number of the part's first document of this kind. */
  readonly base: number;
  readonly lengths: FieldLengths;
  readonly averageLength: number;
  readonly weight: number;
  /** Set in each document. */
  readonly bit: number;
  readonly clauseBit: number;
}

/** Where documents are scored. */
export interface Scorer {
  createSet(space: number, words: number): ScoredSet;
  /** Sets that are made on the way are gone when `use` is done: a query may have hundreds of phrases. */
  passing(use: () => void): void;
  /** How many documents of a group are there. */
  countLiving(group: GroupOfPart): number;
  scoreGroup(set: ScoredSet, group: GroupOfPart, scoring: GroupScoring): void;
  /** Adds the documents of another set: scores are summed, bits united, and `bit` is set. */
  add(into: ScoredSet, other: ScoredSet, bit?: number): void;
  /** Keeps what is in both: scores are summed, bits united. */
  intersect(into: ScoredSet, other: ScoredSet): void;
  subtract(from: ScoredSet, other: ScoredSet): void;
  /** Multiplies each score by the number of bits from one up to another. */
  multiplyByBits(set: ScoredSet, from: number, to: number): void;
  /** The set as it is now, in memory of its own. */
  copyOf(set: ScoredSet): DocumentSet;
}

/** Below this share of the documents, lengths are looked up one by one. */
const SPARSE = 64;

/** Of a set, as search-loops.as has it: four addresses, `words` and `count`. */
const HEAD_BYTES = 24;
const DOCS = 1;
const SCORES = 2;
const BITS = 3;
const COUNT = 5;

/** Sets and all else that is made in it are gone when `use` is done. */
export function withScorer<T>(use: (room: Scorer) => T): T {
  return withSearchLoops((loops, room) => use(createScoringRoom(loops, room)));
}

function createScoringRoom(loops: SearchLoops, room: LoopArena): Scorer {
  const { k, b, d } = bm25;
  /** Columns are asked for again with every term. */
  const kept = new Map<object, number>();
  const keep = (array: Uint8Array | Uint16Array | Uint32Array): number => {
    const at = kept.get(array) ?? room.put(array);
    kept.set(array, at);
    return at;
  };
  const { numbers } = room;

  /** Decodes a group behind what is taken, and calls `use` with the addresses. */
  const decode = <T>(
    { bytes, group, documents, gone }: GroupOfPart,
    use: (docs: number, freqs: number, living: number) => T,
  ): T => {
    const isGone = gone === undefined ? 0 : keep(gone);
    const mark = room.mark();
    const { start, end, count } = group;
    const from = room.put(bytes.subarray(start, end));
    const docs = room.take(count * 4);
    const freqs = room.take(count * 4);
    const living = loops.decode(from, from + end - start, count, documents, isGone, docs, freqs);
    // The bytes were verified; a list that leads elsewhere all the same must not give an answer.
    if (living < 0) throw new IndexDamage("A posting list leads outside of its segment");
    const result = use(docs, freqs, living);
    room.release(mark);
    return result;
  };

  const lookUpLengths = (docs: number, count: number, lengths: FieldLengths, to: number): void => {
    const wanted = numbers(docs, count);
    const found = numbers(to, count);
    for (let i = 0; i < count; i++) found[i] = lengths.at(wanted[i] ?? 0);
  };

  return {
    createSet(space, words) {
      const at = room.take(HEAD_BYTES);
      const has = room.takeZeros(space);
      const docs = room.take(space * 4);
      const scores = room.takeZeros(space * 8);
      const bits = room.takeZeros(space * words * 4);
      numbers(at, HEAD_BYTES / 4).set([has, docs, scores, bits, words, 0]);
      return { at, space, words };
    },
    passing(use) {
      const mark = room.mark();
      use();
      for (const [array, at] of kept) if (at >= mark) kept.delete(array);
      room.release(mark);
    },
    countLiving: (each) =>
      each.gone === undefined ? each.group.count : decode(each, (_docs, _freqs, living) => living),
    scoreGroup(set, each, { base, lengths, averageLength, weight, bit, clauseBit }) {
      const isSparse = each.group.count * SPARSE < each.documents;
      const known = isSparse ? undefined : wholeNumbers(lengths.all());
      const column = known === undefined ? 0 : keep(known);
      decode(each, (docs, freqs, living) => {
        const found = room.take(living * 4);
        if (known === undefined) lookUpLengths(docs, living, lengths, found);
        else loops.gatherLengths(docs, living, column, known.BYTES_PER_ELEMENT >> 1, found);
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
        scores: room.fractions(head[SCORES] ?? 0, space).slice(),
        bits: numbers(head[BITS] ?? 0, space * words).slice(),
        words,
      };
    },
  };
}

/** Lengths are never anything else; a column may be. */
function wholeNumbers(column: ReturnType<FieldLengths["all"]>): Uint8Array | Uint16Array | Uint32Array {
  return column instanceof Float64Array ? Uint32Array.from(column) : column;
}
