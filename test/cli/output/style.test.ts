import { describe, expect, test } from "vitest";
import { createStyle } from "../../../src/cli/output/style.ts";

describe("createStyle()", () => {
  test("paints on a terminal", () => {
    expect(createStyle(true).red("x")).toBe("\x1b[31mx\x1b[39m");
  });

  test("leaves text alone where colours are off, and paints no emptiness", () => {
    const { bold, match } = createStyle(false);
    expect([bold("x"), match("y"), createStyle(true).dim("")]).toEqual(["x", "y", ""]);
  });
});
