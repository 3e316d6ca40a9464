import { describe, expect, test } from "vitest";
import { findTermMatches, type Near, nearTerms } from "../../../src/search/snippets/find-matches.ts";
import fc from "../../support/fc.ts";
import { eachTerm } from "../../support/index/terms-of.ts";

const termsOf = (text: string): ReadonlyMap<string, number> => {
  const terms = new Map<string, number>();
  eachTerm(text, (term) => terms.set(term, terms.size));
  return terms;
};

/** By default more words than any text has, so that nothing ends the search early. */
function nearTo(terms: ReadonlyMap<string, number>, words = 99): Near | undefined {
  const pattern = nearTerms(terms.keys());
  return pattern === undefined ? undefined : { pattern, words, maxChars: 240 };
}

describe("nearTerms()", () => {
  test("leads to the same matches as reading every word", () => {
    const words = [
      "token",
      "tokens",
      "refreshToken",
      "src/auth/token.ts",
      "refreshing",
      "retry_count",
      "tried",
      "trying",
      "using",
      "os.Stderr",
      "osstderr",
      "wt-original",
      "naïve",
      "naive",
    ];
    const others = ["cart", "order", "the", "of", "x", "total", "a/b/c.ts", "read-only", "HTTP2", "don't"];
    const text = fc
      .array(fc.tuple(fc.constantFrom(...words, ...others), fc.constantFrom(" ", "\n", ", ", " (", "\t")), {
        minLength: 1,
        maxLength: 60,
      })
      .map((parts) => parts.flat().join(""));
    fc.assert(
      fc.property(text, fc.constantFrom(...words), (searched, asked) => {
        const terms = termsOf(asked);
        const near = nearTo(terms);
        expect(near).toBeDefined();
        const wordOf = (term: string): number | undefined => terms.get(term);
        expect(findTermMatches(searched, wordOf, near)).toEqual(findTermMatches(searched, wordOf));
      }),
    );
  });

  test.each([["本を"], ["élan"], ["go"], ["a"]])("does not guess for the terms of %j", (asked) => {
    const terms = asked === "go" ? ["go"] : [...termsOf(asked).keys(), asked];
    expect(nearTerms(terms)).toBeUndefined();
  });

  test("reads everything if the start of the word may be written differently", () => {
    const terms = termsOf("etape");
    const found = findTermMatches("L'étape suivante", (term) => terms.get(term), nearTo(terms));
    expect(found).toHaveLength(1);
  });

  test("finds a word that starts with any letter which folds to ASCII", () => {
    const missed: string[] = [];
    // Latin letters, small and raised ones, signs, fractions, letters in circles.
    for (let unit = 0xa0; unit < 0x2c00; unit += unit === 0x24f ? 0x1d00 - 0x24f : 1) {
      const text = `${String.fromCharCode(unit)}lectron`;
      const terms = termsOf(text);
      const near = nearTo(terms);
      const wordOf = (term: string): number | undefined => terms.get(term);
      if (near !== undefined && findTermMatches(text, wordOf, near).length === 0) missed.push(text);
    }
    expect(missed).toEqual([]);
  });

  test("stops once a passage has all words, and not before", () => {
    const words = new Map([
      ["token", 0],
      ["retry", 1],
    ]);
    const find = (text: string): readonly number[] =>
      findTermMatches(text, (term) => words.get(term), nearTo(words, 2)).map(({ start }) => start);
    const many = `${"the token is wide and long here, ".repeat(300)}`;
    expect(find(many)).toHaveLength(300);
    expect(find(`${many}token retry`)).toContain(many.length + "token ".length);
    expect(find(`token retry ${many}`).length).toBeLessThan(100);
  });
});
