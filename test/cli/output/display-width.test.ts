import { describe, expect, test } from "vitest";
import { displayWidth, graphemesOf } from "../../../src/cli/output/text-width.ts";
import fc from "../../support/fc.ts";

describe("displayWidth()", () => {
  test.each([
    ["", 0, "nothing"],
    ["hello", 5, "ASCII"],
    ["naïve", 5, "a composed letter"],
    ["nai\u0308ve", 5, "a combining mark"],
    ["Привет", 6, "Cyrillic"],
    ["日本語", 6, "ideographs"],
    ["ｆｕｌｌ", 8, "full-width letters"],
    ["ｶﾅ", 2, "half-width kana"],
    ["カナ", 4, "kana"],
    ["한국어", 6, "Hangul syllables"],
    ["\u1112\u1161\u11ab", 2, "Hangul in conjoining letters"],
    ["、。", 4, "ideographic punctuation"],
    ["𠮷", 2, "an ideograph beyond the first plane"],
    ["क्षि", 2, "letters that Devanagari joins"],
    ["ไทย", 3, "Thai"],
    ["שלום", 4, "Hebrew"],
    ["😀", 2, "an emoji"],
    ["👍🏽", 2, "an emoji with a skin tone"],
    ["👨‍👩‍👧‍👦", 2, "emoji joined to a family"],
    ["🇩🇪🇫🇷", 4, "two flags"],
    ["❤️", 2, "a heart made emoji by a selector"],
    ["❤", 1, "a heart left text"],
    ["1️⃣", 2, "a keycap"],
    ["☃", 1, "a text symbol"],
    ["⌚", 2, "an emoji by default"],
    ["a\u200bb", 2, "a zero-width space"],
    ["a\u200db", 2, "a joiner between letters"],
    ["│ ─ …", 5, "box drawing and an ellipsis"],
    ["①", 1, "ambiguous width counts as narrow"],
    ["\u0007\u001b", 0, "control characters"],
    ["\ud800", 0, "half a surrogate pair"],
  ])("of %j is %i: %s", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test("is the sum over the characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const sum = [...graphemesOf(text)].reduce((total, each) => total + displayWidth(each), 0);
        expect(displayWidth(text)).toBe(sum);
      }),
    );
  });
});

describe("graphemesOf()", () => {
  test("splits as a segmenter does, also where it takes the short way", () => {
    const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
    const unit = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 2 }),
      fc.string({ unit: "binary", maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const text = parts.join("");
        expect([...graphemesOf(text)]).toEqual([...segmenter.segment(text)].map(({ segment }) => segment));
      }),
      { numRuns: 2000 },
    );
  });
});
