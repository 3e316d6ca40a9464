import { describe, expect, test } from "vitest";
import { highlight } from "../../../src/cli/output/style.ts";

describe("highlight()", () => {
  const style = { match: (text: string) => `<${text}>` };

  test.each([
    ["one two", [[4, 7]], "one <two>"],
    [
      "one two",
      [
        [4, 7],
        [0, 3],
      ],
      "<one> <two>",
    ],
    [
      "overlap",
      [
        [0, 4],
        [2, 7],
      ],
      "<over><lap>",
    ],
    ["beyond", [[3, 99]], "bey<ond>"],
    ["none", [], "none"],
    ["empty", [[2, 2]], "empty"],
    ["a\x1b[31mred", [[6, 9]], "a<red>"],
  ] as const)("of %j at %j is %j", (text, ranges, expected) => {
    expect(highlight(text, ranges, style)).toBe(expected);
  });
});
