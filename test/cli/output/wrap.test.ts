import { describe, expect, test } from "vitest";
import { displayWidth, wrap, wrapMessage } from "../../../src/cli/output/text-width.ts";
import fc from "../../support/fc.ts";

describe("wrap()", () => {
  test.each([
    ["one two three", { width: 7 }, "one two\nthree"],
    ["one\n\ntwo", { width: 7 }, "one\n\ntwo"],
    ["one two", { width: 7, indent: "  " }, "  one\n  two"],
    ["one two", { width: 7, indent: "  ", firstIndent: "- " }, "- one\n  two"],
    ["abcdefghij", { width: 4 }, "abcd\nefgh\nij"],
    ["see abcdefghij", { width: 5 }, "see\nabcde\nfghij"],
    ["see abcdefghij x", { width: 5, keepWords: true }, "see\nabcdefghij\nx"],
    ["日本語 です", { width: 6 }, "日本語\nです"],
    ["  - kept in the list", { width: 12 }, "  - kept in\n    the list"],
    ["10. kept in the list", { width: 12 }, "10. kept in\n    the list"],
    ["- a word", { width: 5 }, "- a\nword"],
    ["| a  | b |\n| aa | b |", { width: 12 }, "| a  | b |\n| aa | b |"],
    ["\tif (a) {\n\t\tb();", { width: 12 }, "    if (a) {\n        b();"],
    ["a  b  c", { width: 4 }, "a b\nc"],
    ["", { width: 5 }, ""],
  ])("of %j in %j is %j", (text, options, expected) => {
    expect(wrap(text, options)).toBe(expected);
  });

  test("keeps every word and no line is too wide", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 30 }), fc.integer({ min: 12, max: 40 }), (text, width) => {
        const wrapped = wrap(text, { width });
        expect(wrapped.split(/\s+/)).toEqual(text.split(/\s+/));
        for (const line of wrapped.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe("wrapMessage()", () => {
  test.each([
    ["one two `three four` five", 12, "one two\n  `three four`\n  five"],
    ["cannot read /a/very/long/path", 12, "cannot\n  read\n  /a/very/long/path"],
    ["first\nsecond line", 8, "first\nsecond\n  line"],
    ["one two three four", undefined, "one two three four"],
  ])("of %j in %j columns is %j", (text, width, expected) => {
    expect(wrapMessage(text, width)).toBe(expected);
  });
});
