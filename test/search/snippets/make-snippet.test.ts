import { expect, test } from "vitest";
import { makeSnippet, type Snippet } from "../../../src/search/snippets/make-snippet.ts";
import fc from "../../support/fc.ts";
import { eachTerm } from "../../support/index/terms-of.ts";

/** The snippet with its highlights in brackets. */
function marked(snippet: Snippet | undefined): string | undefined {
  if (snippet === undefined) return undefined;
  let text = "";
  let at = 0;
  for (const [start, end] of snippet.highlights) {
    text += `${snippet.text.slice(at, start)}[${snippet.text.slice(start, end)}]`;
    at = end;
  }
  return text + snippet.text.slice(at);
}

function terms(...words: readonly string[]): ReadonlySet<string> {
  return new Set(words);
}

const filler = "Nothing of interest is said here at all. ".repeat(40);

test.each([
  ["The tokens were refreshed today.", terms("token", "refresh"), "The [tokens] were [refreshed] today."],
  ["a call of getUserById(x)", terms("user"), "a call of get[User]ById(x)"],
  ["a call of getUserById(x)", terms("getuserbyid", "get", "user"), "a call of [getUserById](x)"],
  ["see src/auth/token.ts:12", terms("auth", "token"), "see src/[auth]/[token].ts:12"],
  ["see src/auth/token.ts:12", terms("authtokents"), "see src/[auth/token.ts]:12"],
  ["全文検索機能を使う", terms("検索", "索機", "機能"), "全文[検索機能]を使う"],
  ["ein Café.", terms("cafe"), "ein [Café]."],
  ["typo: tokne here", terms("tokn"), "typo: [tokne] here"],
  ["to be or not", terms("be", "not"), "to [be] or [not]"],
  ["line one\n\n\tline   two", terms("two"), "line one line [two]"],
  ["\u001b[31mred\u001b[0m alert\u0007\u0000!", terms("red", "alert"), "[red] [alert]!"],
  ["a \u202etoken\u202c b", terms("token"), "a [token] b"],
  ["👩‍💻 token 🎉", terms("token"), "👩‍💻 [token] 🎉"],
  ["half \ud83d token", terms("token"), "half \ufffd [token]"],
  ["nothing here", terms("token"), undefined],
  ["", terms("token"), undefined],
])("makeSnippet(%j) shows the words in their place", (text, wanted, expected) => {
  expect(marked(makeSnippet(text, wanted, { maxChars: 200 }))).toBe(expected);
});

test("makeSnippet() takes the passage with the most different words, not with the most words", () => {
  const text = `token token token token. ${filler}Then the refresh of the token failed. ${filler}`;
  expect(marked(makeSnippet(text, terms("token", "refresh"), { maxChars: 80 }))).toBe(
    "…Then the [refresh] of the [token] failed. Nothing of interest is said here at all.…",
  );
});

test("makeSnippet() prefers the passage that has the phrase", () => {
  const text = `The code of the exit. ${filler}It ended with exit code 137. ${filler}`;
  const snippet = makeSnippet(text, terms("exit", "code"), { maxChars: 60, phrases: ["exit code"] });
  expect(marked(snippet)).toContain("It ended with [exit code] 137.");
});

test("makeSnippet() starts and ends at words if there is no sentence", () => {
  const text = `${"alpha beta gamma ".repeat(50)}token ${"delta epsilon ".repeat(50)}`;
  const snippet = makeSnippet(text, terms("token"), { maxChars: 70 });
  expect(marked(snippet)).toMatch(/^…(alpha|beta|gamma) .*\[token\] .*(delta|epsilon)…$/);
});

test("makeSnippet() uses the room before the words if the text ends after them", () => {
  const snippet = makeSnippet(`${filler}The last word is token`, terms("token"), { maxChars: 120 });
  expect(snippet?.text.length).toBeGreaterThan(80);
  expect(snippet?.text.endsWith("The last word is token")).toBe(true);
});

test("makeSnippet() shows as much of indented code as of prose", () => {
  const text =
    `${" ".repeat(30)}one();\n`.repeat(20) +
    `${" ".repeat(30)}token();\n` +
    `${" ".repeat(30)}two();\n`.repeat(20);
  const snippet = makeSnippet(text, terms("token"), { maxChars: 100 });
  expect(snippet?.text.length).toBeGreaterThan(80);
  expect(snippet?.text).not.toMatch(/\s\s/);
});

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."token refresh getUserById src/auth/token.ts 検索機能 👩‍💻 𠮷𠮷 Cafe\u0301 . \n \t \u001b[31m \ud83d \u0000".split(
          " ",
        ),
      ),
      fc.constantFrom(" ", "  "),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 120 },
  )
  .map((parts) => parts.join(""));

test("makeSnippet() returns offsets inside its text, in order, and no control characters, for any text", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 90 }), fc.nat(), (text, maxChars, pick) => {
      const found: string[] = [];
      eachTerm(text, (term) => found.push(term));
      const wanted = new Set([found[pick % Math.max(1, found.length)] ?? "token", "refresh", "検索"]);
      const snippet = makeSnippet(text, wanted, { maxChars, phrases: ["token refresh"] });
      if (found.some((term) => wanted.has(term))) expect(snippet).toBeDefined();
      if (snippet === undefined) return;
      expect(snippet.text.length).toBeLessThanOrEqual(maxChars + 2);
      expect(snippet.text).not.toMatch(/[\p{Cc}\u202e]|\s\s/u);
      expect(snippet.text).not.toMatch(/\p{Surrogate}/u);
      let last = 0;
      for (const [start, end] of snippet.highlights) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
        expect(snippet.text.slice(start, end)).not.toMatch(/\p{Surrogate}/u);
      }
      expect(last).toBeLessThanOrEqual(snippet.text.length);
    }),
    { numRuns: 300 },
  );
});

test("makeSnippet() shows at least one of the words if they fit", () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), fc.integer({ min: 20, max: 200 }), (before, after, maxChars) => {
      const text = `${"some words ".repeat(before)}token ${"more words ".repeat(after)}`;
      expect(marked(makeSnippet(text, new Set(["token"]), { maxChars }))).toContain("[token]");
    }),
  );
});
