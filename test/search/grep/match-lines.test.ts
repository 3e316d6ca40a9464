import { describe, expect, test } from "vitest";
import { linesAround, matchLines } from "../../../src/search/grep/make-hits.ts";
import fc from "../../support/fc.ts";

const found = (text: string, regex: RegExp) =>
  matchLines(text, regex).map(({ start, end, ranges, matches }) => ({
    line: text.slice(start, end),
    marked: ranges.map(([from, to]) => text.slice(from, to)),
    matches,
  }));

describe("matchLines()", () => {
  test("reports matches on one line together", () => {
    expect(found("a b\nb b\nc", /b/g)).toEqual([
      { line: "a b", marked: ["b"], matches: 1 },
      { line: "b b", marked: ["b", "b"], matches: 2 },
    ]);
  });

  test("reports a match over several lines with all of them", () => {
    expect(found("one two\nthree four\nfive", /two\nthree/g)).toEqual([
      { line: "one two\nthree four", marked: ["two\nthree"], matches: 1 },
    ]);
  });

  test("puts a line end with the line that it ends", () => {
    expect(found("a\n\nb", /\n/g).map(({ line }) => line)).toEqual(["a", ""]);
  });

  test.each([/x*/g, /x*/gu, /^/gm, /$/gmu])("takes no empty match of %s", (regex) => {
    expect(matchLines("a😀b\n\nc", regex)).toEqual([]);
  });

  test("counts matches that it keeps no range of", () => {
    const [line] = matchLines("a".repeat(1_000), /a/g);
    expect(line?.matches).toBe(1_000);
    expect(line?.ranges.length).toBeLessThan(1_000);
  });

  test("counts as many matches as the engine finds, on lines that hold them", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "\n", "😀"), { maxLength: 60 })
      .map((chars) => chars.join(""));
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(/a/gu, /ab+/gu, /[^b]a/gu, /a\n/gu, /\n+/gu, /.$/gmu),
        (searched, regex) => {
          const lines = matchLines(searched, regex);
          const expected = [...searched.matchAll(regex)].filter(([match]) => match !== "").length;
          expect(lines.reduce((sum, { matches }) => sum + matches, 0)).toBe(expected);
          for (const [index, { start, end, ranges }] of lines.entries()) {
            expect(start === 0 || searched[start - 1] === "\n").toBe(true);
            expect(end === searched.length || searched[end] === "\n").toBe(true);
            expect(start).toBeGreaterThanOrEqual(lines[index - 1]?.end ?? 0);
            for (const [from, to] of ranges) expect(from >= start && to <= end + 1).toBe(true);
          }
        },
      ),
    );
  });
});

describe("linesAround()", () => {
  test.each<[number, readonly string[], readonly string[]]>([
    [0, [], []],
    [1, ["b"], ["d"]],
    [9, ["a", "b"], ["d", "e"]],
  ])("returns %i lines on both sides, as far as there are any", (count, before, after) => {
    const text = "a\nb\nc\nd\ne\n";
    const around = linesAround(text, 4, 5, count);
    expect(around.before.map(([from, to]) => text.slice(from, to))).toEqual(before);
    expect(around.after.map(([from, to]) => text.slice(from, to))).toEqual(after);
  });
});
