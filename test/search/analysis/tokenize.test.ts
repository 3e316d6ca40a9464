import { expect, test } from "vitest";
import { isWeak } from "../../../src/search/analysis/stop-words.ts";
import { tokens } from "../../../src/search/analysis/token.ts";
import { scanTokens } from "../../../src/search/analysis/tokenize.ts";
import fc from "../../support/fc.ts";
import { eachTerm } from "../../support/index/terms-of.ts";

/** Terms that count as often as they occur, in order. */
function strongTerms(text: string): readonly string[] {
  const terms: string[] = [];
  eachTerm(text, (term) => {
    if (!isWeak(term)) terms.push(term);
  });
  return terms;
}

const line = fc.oneof(
  fc.constantFrom(
    "Run the tests of auth/token.ts:12, please",
    "C:\\temp\\logs and D:\\\\x",
    "it\\nsaid \\u001b[31mfailed",
    "naïve",
    "Foo::bar node:fs 12:30 a:b:c",
    "C++ and C# not c-d",
    "data:image/png;base64,iVBORw0KGgo",
    "検索機能 x 😀y",
    "2026-10-01T12:30:11.123Z ended",
    "sha512-LYV5Vn1aUwNsQ9xZ0b1T7q8R ok",
    "│ ─── don’t v1.2.3",
    "\u001b[1mbold",
  ),
  fc
    .array(fc.constantFrom("src", "core", "é", "a.b", "x1"), { minLength: 1, maxLength: 80 })
    .map((names) => names.join("/")),
);

test("a text of many lines has the terms of its lines", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 120 }), (lines) => {
      expect(strongTerms(lines.join("\n")).toSorted()).toEqual(lines.flatMap(strongTerms).toSorted());
    }),
    { numRuns: 60 },
  );
});

test("scanTokens() stops at the name where the visitor returns true", () => {
  const text = Array.from({ length: 1_000 }, (_, i) => `word${i}`).join(" ");
  for (const wanted of [1, 255, 256, 257, 999]) {
    const seen: string[] = [];
    scanTokens(text, tokens, (_token, start, end) => seen.push(text.slice(start, end)) === wanted);
    expect(seen).toEqual(text.split(" ").slice(0, wanted));
  }
});

test("scanTokens() visits every name of a long path, then its last two together", () => {
  const path = `${"a/".repeat(2_000)}token.ts`;
  const seen: string[] = [];
  scanTokens(path, tokens, (_token, start, end) => {
    seen.push(path.slice(start, end));
    return false;
  });
  expect(seen).toEqual([...path.split("/"), "a/token.ts"]);
});

test("scanTokens() scans a text of more than 65,536 characters, and one inside another", () => {
  const long = "word ".repeat(20_000);
  let outer = 0;
  let inner = 0;
  scanTokens(long, tokens, () => {
    if (outer++ % 5_000 === 0) scanTokens("one two/three", tokens, () => inner++ < 0);
    return false;
  });
  expect([outer, inner]).toEqual([20_000, 16]);
});

test.each([
  ["検索機能", ["検索", "索機", "機能", "能"]],
  ["𠮷野", ["𠮷野", "野"]],
  ["猫", ["猫"]],
])("scanTokens(%j) visits letters of a dense script in pairs, with their places", (text, expected) => {
  const seen: string[] = [];
  scanTokens(text, tokens, (_token, start, end) => {
    seen.push(text.slice(start, end));
    return false;
  });
  expect(seen).toEqual(expected);
});
