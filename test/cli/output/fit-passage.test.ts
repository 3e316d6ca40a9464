import { expect, test } from "vitest";
import { fitPassage } from "../../../src/cli/output/fit-passage.ts";
import { displayWidth } from "../../../src/cli/output/text-width.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

const style = { match: (text: string): string => `[${text}]` };
const room = { width: 30, first: 10, indent: 4, lines: 2 };

function marksOf(text: string, word: string): [number, number][] {
  return [...text.matchAll(new RegExp(word, "g"))].map(({ index }) => [index, index + word.length]);
}

test.each([
  ["fits on the first line", "a token", "a [token]"],
  ["is broken at spaces", "one two three four token five", "one two three four\n    [token] five"],
  [
    "is cut behind its words",
    "the token is what we look for, and much more follows it here",
    "the [token] is what we\n    look for, and much more…",
  ],
  [
    "begins later where its words stand at the end",
    "much stands before what we look for, which is the last word, a token",
    "…word, a [token]",
  ],
  [
    "breaks a word that is longer than a line",
    `${"x".repeat(40)} token`,
    `${"x".repeat(20)}\n    ${"x".repeat(20)} [token]`,
  ],
  [
    "begins in the middle of a long word to show what is marked in it",
    `${"x".repeat(90)}token${"x".repeat(90)}`,
    `…${"x".repeat(7)}[token]${"x".repeat(7)}\n    ${"x".repeat(25)}…`,
  ],
])("a passage %s", (_, text, expected) => {
  expect(fitPassage(text, marksOf(text, "token"), room, style)).toBe(expected);
});

test("fitPassage() shows the beginning of a match that is longer than its lines", () => {
  const text = `${"hay ".repeat(30)}needle${" hay".repeat(30)}`;
  const shown = fitPassage(text, [[120, text.length]], room, style);
  expect(shown).toBe("…hay hay [needle hay]\n    [hay hay hay hay hay hay]…");
});

test("fitPassage() keeps to its lines and shows a marked word, whatever the text", () => {
  const { int, pick } = createSeededRandom(7);
  const words = ["a", "token", "word", "漢字漢字", "👩‍👩‍👧", "x".repeat(50), "café", "e\u0301", "-"];
  words.push(`${"x".repeat(50)}token${"x".repeat(50)}`, `${"字".repeat(40)}token${"😀".repeat(40)}`);
  for (let run = 0; run < 500; run++) {
    const text = Array.from({ length: 1 + int(40) }, () => pick(words)).join(" ");
    const marks = marksOf(text, "token");
    const shown = fitPassage(text, marks, room, { match: (word) => word });
    const lines = shown.split("\n");
    expect(lines.length).toBeLessThanOrEqual(room.lines);
    lines.forEach((line, index) => {
      expect(displayWidth(line)).toBeLessThanOrEqual(room.width - (index === 0 ? room.first : 0));
    });
    if (marks.length > 0) expect(shown).toContain("token");
  }
});
