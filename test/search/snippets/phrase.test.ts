import { expect, test } from "vitest";
import { containsPhrase, createPhraseFinder, phraseSpans } from "../../../src/search/snippets/phrase.ts";
import fc from "../../support/fc.ts";

test.each([
  ["the token refresh failed", "token refresh", true],
  ["the refresh token failed", "token refresh", false],
  ["the token\n  refresh failed", "token refresh", true],
  ["**token** _refresh_", "token refresh", true],
  ["tokens refreshed", "token refresh", true],
  ["a token for refresh", "token refresh", false],
  ["exit with code", "exit code", false],
  ["to be or not to be", "not to be", true],
  ["to be or not to be", "not be", false],
  ["getUserById", "user by id", true],
  ["get user by id", "getUserById", true],
  ["src/auth/token.ts", "auth token", true],
  ["don’t panic", "don't panic", true],
  ["全文検索機能", "検索機", true],
  ["検索と機能", "検索機能", false],
  ["Café au lait", "cafe AU lait", true],
  // A false start must not hide a true one.
  ["a a a b", "a a b", true],
  ["x x y x x y x z", "x x y x z", true],
  ["token", "token refresh", false],
  ["", "token", false],
  ["a => b", "=>", true],
  ["a -> b", "=>", false],
  ["anything", "", false],
])("containsPhrase(%j, %j) is %s", (text, phrase, expected) => {
  expect(containsPhrase(text, phrase)).toBe(expected);
});

test("createPhraseFinder() returns the places of a phrase, as many as requested", () => {
  const find = createPhraseFinder("exit code");
  const text = "exit code, Exit  code; exit-code";
  expect(find(text, 10).map(([start, end]) => text.slice(start, end))).toEqual([
    "exit code",
    "Exit  code",
    "exit-code",
  ]);
  expect(find(text, 1)).toEqual([[0, 9]]);
});

test("containsPhrase() finds any words in a row that were copied from a text", () => {
  const word = fc.constantFrom(..."token a refresh the b getUser exit 検索 code 42".split(" "));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(), fc.nat(), (words, from, count) => {
      const start = from % words.length;
      const phrase = words.slice(start, start + 1 + (count % words.length)).join(" ");
      expect(containsPhrase(words.join(" "), phrase)).toBe(true);
    }),
  );
});

test.each([
  ["It ended with Exit\n  code 137.", "exit code", ["Exit\n  code"]],
  ["mexit code, exit code", "exit code", ["exit code"]],
  ["a (b) [c] a (b) [c]", "(b) [c]", ["(b) [c]", "(b) [c]"]],
  ["the cafe\u0301 exit", "café exit", ["cafe\u0301 exit"]],
  ["nothing", " ", []],
])("phraseSpans(%j, %j) is %j", (text, phrase, expected) => {
  expect(phraseSpans(text, phrase, 10).map(([from, to]) => text.slice(from, to))).toEqual(expected);
});
