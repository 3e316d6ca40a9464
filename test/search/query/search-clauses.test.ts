import { expect, test } from "vitest";
import { parseQuery } from "../../../src/search/query/parse-query.ts";
import { searchClauses } from "../../../src/search/query/search-clauses.ts";
import { noFilter } from "../../../src/search/query/session-filter.ts";
import type { Clause } from "../../../src/search/ranking/search-plan.ts";

function shown(clause: Clause): string {
  if (clause.kind === "any") return `(${clause.of.map(shown).join(" | ")})`;
  if (clause.kind === "phrase") return `"${clause.terms.join(" ")}"`;
  const fields = clause.fields === undefined ? "" : `${clause.fields.join(",")}:`;
  return `${fields}${clause.terms.join("+")}${clause.prefix === true ? "*" : ""}`;
}

test.each([
  ["token refresh", ["token", "refresh"], []],
  ["the token", ["token"], []],
  ["to be", ["to", "be"], []],
  ['the "token refresh"', ['"token refresh"'], []],
  // Each rules out texts that would have to be read.
  ['"is there work for this"', ['"is there work for this"'], []],
  // Not indexed: a query of nothing else must not find everything.
  ["0123456789abcdef0123456789abcdef0123", ["0123456789abcdef0123456789abcdef0123"], []],
  ['"0123456789abcdef0123456789abcdef0123"', ["0123456789abcdef0123456789abcdef0123"], []],
  ["token 0123456789abcdef0123456789abcdef0123", ["token"], []],
  ['"木"', ["木*"], []],
  ["+++", [], []],
  ["\u001b[31mtoken\u001b[39m", ["token"], []],
  ["running", ["(running | run)"], []],
  ["user.id", ["(userid | user+id)"], []],
  ["toke*", ["toke*"], []],
  ["a -refresh", ["a"], ["refresh"]],
  // A name is excluded as a whole, not if its parts are scattered over a text.
  ["-getUserById", [], ["getuserbyid"]],
  ["-running", [], ["running", "run"]],
  ['-"exit code"', [], ['"exit code"']],
])("searchClauses() of %j wants %j and not %j", (query, wanted, excluded) => {
  const found = searchClauses(parseQuery(query), noFilter);
  expect(found.clauses.map(shown)).toEqual(wanted);
  expect(found.excluded.map(shown)).toEqual(excluded);
});

test("searchClauses() requires the words of a field in that field, and any one of several values", () => {
  const one = searchClauses(parseQuery(""), { ...noFilter, commands: ["git push"] });
  expect(one.narrowing?.map(shown)).toEqual(["command:git", "command:push"]);
  const two = searchClauses(parseQuery(""), { ...noFilter, titles: ["git push", "npm"] });
  expect(two.narrowing?.map(shown)).toEqual(["(title:git+push | title:npm)"]);
  const none = searchClauses(parseQuery(""), { ...noFilter, errors: ["=>"] });
  expect(none.narrowing?.map(shown)).toEqual(["error:=>"]);
});
