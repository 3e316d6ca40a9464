import { expect, test } from "vitest";
import { createByteWriter } from "../../../src/search/paged/bytes.ts";
import { appendGroup, readGroups } from "../../../src/search/paged/postings.ts";
import type { SearchLoops } from "../../../src/search/ranking/loops/search-loops.ts";
import { createLoopArena, type Loops, loadLoops } from "../../../src/search/ranking/loops/search-loops.ts";
import { loopBytes } from "../../../src/search/ranking/loops/search-loops-bytes.ts";
import { createPlainLoops } from "../../../src/search/ranking/loops/search-loops-plain.ts";
import fc from "../../support/fc.ts";

const compiled = (): Loops<SearchLoops> =>
  loadLoops(loopBytes, () => {
    throw new Error("WebAssembly runs here");
  });
const plain = (): Loops<SearchLoops> => createPlainLoops() as Loops<SearchLoops>;

const DOCUMENTS = 40;
const SESSIONS = 8;

const arbitraryPostings = fc
  .uniqueArray(fc.record({ doc: fc.nat(DOCUMENTS - 1), freq: fc.integer({ min: 1, max: 400 }) }), {
    selector: ({ doc }) => doc,
    maxLength: DOCUMENTS,
  })
  .map((entries) => entries.sort((a, b) => a.doc - b.doc));

const arbitraryQuery = fc.record({
  terms: fc.array(fc.record({ postings: arbitraryPostings, bit: fc.nat(63) }), { maxLength: 6 }),
  gone: fc.array(fc.boolean(), { minLength: DOCUMENTS, maxLength: DOCUMENTS }),
  lengths: fc.array(fc.nat(70_000), { minLength: DOCUMENTS, maxLength: DOCUMENTS }),
  width: fc.constantFrom(1, 2, 4),
  sessionOf: fc.array(fc.nat(SESSIONS - 1), { minLength: DOCUMENTS, maxLength: DOCUMENTS }),
  passes: fc.array(fc.boolean(), { minLength: DOCUMENTS, maxLength: DOCUMENTS }),
  wanted: fc.nat(),
});
type Query = typeof arbitraryQuery extends fc.Arbitrary<infer T> ? T : never;

const flags = (of: readonly boolean[]): Uint8Array => Uint8Array.from(of, Number);

/** Calls each loop with what a search might give it; all of its memory afterwards, and what the calls gave back. */
function runAll(loops: Loops<SearchLoops>, query: Query): readonly unknown[] {
  const room = createLoopArena(loops.memory);
  const WORDS = 2;
  const createSet = (): number => {
    const at = room.takeZeros(24);
    const parts = [DOCUMENTS, DOCUMENTS * 4, DOCUMENTS * 8, DOCUMENTS * WORDS * 4].map(room.takeZeros);
    room.numbers(at, 6).set([...parts, WORDS, 0]);
    return at;
  };
  const Column = query.width === 1 ? Uint8Array : query.width === 2 ? Uint16Array : Uint32Array;
  const column = room.put(Column.from(query.lengths));
  const gone = room.put(flags(query.gone));
  const answers: unknown[] = [];
  const sets = query.terms.map(({ postings, bit }) => {
    const writer = createByteWriter(64);
    const docs = Uint32Array.from(postings, ({ doc }) => doc);
    const freqs = Uint32Array.from(postings, ({ freq }) => freq);
    appendGroup(writer, 3, docs, freqs, 0, docs.length);
    const bytes = writer.view().slice();
    const set = createSet();
    for (const { start, end, count } of readGroups(bytes)) {
      const from = room.put(bytes.subarray(start, end));
      const [found, often, lengths] = [0, 1, 2].map(() => room.takeZeros(DOCUMENTS * 4)) as [
        number,
        number,
        number,
      ];
      const living = loops.decode(from, from + end - start, count, DOCUMENTS, gone, found, often);
      // One document fewer than there are, and one byte too few.
      answers.push(living, loops.decode(from, from + end - start, count, docs.at(-1) ?? 0, 0, found, often));
      answers.push(loops.decode(from, from + end - start - 1, count, DOCUMENTS, 0, found, often));
      loops.decode(from, from + end - start, count, DOCUMENTS, gone, found, often);
      loops.gatherLengths(found, living, column, query.width >> 1, lengths);
      loops.score(set, found, often, lengths, living, 0, 1.7, 1.2, 0.5, 0.36, 0.011, bit, (bit * 7) % 64);
    }
    return set;
  });
  const [first = createSet(), second = createSet(), third = createSet(), ...more] = sets;
  for (const other of more) loops.addSet(first, other, 5);
  loops.addSet(second, first, -1);
  loops.intersectSet(first, third);
  loops.subtractSet(second, third);
  loops.multiplyByBits(second, 3, 41);

  const [, docs = 0, scores = 0, bits = 0, , count = 0] = room.numbers(second, 6);
  const sessionOf = room.put(Uint32Array.from(query.sessionOf));
  const passes = room.put(flags(query.passes));
  const refused = room.put(flags(query.gone.slice(0, SESSIONS)));
  const [seen = 0, list = 0, best = 0, united = 0, together = 0, has = 0] = [1, 4, 8, 4 * WORDS, 4, 4].map(
    (size) => room.takeZeros(SESSIONS * size),
  );
  const counts = room.takeZeros(DOCUMENTS);
  answers.push(loops.collectSessions(docs, count, sessionOf, passes, refused, seen, list));
  loops.aggregateDocuments(
    docs,
    count,
    scores,
    bits,
    WORDS,
    33,
    sessionOf,
    passes,
    refused,
    counts,
    best,
    united,
    together,
  );
  loops.countClauses(united, WORDS, 33, SESSIONS, has);
  const near = room.takeZeros(DOCUMENTS * 4);
  answers.push(loops.listNear(sessionOf, DOCUMENTS, query.wanted, 1, near));
  return [...answers, ...room.bytes.slice(0, room.mark())];
}

test("loops do the same in WebAssembly and in JavaScript, to the last byte", () => {
  fc.assert(
    fc.property(arbitraryQuery, (query) => {
      expect(runAll(plain(), query)).toEqual(runAll(compiled(), query));
    }),
    { numRuns: 300 },
  );
});

test("postings that lead elsewhere are refused", () => {
  const loops = compiled();
  const room = createLoopArena(loops.memory);
  const [docs, freqs] = [room.take(400), room.take(400)];
  const decode = (bytes: readonly number[], count: number, documents: number): number => {
    const from = room.put(Uint8Array.from(bytes));
    return loops.decode(from, from + bytes.length, count, documents, 0, docs, freqs);
  };
  // Steps of 0, doubled: documents 0, 1, 2.
  expect(decode([0, 0, 0], 3, 3)).toBe(3);
  expect(decode([0, 0, 0], 3, 2)).toBe(-1);
  expect(decode([0, 0, 0], 2, 3)).toBe(-1);
  expect(decode([0, 0], 3, 9)).toBe(-1);
  expect(decode([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 1, 9)).toBe(-1);
});
