import { expect, test } from "vitest";
import { withUnits } from "../../../src/search/analysis/text-units.ts";
import { createWordCodes, NAME_COUNT, NAME_START } from "../../../src/search/analysis/word-codes.ts";
import { readKey } from "../../../src/search/analysis/word-key.ts";

function numbering(): { readonly terms: string[]; readonly sink: Parameters<typeof createWordCodes>[0] } {
  const terms: string[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (term: string): number => {
    const number = numbers.get(term) ?? terms.push(term) - 1;
    numbers.set(term, number);
    return number;
  };
  const numberOfLetters = (letters: Uint8Array, length: number): number =>
    numberOf(String.fromCharCode(...letters.subarray(0, length)));
  return { terms, sink: { numberOf, numberOfLetters, take: () => undefined } };
}

test("a word has the same terms before and after hundreds of thousands of others", () => {
  const { terms, sink } = numbering();
  const codes = createWordCodes(sink);
  const termsOf = (word: string): readonly string[] => {
    const found: string[] = [];
    withUnits(word, (source) => {
      const key = { low: 0, high: 0 };
      readKey(source.units, 0, word.length, key);
      const code = codes.codeOf(source, 0, word.length, key.low, key.high);
      const { names } = codes.known;
      const all =
        code >= 0
          ? [code]
          : [...names.subarray(NAME_START - code, NAME_START - code + (names[NAME_COUNT - code] ?? 0))];
      found.push(...all.map((each) => terms[each >>> 1] ?? ""));
    });
    return found;
  };
  const some = ["run", "the", "tokenRefresh", "a-long-name.ts", "naïve", "x".repeat(70), "parsing"];
  const before = some.map(termsOf);
  expect(before[2]).toEqual(["tokenrefresh", "token", "refresh"]);
  for (let i = 0; i < 300_000; i++) {
    const word = i % 3 === 0 ? `cacheItem${i}` : i % 3 === 1 ? `w${i}` : `someLongerWord${i}`;
    if (i % 1_000 === 0) expect(some.map(termsOf)).toEqual(before);
    if (!termsOf(word).includes(word.toLowerCase())) throw new Error(`${word} is ${termsOf(word).join()}`);
  }
  expect(some.map(termsOf)).toEqual(before);
});
