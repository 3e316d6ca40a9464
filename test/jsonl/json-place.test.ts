import { describe, expect, it } from "vitest";
import { findJsonBreak, findJsonValue } from "../../src/jsonl/json-place.ts";
import fc from "../support/fc.ts";

describe("findJsonBreak()", () => {
  it.each([
    ["", 1, 1, "the text ends too early"],
    ["{", 1, 2, "the text ends too early"],
    ["{\n  a: 1\n}", 2, 3, "a name in double quotes is missing"],
    ['{\n  "a": 1,\n}', 3, 1, "a name in double quotes is missing"],
    ['{"a" 1}', 1, 6, '":" is missing'],
    ['{"a": }', 1, 7, "a value is missing"],
    ['{"a": 1 "b": 2}', 1, 9, '"," or "}" is missing'],
    ["[1, 2", 1, 6, "the text ends too early"],
    ["[1 2]", 1, 4, '"," or "]" is missing'],
    ["[1,]", 1, 4, "a value is missing"],
    ["[01]", 1, 3, '"," or "]" is missing'],
    ['["a\nb"]', 1, 4, "the string is not closed"],
    ['["a\\x"]', 1, 4, "this escape is not valid"],
    ['["a', 1, 4, "the text ends too early"],
    ['{"a": 1} // why', 1, 10, "there is text after the end"],
    ["{} {}", 1, 4, "there is text after the end"],
    ["'a'", 1, 1, "a value is missing"],
    ['["😀" x]', 1, 6, '"," or "]" is missing'],
  ])("%j breaks at %i:%i", (text, line, column, what) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonBreak(text)).toEqual({ line, column, what });
  });

  it("finds nothing in what JSON.parse takes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        expect(findJsonBreak(JSON.stringify(value, null, indent))).toBeUndefined();
      }),
    );
  });

  it("finds a break in exactly those texts that JSON.parse refuses", () => {
    const pieces = fc.constantFrom(
      ...Array.from('{}[],:"\\\n 0-1.e+atrue'),
      "true",
      "null",
      '"a"',
      '"\\u00e4"',
      '"\\u00"',
      "1e5",
      "-0.1",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        expect(findJsonBreak(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it("survives a megabyte of one string, and ten thousand open brackets", () => {
    expect(findJsonBreak(`"${"\\n".repeat(500_000)}"`)).toBeUndefined();
    expect(findJsonBreak("[".repeat(10_000))).toMatchObject({ what: "it is nested too deeply" });
  });
});

describe("findJsonValue()", () => {
  const text = `{
  "search": { "limit": "ten" },
  "exclude": ["a", 7],
  "hooks": 3,
  "hooks": { "x": 1 }
}`;

  it.each([
    [["search", "limit"], 2, 24],
    [["exclude"], 3, 14],
    [["exclude", 1], 3, 20],
    [[], 1, 1],
    [["search", "missing"], 2, 13],
    [["nothing", "at", "all"], 1, 1],
    [["hooks"], 5, 12],
  ])("%j is at %i:%i", (path, line, column) => {
    expect(findJsonValue(text, path)).toEqual({ line, column });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
