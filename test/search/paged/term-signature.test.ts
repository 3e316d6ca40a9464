import { expect, test } from "vitest";
import { createEditRows } from "../../../src/search/paged/edit-rows.ts";
import { groupByLength, nearCandidates, signatureOf } from "../../../src/search/paged/term-signature.ts";
import fc from "../../support/fc.ts";

const term = fc.string({
  unit: fc.constantFrom(..."abcdefghxyz", "0", "7", "_", "é", "本", "\ud800"),
  maxLength: 40,
});

function mayBeNear(other: string, word: string, max: number): boolean {
  return nearCandidates(groupByLength(Uint32Array.of(signatureOf(other))), word, max).length === 1;
}

function distanceOf(word: string, other: string, max: number): number {
  const rows = createEditRows(word, max);
  for (let i = 0; i < other.length; i++) if (!rows.step(i, other.charCodeAt(i))) return max + 1;
  return rows.distance(other.length);
}

test("a signature never denies a term that is near", () => {
  fc.assert(
    fc.property(term, term, fc.integer({ min: 0, max: 3 }), (word, other, max) => {
      const near = distanceOf(word, other, max) <= max;
      const allowed = mayBeNear(other, word, max);
      expect(near && !allowed).toBe(false);
    }),
  );
});

test("a few edits are allowed, and most of what is elsewhere is denied", () => {
  const may = (other: string, max: number): boolean => mayBeNear(other, "refresh", max);
  expect([may("refrsh", 1), may("refreshes", 2), may("refrehs", 2), may("refesh", 1)]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([may("retry", 2), may("fresh", 1), may("refreshing", 2), may("token", 2)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test("candidates come in the order of the terms, whatever their lengths", () => {
  fc.assert(
    fc.property(
      fc.array(term, { maxLength: 30 }),
      term,
      fc.integer({ min: 0, max: 3 }),
      (terms, word, max) => {
        const all = groupByLength(Uint32Array.from(terms, signatureOf));
        const alone = terms.flatMap((other, number) => (mayBeNear(other, word, max) ? [number] : []));
        expect([...nearCandidates(all, word, max)]).toEqual(alone);
      },
    ),
  );
});
