import { expect, test } from "vitest";
import { scanTokens } from "../../../src/search/analysis/scan-tokens.ts";
import { weakId } from "../../../src/search/analysis/weak-terms.ts";
import fc from "../../support/fc.ts";
import { eachTerm } from "../../support/index/terms-of.ts";

/** Terms that count as often as they occur, in order. */
function strongTerms(text: string): readonly string[] {
  const terms: string[] = [];
  eachTerm(text, (term) => {
    if (weakId(term) < 0) terms.push(term);
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

test("a text of many lines has the terms of its lines, however many names are read at a time", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 120 }), (lines) => {
      expect(strongTerms(lines.join("\n"))).toEqual(lines.flatMap(strongTerms));
    }),
    { numRuns: 60 },
  );
});

test("scanning stops at the name where the visitor has enough", () => {
  const text = Array.from({ length: 1_000 }, (_, i) => `word${i}`).join(" ");
  for (const wanted of [1, 255, 256, 257, 999]) {
    const seen: string[] = [];
    scanTokens(text, (_token, start, end) => seen.push(text.slice(start, end)) === wanted);
    expect(seen).toEqual(text.split(" ").slice(0, wanted));
  }
});

test("a path longer than what is read at a time ends with a pair of its last two names", () => {
  const path = `${"a/".repeat(2_000)}token.ts`;
  const seen: string[] = [];
  scanTokens(path, (_token, start, end) => {
    seen.push(path.slice(start, end));
    return false;
  });
  expect(seen).toEqual([...path.split("/"), "a/token.ts"]);
});
