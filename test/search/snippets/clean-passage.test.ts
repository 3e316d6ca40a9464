import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanPassage } from "../../../src/search/snippets/clean-passage.ts";

const ESCAPES = new Set([0x1b, 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f]);
const invisible = /[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]/u;

test("every character is shown, folded to a space, or left out", () => {
  const wrong: string[] = [];
  for (let unit = 0; unit < 0x10000; unit++) {
    if (ESCAPES.has(unit)) continue;
    const char = String.fromCharCode(unit);
    const shown = /\s/.test(char) ? " " : invisible.test(char) ? "" : unit >> 11 === 0x1b ? "\ufffd" : char;
    const { text } = cleanPassage(`a${char}b`, 0, 3);
    if (text !== `a${shown}b`) wrong.push(`${unit.toString(16)}: ${JSON.stringify(text)}`);
  }
  expect(wrong).toEqual([]);
});

test("a line starts after every kind of line end", () => {
  for (const end of ["\n", "\r", "\r\n", "\u2028", "\u2029"])
    expect([...cleanPassage(`a${end}b`, 0, 2 + end.length).lineStarts]).toEqual([2]);
  expect([...cleanPassage("a\tb", 0, 3).lineStarts]).toEqual([]);
});

test("unchanged characters are at the offset that at() returns, and offsets never decrease", () => {
  const signs = ["a", "B", "-", " ", "  ", "\n", "\t", "é", "😀", "\ud83d", "\u001b[31m", "\u0000", "漢"];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...signs), { maxLength: 40 }),
      fc.nat(10),
      fc.nat(10),
      (parts, a, b) => {
        const text = parts.join("");
        const from = Math.min(a, text.length);
        const to = Math.max(from, text.length - b);
        const passage = cleanPassage(text, from, to);
        const places = Array.from({ length: to - from + 1 }, (_, i) => passage.at(from + i));
        expect(places).toEqual(places.toSorted((x, y) => x - y));
        expect(places.at(-1)).toBe(passage.text.length);
        for (let index = from; index < to; index++) {
          const unit = text.charAt(index);
          if (/[aB漢é-]/.test(unit)) expect(passage.text.charAt(passage.at(index))).toBe(unit);
        }
      },
    ),
  );
});
