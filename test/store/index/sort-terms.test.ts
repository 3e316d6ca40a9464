import { expect, test } from "vitest";
import { sortTerms } from "../../../src/store/index/sort-terms.ts";
import fc from "../../support/fc.ts";

test("sortTerms() puts different strings into the order of <", () => {
  const unit = fc.constantFrom("a", "b", "é", "中", "\ud83d", "\udc00", "\uffff", "\u0000");
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit, maxLength: 8 }), { maxLength: 300 }), (terms) => {
      expect(Array.from(sortTerms(terms), (place) => terms[place])).toEqual([...terms].sort());
    }),
  );
});

test("sortTerms() needs no deep stack for long common beginnings", () => {
  const terms = Array.from({ length: 50 }, (_, i) => `${"a".repeat(20_000)}${String.fromCharCode(200 - i)}`);
  expect(Array.from(sortTerms(terms), (place) => terms[place])).toEqual([...terms].sort());
});
