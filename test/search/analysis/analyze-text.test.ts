import { expect, test } from "vitest";
import { eachTerm } from "../../support/index/terms-of.ts";

function terms(text: string): readonly string[] {
  const found: string[] = [];
  eachTerm(text, (term) => found.push(term));
  return found;
}

const ESC = "\u001b";

test.each([
  ["The tokens were refreshed", ["the", "token", "were", "refresh"]],
  ["FAILED Failed failed", ["fail", "fail", "fail"]],
  // Names: whole and in parts, whatever joins them.
  ["getUserById", ["getuserbyid", "get", "user", "id", "by"]],
  ["get_user_by_id", ["getuserbyid", "get", "user", "id", "by"]],
  ["get-user-by-id", ["getuserbyid", "get", "user", "id", "by"]],
  ["HTTPServer", ["httpserver", "http", "server"]],
  ["userIDs", ["userids", "user", "id"]],
  ["auth0Client", ["auth0client", "auth0", "auth", "client"]],
  ["ERR_MODULE_NOT_FOUND", ["errmodulenotfound", "err", "modul", "find", "not"]],
  ["__init__", ["init"]],
  ["user.settings", ["usersettings", "user", "setting"]],
  ["--no-verify", ["noverify", "verify", "no"]],
  // Paths: every name, and the last two together.
  ["src/auth/token.ts", ["src", "auth", "tokents", "token", "ts", "authtokents"]],
  ["/home/me/x.md", ["home", "xmd", "md", "mexmd", "me", "x"]],
  ["@scope/pkg", ["scope", "pkg", "scopepkg"]],
  ["node:fs", ["node", "fs", "nodefs"]],
  ["Foo::bar", ["foo", "bar", "foobar"]],
  ["C:\\Users\\new", ["user", "new", "usersnew", "c"]],
  ["file.ts:12:5", ["filets", "file", "ts", "12", "5"]],
  ["a\\nb", ["a", "b"]],
  ["https://github.com/a/b", ["https", "githubcom", "github", "com", "ab", "a", "b"]],
  ["token.ts-120-refresh", ["tokents", "token", "ts", "refresh", "120"]],
  // Codes and numbers.
  ["E2BIG", ["e2big"]],
  ["TS2345", ["ts2345"]],
  ["5e12", ["5e12"]],
  ["v2.1.240 2.1.240", ["2.1.240", "2.1.240"]],
  ["192.168.1.1", ["192.168.1.1"]],
  ["10-20", ["10-20", "10", "20"]],
  ["oauth2", ["oauth2", "oauth"]],
  ["#123", ["123"]],
  ["C++ c# F#", ["c++", "c#", "f#"]],
  ["2026-10-01T12:34:56.789Z next", ["2026-10-01", "next"]],
  // Apostrophes.
  ["it's the user’s", ["it", "the", "user"]],
  ["don't don’t", ["dont"]],
  ["l'homme", ["lhomme", "homm", "l"]],
  // One word, although it has a hump.
  ["JavaScript GitHub iOS", ["javascript", "github", "ios"]],
  // Other alphabets.
  ["Café CAFÉ cafe\u0301", ["cafe", "cafe", "cafe"]],
  ["Ёлка елка йод", ["елка", "елка", "йод"]],
  ["Straße STRASSE", ["strass", "strass"]],
  ["ＡＢＣ ﬁle", ["abc", "file"]],
  ["ΟΔΟΣ οδος", ["οδοσ", "οδοσ"]],
  ["検索機能", ["検索", "索機", "機能", "能"]],
  ["猫", ["猫"]],
  ["React組件", ["react", "組件", "件"]],
  ["ｶﾞｲﾄﾞ ガイド", ["ガイ", "イド", "ド", "ガイ", "イド", "ド"]],
  ["한국어", ["한국", "국어", "어"]],
  ["한국".normalize("NFD"), ["한국", "국"]],
  ["soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]],
  // What says nothing.
  ["🎉👩‍💻 ✔️ → │", []],
  [`${ESC}[31mred${ESC}[0m ${ESC}]0;title\u0007x`, ["red", "x"]],
  ["\\u001b[31mred\\u001b[0m", ["red"]],
  ["\u0000nul\u0007bell", ["nul", "bell"]],
  ["da39a3ee5e6b4b0d3255bfef95601890afd80709", ["da39a3ee"]],
  ["550e8400-e29b-41d4-a716-446655440000.jsonl", ["550e8400", "jsonl"]],
  ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", []],
  ["eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", []],
  ["x".repeat(65), []],
  [
    `data:image/png;base64,${"AAAA/BBB+".repeat(30)}== end`,
    ["data", "imag", "png", "imagepng", "base64", "base", "end"],
  ],
])("analyzeText(%j)", (text, expected) => {
  expect(terms(text).toSorted()).toEqual([...expected].sort());
});

test("analyzeText() returns words as often as they occur, stop words and short numbers once", () => {
  expect(terms("the cat and the cat at 5 and 5 and 12345 and 12345")).toEqual([
    "the",
    "cat",
    "cat",
    "and",
    "at",
    "5",
    "12345",
    "12345",
  ]);
});

test("analyzeText() leaves out a block of base64, but not the path after a hash", () => {
  const block = "kJx3Qf9ZpL0aB7cD+eF1gH2iJ/".repeat(12);
  expect(terms(`${block} end`)).toEqual(["end"]);
  expect(terms("cache/kJx3Qf9ZpL0aB7cDeF1g/index.ts")).toContain("indexts");
});

test("analyzeText() stops giving terms from a text without end", () => {
  let count = 0;
  eachTerm("word ".repeat(400_000), () => count++);
  expect(count).toBe(300_000);
});

test("analyzeText() may be called while it is giving terms", () => {
  const found: string[] = [];
  eachTerm("the outer", (term) => {
    found.push(term);
    if (term === "the") eachTerm("the inner", (inner) => found.push(inner));
  });
  expect(found).toEqual(["the", "the", "inner", "outer"]);
});
