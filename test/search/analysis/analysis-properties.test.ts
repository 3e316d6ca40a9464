import { expect, test } from "vitest";
import { analyzePrefix, analyzeQuery } from "../../../src/search/analysis/analyze-query.ts";
import fc from "../../support/fc.ts";
import { eachTerm } from "../../support/index/terms-of.ts";

function terms(text: string): readonly string[] {
  const found: string[] = [];
  eachTerm(text, (term) => found.push(term));
  return found;
}

const piece = fc.constantFrom(
  ..."get user By ID running tries cafe\u0301 ё straße 検索 猫 한 ガ v2 1.2 don't C# 2026-10-01T12 a0b1c2d3 ．".split(
    " ",
  ),
  ..."_ - . / \\ : :: ' ’ ++ # @ * \" \\n \\u001b[31m 👩‍💻 \ud83d \udc69 \u00ad \ufe0f 𠮷 𝐛 ﷺ İ".split(" "),
  "\u001b[1m",
  "base64,",
  "kJx3Qf9ZpL0aB7cDeF1gH2",
);
const word = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
);
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(" "));

test("analyzeText() never throws, and the same text gives the same terms, whatever came before", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const first = terms(one);
      terms(other);
      expect(terms(one)).toEqual(first);
    }),
  );
});

test("analyzeText() returns no empty term, none over 64 characters and none with a space or capital in it", () => {
  fc.assert(
    fc.property(text, (any) => {
      for (const term of terms(any)) {
        expect(term.length).toBeGreaterThan(0);
        expect(term.length).toBeLessThanOrEqual(64);
        expect(term).not.toMatch(/[\sA-Z\0-\x1f]/);
      }
    }),
  );
});

test("a word that is copied from a text finds that text", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 10 }), fc.nat(), (words, pick) => {
      const copied = words[pick % words.length] ?? "";
      const held = terms(words.join(" "));
      for (const { any } of analyzeQuery(copied)) {
        const last = any.at(-1);
        expect(held).toEqual(expect.arrayContaining([...(last?.all ?? [])]));
        if (last?.prefix !== undefined)
          expect(held.some((term) => term.startsWith(last.prefix ?? ""))).toBe(true);
      }
    }),
  );
});

test("the beginning of a plain word, with a star, finds the word", () => {
  const plain = fc.constantFrom(
    ..."running deleted tries caches settings queries processes quickly stopped completely getUserById token".split(
      " ",
    ),
  );
  fc.assert(
    fc.property(plain, fc.integer({ min: 3, max: 12 }), (typed, length) => {
      const held = terms(typed);
      const [query] = analyzePrefix(typed.slice(0, length));
      const isFound = query?.any.some(
        ({ all, prefix }) =>
          all.every((term) => held.includes(term)) &&
          (prefix === undefined || held.some((term) => term.startsWith(prefix))),
      );
      expect(isFound).toBe(true);
    }),
  );
});
