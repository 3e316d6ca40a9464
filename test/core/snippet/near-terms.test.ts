import { describe, expect, test } from "vitest";
import { findMatches } from "../../../src/core/snippet/find-matches.ts";
import { nearTerms } from "../../../src/core/snippet/near-terms.ts";
import fc from "../../support/fc.ts";
import { eachTerm } from "../../support/index/terms-of.ts";

const termsOf = (text: string): ReadonlyMap<string, number> => {
  const terms = new Map<string, number>();
  eachTerm(text, (term) => terms.set(term, terms.size));
  return terms;
};

describe("nearTerms()", () => {
  test("leads to the same matches as reading every word", () => {
    const words = ["token", "tokens", "refreshToken", "src/auth/token.ts", "refreshing", "retry_count"];
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
        const near = nearTerms(terms.keys());
        expect(near).toBeDefined();
        const wordOf = (term: string): number | undefined => terms.get(term);
        expect(findMatches(searched, wordOf, near)).toEqual(findMatches(searched, wordOf));
      }),
    );
  });

  test.each([["本を"], ["élan"], ["go"], ["a"]])("does not guess for the terms of %j", (asked) => {
    const terms = asked === "go" ? ["go"] : [...termsOf(asked).keys(), asked];
    expect(nearTerms(terms)).toBeUndefined();
  });

  test("reads everything where the beginning of the word is written otherwise", () => {
    const terms = termsOf("etape");
    const found = findMatches("L'étape suivante", (term) => terms.get(term), nearTerms(terms.keys()));
    expect(found).toHaveLength(1);
  });
});
