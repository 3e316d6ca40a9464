import { once } from "../../../fs/once.ts";
import { createLoopArena, type LoopArena, loadLoops } from "../compiled-loops.ts";
import { loopBytes } from "./search-loops-bytes.ts";
import { createPlainLoops } from "./search-loops-plain.ts";

/** As search-loops.as has them: numbers are addresses where nothing else is said. */
export interface SearchLoops {
  decode(
    from: number,
    end: number,
    count: number,
    documents: number,
    gone: number,
    docs: number,
    freqs: number,
  ): number;
  gatherLengths(docs: number, count: number, from: number, shift: number, lengths: number): void;
  score(
    set: number,
    docs: number,
    freqs: number,
    lengths: number,
    count: number,
    base: number,
    weight: number,
    k: number,
    d: number,
    flat: number,
    slope: number,
    bit: number,
    clauseBit: number,
  ): void;
  addSet(into: number, other: number, bit: number): void;
  intersectSet(into: number, other: number): void;
  subtractSet(from: number, other: number): void;
  multiplyByBits(set: number, from: number, to: number): void;
  listSessions(
    docs: number,
    count: number,
    sessionOf: number,
    passes: number,
    refused: number,
    seen: number,
    list: number,
  ): number;
  uniteDocuments(
    docs: number,
    count: number,
    scores: number,
    bits: number,
    words: number,
    clauses: number,
    sessionOf: number,
    passes: number,
    refused: number,
    counts: number,
    best: number,
    united: number,
    together: number,
  ): void;
  countClauses(united: number, words: number, clauses: number, sessions: number, counts: number): void;
  listNear(letters: number, count: number, wanted: number, most: number, list: number): number;
}

const loaded = once(() => {
  const loops = loadLoops<SearchLoops>(loopBytes, createPlainLoops);
  return { loops, room: createLoopArena(loops.memory) };
});

/** Memory that is taken meanwhile is given back when `use` is done. */
export function withSearchLoops<T>(use: (loops: SearchLoops, room: LoopArena) => T): T {
  const { loops, room } = loaded();
  const mark = room.mark();
  try {
    return use(loops, room);
  } finally {
    room.release(mark);
  }
}
