import { describe, expect, test } from "vitest";
import {
  cleanLine,
  cleanText,
  removed,
  mayLosePart as unitsMayLosePart,
} from "../../src/redact/clean-text.ts";
import { PADDING, unitsOf } from "../../src/redact/scan-signs.ts";
import fc from "../support/fc.ts";
import { hostileText } from "../support/hostile-session.ts";

describe("cleanText()", () => {
  test.each([
    ["plain text\twith a tab\nand 日本 👩‍💻", "plain text\twith a tab\nand 日本 👩‍💻"],
    ["\x1b[1;31mred\x1b[0m", "red"],
    ["\x1b]0;title\x07after", "after"],
    ["\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["torn \x1b]0;no end\nnext line", "torn \nnext line"],
    ["\x9b31mC1", "C1"],
    ["a\r\nb\rc\vd\fe\x85f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"],
    ["NUL\0 BEL\x07 DEL\x7f", "NUL BEL DEL"],
    ["gpj.\u202efdp", "gpj.fdp"],
    ["\ufeffBOM \u2066isolate\u2069", "BOM isolate"],
    [
      "no width\u200b, soft\u00ad, word\u2060, tag\u{e0041}, filler\u3164",
      "no width, soft, word, tag, filler",
    ],
    ["pass\u200dword, id\ufe0f", "password, id"],
    ["می\u200cخواهم ❤\ufe0f 👨\u200d👩\u200d👧", "می\u200cخواهم ❤\ufe0f 👨\u200d👩\u200d👧"],
    ["half \ud83d pair", "half \ufffd pair"],
    ["no character \uffff \u{1fffe}", "no character \ufffd \ufffd"],
  ])("of %j is %j", (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  test("leaves nothing that acts, and changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: "binary" })), (text) => {
        const clean = cleanText(text);
        expect(clean).not.toMatch(
          /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}\p{Surrogate}]/u,
        );
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });
});

test("cleanLine() has one line with single spaces", () => {
  expect(cleanLine("  a\r\n\t b\u2028c\x1b[0m  ")).toBe("a b c");
});

function mayLosePart(text: string): boolean {
  const units = unitsOf(text);
  return unitsMayLosePart(units, PADDING, PADDING + text.length);
}

describe("mayLosePart()", () => {
  test("is true for every character that is taken out, before and after any other", () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const text = `a${String.fromCodePoint(code)}b`;
      if (mayLosePart(text)) continue;
      if (text.replace(removed(), "") !== text) expect.fail(`U+${code.toString(16)} is taken out`);
    }
  });

  test("is true for any text from which something is removed", () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: "binary" })), (text) => {
        expect(mayLosePart(text) || text.replace(removed(), "") === text).toBe(true);
      }),
    );
  });

  test.each([
    ["a line end of Windows", "a\r\nb", false],
    ["an emoji", "a \u{1f680} b", false],
    ["a record separator alone in its line, as between the texts of a document", "a\n\x1e\nb", false],
    ["a record separator inside a word", "se\x1ecret", true],
    ["a zero-width space inside a word", "se\u200bcret", true],
  ])("of %s", (_, text, expected) => {
    expect(mayLosePart(text)).toBe(expected);
  });
});
