import { describe, expect, test } from "vitest";
import { pad } from "../../../src/cli/output/table.ts";

describe("pad()", () => {
  test.each([
    ["ab", 4, "left", "ab  "],
    ["ab", 4, "right", "  ab"],
    ["日本", 5, "left", "日本 "],
    ["wider", 3, "left", "wider"],
  ] as const)("fills %j to %i columns, %s", (text, width, align, expected) => {
    expect(pad(text, width, align)).toBe(expected);
  });
});
