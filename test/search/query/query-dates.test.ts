import { describe, expect, test } from "vitest";
import { parseQuery } from "../../../src/search/query/parse-query.ts";
import { queryDates, queryDateWords } from "../../../src/search/query/query-dates.ts";

const context = { now: Date.UTC(2026, 10, 16, 12), offsetMinutesAt: () => 0 };

/** The spans of a query, by their first and last days; of any year, only the last two. */
function datesOf(query: string, offsetMinutes = 0): readonly string[] {
  const day = (ms: number): string => new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, 10);
  const found = queryDates(parseQuery(query).words, { ...context, offsetMinutesAt: () => offsetMinutes });
  return found.slice(-2).map(({ from, to }) => `${day(from)}..${day(to)}`);
}

describe("queryDates()", () => {
  test.each([
    ["deploy on 2026-03-14", ["2026-03-14..2026-03-14"]],
    ["deploy 2026-03", ["2026-03-01..2026-03-31"]],
    ["the 14th of march 2026 deploy", ["2026-03-14..2026-03-14"]],
    ["march 14, 2026", ["2026-03-14..2026-03-14"]],
    ["14 mar", ["2025-03-14..2025-03-14", "2026-03-14..2026-03-14"]],
    ["may 5", ["2025-05-05..2025-05-05", "2026-05-05..2026-05-05"]],
    ["may 2026 release", ["2026-05-01..2026-05-31"]],
    ["in may", ["2025-05-01..2025-05-31", "2026-05-01..2026-05-31"]],
    ["during 2025", ["2025-01-01..2025-12-31"]],
    ["last march", ["2026-03-01..2026-03-31"]],
    ["last december", ["2025-12-01..2025-12-31"]],
    ["september outage", ["2025-09-01..2025-09-30", "2026-09-01..2026-09-30"]],
    ["2026-03-14 or 2026-05-01", ["2026-03-14..2026-03-14", "2026-05-01..2026-05-01"]],
  ])("reads %j", (query, expected) => {
    expect(datesOf(query)).toEqual(expected);
  });

  test.each([
    "it may fail",
    "march on",
    "dec to hex",
    "port 2025",
    "31 february 2026",
    "2026-13-40",
    "rollout-2026-03-14T10",
    "v2026-03-14",
    '"14 march 2026"',
    "-2026 token",
    '14 "x" march',
    "error in 404",
  ])("finds no date in %j", (query) => {
    expect(datesOf(query)).toEqual([]);
  });

  test("takes days in local time", () => {
    const [span] = queryDates(parseQuery("2026-03-14").words, { ...context, offsetMinutesAt: () => 120 });
    expect(span).toEqual({ from: Date.UTC(2026, 2, 13, 22), to: Date.UTC(2026, 2, 14, 22) - 1 });
  });

  test.each([
    ["hook february 2026", "february 2026"],
    ["the 14th of March, 2026 deploy", "14th of March, 2026"],
    ["31 february 2026 and 2026-03-14", "2026-03-14"],
    ["may 2026 it may fail", "may 2026 may"],
    ['"in 2026" port 2025', ""],
  ])("says which words of %j were a date", (query, expected) => {
    const { words } = parseQuery(query);
    const isDate = queryDateWords(words, context);
    const named = words.flatMap(({ text }) => (isDate(text) ? [text] : []));
    expect(named.join(" ")).toBe(expected);
  });
});
