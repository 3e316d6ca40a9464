import { expect, test } from "vitest";
import { matchText } from "../../../src/cli/output/search-hits.ts";
import { parseQuery } from "../../../src/search/query/parse-query.ts";

test.each([
  ["token", { match: "all", total: 108, ranked: 113 }, ", and 5 that nearly match"],
  ["token agent:pi", { match: "all", total: 108, ranked: 109 }, ", and 1 that nearly matches"],
  ["token refresh", { match: "all", total: 108, ranked: 113 }, ", and 5 with some of the words"],
  ["tokne", { match: "fuzzy", total: 3, ranked: 3 }, ", with prefixes or typos"],
  ["token", { match: "all", total: 3, ranked: 3 }, ""],
] as const)("matchText() of %s with %o", (query, answer, says) => {
  expect(matchText(answer, parseQuery(query))).toBe(says);
});
