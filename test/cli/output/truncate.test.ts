import { describe, expect, test } from "vitest";
import { displayWidth, truncate } from "../../../src/cli/output/text-width.ts";
import fc from "../../support/fc.ts";

describe("truncate()", () => {
  test.each([
    ["short", 10, "end", "short"],
    ["exactly", 7, "end", "exactly"],
    ["a longer text", 8, "end", "a longe…"],
    ["日本語です", 6, "end", "日本…"],
    ["日本語です", 5, "end", "日本…"],
    ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "end", "👨‍👩‍👧‍👦…"],
    ["/home/me/projects/sessions/src/main.ts", 20, "middle", "/home/…s/src/main.ts"],
    ["/データ/プロジェクト/本.ts", 12, "middle", "/デ…ト/本.ts"],
    ["/home/me/src/main.ts", 12, "start", "…src/main.ts"],
    ["text", 1, "end", "…"],
    ["text", 0, "end", ""],
  ] as const)("of %j to %i at the %s is %j", (text, width, where, expected) => {
    expect(truncate(text, width, where)).toBe(expected);
  });

  test("is never wider than asked, and leaves what fits", () => {
    const where = fc.constantFrom("start" as const, "middle" as const, "end" as const);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), where, (text, width, at) => {
        const cut = truncate(text, width, at);
        expect(displayWidth(cut)).toBeLessThanOrEqual(width);
        if (displayWidth(text) <= width) expect(cut).toBe(text);
        else if (width > 0) expect(cut).toContain("…");
      }),
    );
  });
});
