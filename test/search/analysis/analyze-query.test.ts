import { expect, test } from "vitest";
import { analyzePrefix, analyzeQuery, type QueryTerm } from "../../../src/search/analysis/analyze-query.ts";

/** `[whole] | [part part beginning*]` for each word. */
function shown(words: readonly QueryTerm[]): readonly string[] {
  return words.map(({ any }) =>
    any
      .map(({ all, prefix }) => `[${[...all, ...(prefix === undefined ? [] : [`${prefix}*`])].join(" ")}]`)
      .join(" | "),
  );
}

test.each([
  ["token refresh", ["[token]", "[refresh]"]],
  ["running", ["[running] | [run]"]],
  ["getUserById", ["[getuserbyid] | [get user id]"]],
  ["get_user_by_id", ["[getuserbyid] | [get user id]"]],
  ["user.name", ["[username] | [usernam] | [user name]"]],
  ["username", ["[username] | [usernam]"]],
  ["auth/token.ts", ["[authtokents] | [auth token ts]"]],
  ["src/auth/token.ts", ["[src authtokents] | [src auth token ts]"]],
  ["ERR_MODULE_NOT_FOUND", ["[errmodulenotfound] | [err modul find]"]],
  ["E2BIG", ["[e2big]"]],
  ["TS2345", ["[ts2345]"]],
  ["v2.1.240", ["[2.1.240]"]],
  ["5e12", ["[5e12]"]],
  ["C++", ["[c++]"]],
  ["#123", ["[123]"]],
  ["--no-verify", ["[noverify] | [verify]"]],
  ["node:fs", ["[nodefs] | [node fs]"]],
  ["@scope/pkg", ["[scopepkg] | [scope pkg]"]],
  ["jo.doe@example.com", ["[jodoe] | [jo doe]", "[examplecom] | [exampl com]"]],
  ["https://github.com/a-b/c", ["[github com abc] | [github com]"]],
  ["token.ts:12:5", ["[tokents] | [tokent] | [token ts]"]],
  ["x-axis", ["[xaxis] | [axis]"]],
  ["da39a3e", ["[da39a3e*] | [da39a3e]"]],
  ["da39a3ee5e6b4b", ["[da39a3ee*] | [da39a3ee5e6b4b]"]],
  ["猫", ["[猫*]"]],
  ["検索機能", ["[検索 索機 機能]"]],
  ["React組件", ["[react]", "[組件]"]],
  // Stop words count where there is nothing else.
  ["the token of it", ["[token]"]],
  ["it's", ["[it]"]],
  ["to be or not to be", ["[to]", "[be]", "[or]", "[not]"]],
  ["toBe", ["[tobe] | [to be]"]],
  // Twice the same is once.
  ["token Tokens", ["[tokens] | [token]"]],
  ["🎉 →", []],
  ["", []],
])("analyzeQuery(%j)", (query, expected) => {
  expect(shown(analyzeQuery(query))).toEqual(expected);
});

test.each([
  ["runni", "[runni*] | [runny] | [run]"],
  ["delete", "[delete*] | [delet]"],
  ["tri", "[tri*] | [try]"],
  ["getUs", "[getus*] | [get us*]"],
  ["auth/tok", "[authtok*] | [auth tok*]"],
  ["src/auth/tok", "[src authtok*] | [src auth tok*]"],
  ["v2.1", "[2.1*]"],
  ["猫", "[猫*]"],
  ["検索機", "[検索 索機]"],
])("analyzePrefix(%j)", (query, expected) => {
  expect(shown(analyzePrefix(query))).toEqual([expected]);
});

test.each([
  ["refresh", true],
  ["getUserById", true],
  ["404", false],
  ["E2BIG", false],
  ["api", false],
  ["検索", false],
])("analyzeQuery(%j) says whether typos are tolerated: %s", (query, expected) => {
  expect(analyzeQuery(query).map((word) => word.isTolerant)).toEqual([expected]);
});

test("analyzeQuery() keeps what was typed", () => {
  expect(analyzeQuery("the getUserById(x)").map((word) => word.text)).toEqual(["getUserById", "x"]);
});

test.each([
  [
    "could you please show me where we did that migration once more, and why it wasn't on both",
    ["show", "migration"],
  ],
  ["which of these timeouts couldn't be the same as those I had before, if theres any", ["timeouts"]],
  ["who was it that shouldn't have been doing a rollback again after all, and whose", ["rollback"]],
  [
    "what has the cache to do with its own keys when it can't or won't hold them, nor each other",
    ["cache", "keys", "hold"],
  ],
  [
    "how does he do her or his part himself, so that she has hers to herself and they theirs to themselves",
    ["part"],
  ],
  [
    "is this about us, our docs, ours, or your docs, yours, for yourself or yourselves, and not for ourselves or myself",
    ["docs"],
  ],
  [
    "an index isn't just over there, it is also above, below, under, between, against, through, up, down, in, into, out, off, at, by and from here",
    ["index"],
  ],
  [
    "because I am very few and might be too late now, until some such thing itself must be, lets only see while we can",
    ["late", "thing", "see"],
  ],
  [
    "did they, who weren't and aren't being asked, and whom their lead hasn't, hadn't, haven't, doesn't, didn't, don't, wouldn't",
    ["asked", "lead"],
  ],
  [
    "then shall my patch, more than most, cannot go further during having no other; thats for him, but would they were with you and are you will should",
    ["patch", "go"],
  ],
])("analyzeQuery(%j) looks only for what the question is about", (question, about) => {
  expect(analyzeQuery(question).map((word) => word.text)).toEqual(about);
});
