import { expect, test } from "vitest";
import { createEditRows } from "../../../src/search/paged/edit-rows.ts";
import fc from "../../support/fc.ts";

/** The textbook's whole table. */
function levenshtein(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "\ud83d"), maxLength: 9 });

test("createEditRows() returns the distance of words that come one after the other, up to a limit", () => {
  fc.assert(
    fc.property(
      word,
      fc.array(word, { maxLength: 20 }),
      fc.integer({ min: 0, max: 4 }),
      (asked, words, max) => {
        const rows = createEditRows(asked, max);
        let previous = "";
        for (const other of words.sort()) {
          let depth = 0;
          while (depth < other.length && other[depth] === previous[depth]) depth++;
          previous = other;
          const wanted = levenshtein(asked, other);
          let alive = true;
          // Rows of the shared beginning may be dead already: then they are walked again from the start.
          for (let i = 0; i < other.length && alive; i++) alive = rows.step(i, other.charCodeAt(i));
          if (!alive) expect(wanted).toBeGreaterThan(max);
          else expect(Math.min(rows.distance(other.length), max + 1)).toBe(Math.min(wanted, max + 1));
        }
      },
    ),
  );
});

test("createEditRows() stops as soon as no ending could bring a word near", () => {
  const rows = createEditRows("kubernetes", 1);
  expect(["x", "y"].map((unit, depth) => rows.step(depth, unit.charCodeAt(0)))).toEqual([true, false]);
});
