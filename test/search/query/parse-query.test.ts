import { expect, test } from "vitest";
import { type ParsedQuery, parseFields, parseQuery } from "../../../src/search/query/parse-query.ts";
import fc from "../../support/fc.ts";

/** One string per word and filter: -phrase"a b", word*, field=value. */
function shown({ words, filters }: ParsedQuery): readonly string[] {
  return [
    ...words.map(
      ({ kind, text, isNegated, isPrefix }) =>
        `${isNegated ? "-" : ""}${kind === "phrase" ? `"${text}"` : text}${isPrefix ? "*" : ""}`,
    ),
    ...filters.map(({ field, value, isNegated }) => `${isNegated ? "-" : ""}${field}=${value}`),
  ];
}

test.each([
  ["token refresh", ["token", "refresh"]],
  ['"exit code 137" docker', ['"exit code 137"', "docker"]],
  [
    "“exit code” „foo bar“ «a b» 「検索 機能」する",
    ['"exit code"', '"foo bar"', '"a b"', '"検索 機能"', "する"],
  ],
  ['“mixed quotes"', ['"mixed quotes"']],
  ["-word", ["-word"]],
  ['-"two words"', ['-"two words"']],
  ["-project:shop -in:branch", ["-project=shop", "-in=branch"]],
  ["--no-verify", ["--no-verify"]],
  ["exit code -1 and -1.5", ["exit", "code", "-1", "and", "-1.5"]],
  ["a -b1", ["a", "-b1"]],
  ["cat -猫", ["cat", "-猫"]],
  ["pre* getUs*", ["pre*", "getUs*"]],
  ["* ** - --", ["-", "--"]],
  ["project:shop file:src/*.ts", ["project=shop", "file=src/*.ts"]],
  ['PROJECT:"my shop" cmd:"git push"', ["project=my shop", "cmd=git push"]],
  ["agent:pi agent:claude", ["agent=pi", "agent=claude"]],
  ["foo:bar node:fs https://x.org/y file:///etc", ["foo:bar", "node:fs", "https://x.org/y", "file:///etc"]],
  ["error: cannot find module", ["error:", "cannot", "find", "module"]],
  ["since:7d until:2026-10-01", ["since=7d", "until=2026-10-01"]],
  ["since:last week token", ["token", "since=last week"]],
  ["since:3 days ago x", ["x", "since=3 days ago"]],
  ['since:"last month" x', ["x", "since=last month"]],
  ["until:2026-10-01 12:30 x", ["x", "until=2026-10-01 12:30"]],
  ["since:jul 20 x", ["x", "since=jul 20"]],
  ["since:20th july, 2026 until:march 2027 x", ["x", "since=20th july, 2026", "until=march 2027"]],
  ["since:last march 5 x", ["5", "x", "since=last march"]],
  ["since:july x", ["x", "since=july"]],
  ["since:30 minutes ago x", ["x", "since=30 minutes ago"]],
  ["since:last x", ["x", "since=last"]],
  ["5e12 0x1F 1_000", ["5e12", "0x1F", "1_000"]],
  ["don't it's", ["don't", "it's"]],
  ['a "not closed', ["a", "not", "closed"]],
  ['project:"not closed', ["not", "closed"]],
  ['5" 6"x', ['5"', '6"x']],
  ['"" "   " -""', []],
  ["tab\tnew\nline\u0000nul\u3000wide", ["tab", "new", "line", "nul", "wide"]],
  ["", []],
])("parseQuery(%j)", (query, expected) => {
  expect([...shown(parseQuery(query))].sort()).toEqual([...expected].sort());
});

test.each<[readonly string[], readonly string[], readonly string[]]>([
  [['branch:"main"', "token"], ["branch=main"], ["token"]],
  [["project:my shop", "fix it"], ["project=my shop"], ["fix it"]],
  [['title:"Fix Gemini" agent:“pi”'], ["title=Fix Gemini", "agent=pi"], []],
  [['since:"jul 20"', "until:last week"], ["since=jul 20", "until=last week"], []],
  [["since:jul", "20", "cart"], ["since=jul 20"], ["cart"]],
  [["Agent:pi", 'branch:""', "node:fs", "error:"], ["agent=pi"], ["node:fs", "error:"]],
])("parseFields(%j)", (given, fields, words) => {
  const found = parseFields(given);
  expect(found.fields.map(({ field, value }) => `${field}=${value}`)).toEqual(fields);
  expect(found.words).toEqual(words);
});

test("parseQuery() reads a single letter after a dash as a flag, not as an excluded word", () => {
  const { words } = parseQuery("claude -p, git log -p -1 -word");
  expect(words.filter(({ isNegated }) => isNegated).map(({ text }) => text)).toEqual(["word"]);
});

test("parseQuery() joins the words of a command line", () => {
  expect(shown(parseQuery(['"token', 'refresh"', "project:x"]))).toEqual(['"token refresh"', "project=x"]);
});

test.each([
  ['a "b', /quote is not closed/],
  ["word ".repeat(300), /first 200 words/],
  ["x".repeat(20_000), /first 10000 characters/],
])("parseQuery() warns if it reads something differently than typed", (query, warning) => {
  expect(parseQuery(query).warnings.join("\n")).toMatch(warning);
});

test("parseQuery() does not warn about what it understands", () => {
  expect(parseQuery('token "exit code" -x pre* project:"my shop" since:7d').warnings).toEqual([]);
});

test("parseQuery() answers any text, and loses no word of letters", () => {
  const piece = fc.constantFrom(
    ...'" “ ” - -- * : project: since: in:x word 7d last week \n \u0000 \ud800 猫'.split(" "),
    " ",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ unit: "binary" })), { maxLength: 40 }), (pieces) => {
      const { words, filters } = parseQuery(pieces.join(""));
      for (const { text } of words) expect(text).not.toBe("");
      for (const { value } of filters) expect(value).not.toBe("");
      const kept = [...words.map(({ text }) => text), ...filters.map(({ value }) => value)].join(" ");
      if (pieces.includes("word")) expect(kept).toContain("word");
    }),
  );
});
