import { expect, test } from "vitest";
import { createTermTable } from "../../../src/search/paged/term-table.ts";
import fc from "../../support/fc.ts";

const unit = fc.constantFrom("a", "b", "é", "中", "\ud83d", "\udc00", "\uffff", "\u0000");

function sorted(terms: readonly string[]): readonly string[] {
  const table = createTermTable();
  for (const term of terms) table.numberOf(term);
  return Array.from(table.sorted(), (number) => table.text(number));
}

test("a table gives each term one number, from 0 on, and its text back", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 4 }), { maxLength: 300 }), (terms) => {
      const table = createTermTable();
      const numbers = new Map<string, number>();
      for (const term of terms) {
        if (!numbers.has(term)) numbers.set(term, numbers.size);
        expect(table.numberOf(term)).toBe(numbers.get(term));
      }
      expect(table.size).toBe(numbers.size);
      for (const [term, number] of numbers) expect(table.text(number)).toBe(term);
    }),
  );
});

test("a table keeps tens of thousands of terms apart", () => {
  const table = createTermTable();
  const terms = Array.from({ length: 70_000 }, (_, i) => `${i % 7}term${i}`);
  for (const term of terms) table.numberOf(term);
  expect(terms.every((term, i) => table.numberOf(term) === i && table.text(i) === term)).toBe(true);
});

test("sorted() puts terms into the order of <", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit, maxLength: 8 }), { maxLength: 300 }), (terms) => {
      expect(sorted(terms)).toEqual([...terms].sort());
    }),
  );
});

test("sorted() needs no deep stack for long common beginnings", () => {
  const terms = Array.from({ length: 50 }, (_, i) => `${"a".repeat(20_000)}${String.fromCharCode(200 - i)}`);
  expect(sorted(terms)).toEqual([...terms].sort());
});
