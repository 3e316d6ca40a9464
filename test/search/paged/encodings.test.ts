import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { IndexDamage } from "../../../src/fs/damage.ts";
import {
  createByteReader,
  createByteWriter,
  decodeUnits,
  unitsToString,
} from "../../../src/search/paged/bytes.ts";
import { appendColumn, openColumn } from "../../../src/search/paged/paged-file.ts";
import {
  appendGroup,
  createPostingsArena,
  decodeGroup,
  readGroups,
} from "../../../src/search/paged/postings.ts";
import {
  createBlocksWriter,
  decodeDocumentText,
  encodeDocumentText,
  openStoredBlocks,
  storedFields,
} from "../../../src/search/paged/stored-blocks.ts";
import { createTermAccumulator, type TermAccumulator } from "../../../src/search/paged/term-accumulator.ts";
import { MAX_FIELDS } from "../../../src/search/ranking/index-schema.ts";
import fc from "../../support/fc.ts";
import { withPagedFile } from "../../support/index/paged-bytes.ts";
import { smallSchema } from "../../support/index/small-schema.ts";

test("a varint comes back as it was, up to the largest whole number", () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat()), (values) => {
      const writer = createByteWriter(1);
      for (const value of values) writer.varint(value);
      const reader = createByteReader(writer.view());
      expect(values.map(() => reader.varint())).toEqual(values);
      expect(reader.atEnd).toBe(true);
    }),
  );
});

test("a byte reader calls it damage when numbers or bytes run past the end", () => {
  expect(() => createByteReader(Uint8Array.of(0x80)).varint()).toThrow(IndexDamage);
  expect(() => createByteReader(new Uint8Array(20).fill(0xff)).varint()).toThrow(IndexDamage);
  expect(() => createByteReader(Uint8Array.of(1, 2)).bytes(3)).toThrow(IndexDamage);
});

describe("a column", () => {
  const number = fc.oneof(
    fc.nat(200),
    fc.nat(60_000),
    fc.nat(),
    fc.maxSafeNat(),
    fc.double(),
    fc.constant(Number.NaN),
  );

  test("gives each number back, one by one and all at once", () => {
    fc.assert(
      fc.property(fc.nat(3), fc.array(number, { maxLength: 3000 }), (shift, values) => {
        withPagedFile(
          (out) => {
            out.append(new Uint8Array(shift));
            return appendColumn(out, values);
          },
          (file, place) => {
            const column = openColumn(file, place, values.length);
            expect(values.map((_, i) => column.at(i))).toEqual(values.map((value) => value + 0));
            expect([...column.all()]).toEqual(values.map((value) => value + 0));
            expect(values.map((_, i) => column.at(i))).toEqual([...column.all()]);
          },
        );
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    [[0, 0], 0],
    [[0, 255], 1],
    [[256], 2],
    [[65_536], 4],
    [[2 ** 32], 8],
    [[1.5], 8],
    [[-1], 8],
    [[], 0],
  ])("of %j takes %i bytes per number", (values, width) => {
    withPagedFile(
      (out) => appendColumn(out, values),
      (_, place) => expect(place.width).toBe(width),
    );
  });
});

test("postings come back by field, with documents and frequencies", () => {
  const list = fc.uniqueArray(fc.nat(100_000), { minLength: 1, maxLength: 50 }).chain((docs) =>
    fc.record({
      docs: fc.constant(Uint32Array.from(docs).sort()),
      freqs: fc
        .array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1_000_000 })), {
          minLength: docs.length,
          maxLength: docs.length,
        })
        .map((freqs) => Uint32Array.from(freqs)),
    }),
  );
  fc.assert(
    fc.property(fc.array(list, { maxLength: 16 }), (lists) => {
      const out = createByteWriter(1);
      lists.forEach(({ docs, freqs }, field) => {
        appendGroup(out, field, docs, freqs, 0, docs.length);
      });
      const groups = decodeAll(out.view(), 100_001).map(([field, list]) => [
        field,
        list.map(([doc]) => doc),
        list.map(([, freq]) => freq),
      ]);
      expect(groups).toEqual(lists.map(({ docs, freqs }, field) => [field, [...docs], [...freqs]]));
    }),
  );
});

test.each([
  ["a document that is not there", [MAX_FIELDS, 2 * 9]],
  ["a list that ends early", [MAX_FIELDS * 3, 0]],
  [
    "a list that is shorter than it says",
    [((MAX_FIELDS * 9) & 0x7f) | 0x80, (MAX_FIELDS * 9) >> 7, 4, 0, 0, 0, 0],
  ],
  ["a length that leads outside", [((MAX_FIELDS * 9) & 0x7f) | 0x80, (MAX_FIELDS * 9) >> 7, 100, 0, 0, 0]],
])("decoding calls %s damage", (_, bytes) => {
  expect(() => decodeAll(Uint8Array.from(bytes), 5)).toThrow(IndexDamage);
});

type Listed = [number, [number, number][]];

function decodeAll(bytes: Uint8Array, documents: number): Listed[] {
  return readGroups(bytes).map((group): Listed => {
    const room = createPostingsArena();
    decodeGroup(bytes, group, room, documents);
    const list: [number, number][] = [];
    for (let i = 0; i < room.length; i++) list.push([room.docs[i] ?? -1, room.freqs[i] ?? -1]);
    return [group.field, list];
  });
}

function take(terms: TermAccumulator, words: readonly string[]): void {
  for (const word of words) terms.add(terms.idOf(word, false), 1);
}

function eachDrained(
  terms: TermAccumulator,
  numbers: readonly number[],
  visit: (term: string, postings: Uint8Array) => void,
): void {
  const written = createByteWriter();
  const lengths: [string, number][] = [];
  const addBytes = (bytes: Uint8Array, start: number, end: number, length: number): void => {
    const units = new Uint16Array(end - start);
    lengths.push([unitsToString(units, decodeUnits(bytes, start, end, units, 0)), length]);
  };
  terms.drain(Uint32Array.from(numbers), { addBytes }, { append: written.bytes });
  let at = 0;
  for (const [term, length] of lengths) {
    visit(term, written.view().subarray(at, at + length));
    at += length;
  }
  expect(at).toBe(written.length);
}

test("an accumulator returns each term with its documents in order, whatever the frequencies", () => {
  const field = fc.array(fc.constantFrom("a", "b", "c", "longer-than-a-cached-string", "é"), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(fc.array(fc.array(field, { maxLength: 3 }), { maxLength: 200 }), (documents) => {
      const terms = createTermAccumulator();
      terms.idOf("a term of no text", false);
      const wanted = new Map<string, Map<number, [number, number][]>>();
      documents.forEach((fields, document) => {
        fields.forEach((words, place) => {
          terms.beginField(document, place);
          take(terms, words);
          const different = new Set(words);
          expect(terms.endField()).toBe(different.size);
          for (const word of different) {
            const byField = wanted.get(word) ?? new Map<number, [number, number][]>();
            wanted.set(word, byField);
            const list = byField.get(place) ?? [];
            byField.set(place, list);
            list.push([document * 2, words.filter((other) => other === word).length]);
          }
        });
      });
      const found: [string, Listed[]][] = [];
      eachDrained(
        terms,
        documents.map((_, i) => i * 2),
        (term, postings) => {
          found.push([term, decodeAll(postings, 1000)]);
        },
      );
      expect(found).toEqual(
        [...wanted.keys()]
          .sort()
          .map((term) => [term, [...(wanted.get(term) ?? [])].sort(([a], [b]) => a - b)]),
      );
    }),
    { numRuns: 50 },
  );
});

test("an accumulator is right when it holds megabytes", () => {
  const terms = createTermAccumulator();
  const documents = 40;
  const words = 30_000;
  for (let document = 0; document < documents; document++) {
    terms.beginField(document, 0);
    for (let i = 0; i < words; i++) take(terms, i % (document + 1) === 0 ? [`w${i}`, `w${i}`] : [`w${i}`]);
    terms.endField();
  }
  expect(terms.bytes).toBeGreaterThan(4_000_000);
  const numbers = Array.from({ length: documents }, (_, i) => i);
  let seen = 0;
  eachDrained(terms, numbers, (term, postings) => {
    const number = Number(term.slice(1));
    const list = decodeAll(postings, documents)[0]?.[1] ?? [];
    const isRight = list.every(([doc, freq], i) => doc === i && freq === (number % (doc + 1) === 0 ? 2 : 1));
    if (!isRight || list.length !== documents) throw new Error(`wrong postings of ${term}`);
    seen++;
  });
  expect(seen).toBe(words);
});

test("stored records come back one by one and by blocks, and a block can move to another file", () => {
  const record = fc.uint8Array({ maxLength: 700 });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 60 }), (records) => {
      withPagedFile(
        (out) => {
          const writer = createBlocksWriter(out, 1000);
          for (const bytes of records) writer.add(bytes);
          return writer.append();
        },
        (file, place) => {
          const stored = openStoredBlocks(file, place);
          records.forEach((bytes, i) => {
            expect(Buffer.from(stored.record(i)).equals(bytes)).toBe(true);
          });
          expect(() => stored.record(records.length)).toThrow(IndexDamage);
          withPagedFile(
            (out) => {
              const writer = createBlocksWriter(out, 1000);
              writer.add(Uint8Array.of(7));
              for (const block of stored.blocks()) {
                writer.addBlock(stored.compressed(block), block.size, block.count);
              }
              return writer.append();
            },
            (copy, copiedPlace) => {
              const copied = openStoredBlocks(copy, copiedPlace);
              expect([...copied.record(0)]).toEqual([7]);
              records.forEach((bytes, i) => {
                expect(Buffer.from(copied.record(i + 1)).equals(bytes)).toBe(true);
              });
            },
          );
        },
      );
    }),
    { numRuns: 30 },
  );
});

test("the texts of a document come back by field, those that are not kept and empty ones aside", () => {
  const out = createByteWriter();
  encodeDocumentText(out, storedFields(smallSchema.fields, "card", true), {
    title: "größe 😀",
    requests: "not kept",
    other: "no field",
  });
  expect(decodeDocumentText(out.view(), smallSchema.fields)).toEqual({ title: "größe 😀" });
  encodeDocumentText(out, storedFields(smallSchema.fields, "turn", true), {
    request: "",
    reply: "a",
    errors: "b",
    title: "card's",
  });
  expect(decodeDocumentText(out.view(), smallSchema.fields)).toEqual({ reply: "a", errors: "b" });
});
