import { expect, test } from "vitest";
import { type Dictionary, openDictionary } from "../../../src/search/paged/dictionary.ts";
import { createDictionaryWriter } from "../../../src/search/paged/dictionary-writer.ts";
import { createEditRows } from "../../../src/search/paged/edit-rows.ts";
import fc from "../../support/fc.ts";
import { withPagedFile } from "../../support/index/paged-bytes.ts";

/** Words by their places in a text of few letters, so that blocks full of them share beginnings. */
const unit = fc.constantFrom("a", "b", "c", "ß", "é", "中", "😀", "\ud83d", "\udc00", "\uffff", "\u0000");
const word = fc.string({ unit, minLength: 1, maxLength: 20 });
const manyWords = fc.oneof(
  fc.uniqueArray(word, { maxLength: 300 }),
  fc.uniqueArray(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 12 }), {
    minLength: 200,
    maxLength: 900,
  }),
);

interface Placed {
  readonly term: string;
  readonly offset: number;
  readonly length: number;
}

function withDictionary(
  terms: readonly string[],
  use: (dictionary: Dictionary, placed: Placed[]) => void,
): void {
  const placed: Placed[] = [];
  let offset = 0;
  terms.forEach((term, i) => {
    const length = (i * 37) % 500;
    placed.push({ term, offset, length });
    offset += length;
  });
  withPagedFile(
    (out) => {
      const writer = createDictionaryWriter();
      for (const { term, length } of placed) writer.add(term, length);
      return writer.append(out);
    },
    (file, place) => use(openDictionary(file, place), placed),
  );
}

test("a dictionary finds each of its terms where it is, and no other", () => {
  fc.assert(
    fc.property(manyWords, fc.array(word, { maxLength: 20 }), (words, others) => {
      withDictionary(words.sort(), (dictionary, placed) => {
        for (const entry of placed) expect(dictionary.find(entry.term)).toEqual(entry);
        for (const other of others)
          if (!words.includes(other)) expect(dictionary.find(other)).toBeUndefined();
        expect([...dictionary.all()]).toEqual(placed);
      });
    }),
  );
});

test("a dictionary returns all terms with a prefix, in order", () => {
  fc.assert(
    fc.property(manyWords, word, (words, prefix) => {
      withDictionary(words.sort(), (dictionary, placed) => {
        for (const asked of [prefix, prefix.slice(0, 1), words[0]?.slice(0, 2) ?? "a"]) {
          expect(dictionary.withPrefix(asked)).toEqual(placed.filter(({ term }) => term.startsWith(asked)));
        }
      });
    }),
  );
});

test("a dictionary returns all terms within a distance, although it passes over most of them", () => {
  fc.assert(
    fc.property(manyWords, word, fc.integer({ min: 0, max: 3 }), (words, asked, max) => {
      withDictionary(words.sort(), (dictionary, placed) => {
        const rows = createEditRows(asked, max);
        const wanted = placed.flatMap((entry) => {
          for (let i = 0; i < entry.term.length; i++) if (!rows.step(i, entry.term.charCodeAt(i))) return [];
          const distance = rows.distance(entry.term.length);
          return distance <= max ? [{ ...entry, distance }] : [];
        });
        expect(dictionary.near(asked, max)).toEqual(wanted);
        expect(dictionary.near(asked, max, true)).toEqual(wanted.filter(({ term }) => term[0] === asked[0]));
      });
    }),
  );
});

test("terms of hundreds of units, and an empty dictionary, are no exception", () => {
  const long = Array.from({ length: 70 }, (_, i) => `${"x".repeat(300)}${String(i).padStart(3, "0")}`);
  withDictionary(long, (dictionary, placed) => {
    expect([...dictionary.all()]).toEqual(placed);
    expect(dictionary.find(long[69] ?? "")).toEqual(placed[69]);
    expect(dictionary.near(`${"x".repeat(300)}01`, 1).length).toBe(16);
  });
  withDictionary([], (dictionary) => {
    expect([dictionary.find("a"), dictionary.withPrefix(""), dictionary.near("a", 2)]).toEqual([
      undefined,
      [],
      [],
    ]);
    expect([...dictionary.all()]).toEqual([]);
  });
});
