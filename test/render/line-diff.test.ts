import { describe, expect, test } from "vitest";
import { lineDiff } from "../../src/render/line-diff.ts";
import fc from "../support/fc.ts";

/** What `patch` would make of it, by the letter of the format. */
function patch(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const lines = diff.match(/[^\n]*\n/g) ?? [];
  let result = "";
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@\n$/.exec(line);
    if (hunk !== null) {
      const start = hunk[2] === "0" ? Number(hunk[1]) : Number(hunk[1]) - 1;
      while (at < start) result += old[at++];
      continue;
    }
    if (line.startsWith("\\")) continue;
    const text = lines[index + 1]?.startsWith("\\") ? line.slice(1, -1) : line.slice(1);
    if (line.startsWith("+")) result += text;
    else {
      expect(old[at++]).toBe(text);
      if (line.startsWith(" ")) result += text;
    }
  }
  return result + old.slice(at).join("");
}

describe("lineDiff()", () => {
  test.each<[string, string, string]>([
    ["a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"],
    ["", "a\n", "@@ -0,0 +1 @@\n+a\n"],
    ["a\n", "", "@@ -1 +0,0 @@\n-a\n"],
    ["a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"],
    ["1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n", "@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+x\n"],
    ["same\n", "same\n", ""],
  ])("%j to %j", (before, after, diff) => {
    expect(lineDiff(before, after)).toBe(diff);
  });

  test.each(["", "\n"])(
    "of long texts that have nothing in common leads from one to the other (end: %j)",
    (end) => {
      const text = (word: string): string =>
        Array.from({ length: 20_000 }, (_, n) => `${word} ${n}`).join("\n") + end;
      expect(patch(text("old"), lineDiff(text("old"), text("new")))).toBe(text("new"));
    },
  );

  test("leads from the one text to the other, whatever they are", () => {
    const text = fc.tuple(fc.array(fc.constantFrom("a", "b", "", "{"), { maxLength: 30 }), fc.boolean());
    const toText = ([lines, ends]: [string[], boolean]): string => lines.join("\n") + (ends ? "\n" : "");
    fc.assert(
      fc.property(text.map(toText), text.map(toText), (before, after) => {
        expect(patch(before, lineDiff(before, after))).toBe(after);
      }),
    );
  });
});
