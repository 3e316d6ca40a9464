import { expect, test } from "vitest";
import { editDistance, nearest } from "../../../src/search/query/nearest.ts";
import fc from "../../support/fc.ts";

test.each([
  ["serach", ["search", "show", "archive"], ["search"]],
  ["sear", ["search", "show"], ["search"]],
  ["Search", ["search"], ["search"]],
  ["lst", ["list", "last", "show"], ["last", "list"]],
  ["xyz", ["search", "show"], []],
  ["", ["search"], []],
])("nearest(%j, %j) is %j", (word, candidates, expected) => {
  expect(nearest(word, candidates)).toEqual(expected);
});

test("nearest() returns each candidate once, and no more than requested", () => {
  expect(nearest("ab", ["aa", "aa", "ac", "ad", "ae"], { limit: 2 })).toEqual(["aa", "ac"]);
});

test.each([
  ["", "", 0],
  ["a", "", 1],
  ["kitten", "sitting", 3],
  ["serach", "search", 1],
  ["ab", "ba", 1],
])("editDistance(%j, %j) is %i", (a, b, expected) => {
  expect(editDistance(a, b, 10)).toBe(expected);
});

test("editDistance() is the same both ways, zero only for equal words, and max + 1 if it is more", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(word, word, fc.nat(4), (a, b, max) => {
      const whole = editDistance(a, b, 20);
      expect(editDistance(b, a, 20)).toBe(whole);
      expect(whole === 0).toBe(a === b);
      expect(editDistance(a, b, max)).toBe(Math.min(whole, max + 1));
    }),
  );
});
