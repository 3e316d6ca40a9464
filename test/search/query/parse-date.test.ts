import { expect, test } from "vitest";
import { parseDate } from "../../../src/search/query/parse-date.ts";
import fc from "../../support/fc.ts";

/** Thursday, 15 October 2026, 13:30 in Berlin, where clocks go back on the 25th. */
const now = Date.UTC(2026, 9, 15, 11, 30);
const winter = Date.UTC(2026, 9, 25, 1);
const summer = Date.UTC(2026, 2, 29, 1);
const berlin = { now, offsetMinutesAt: (ms: number) => (ms >= summer && ms < winter ? 120 : 60) };

function shown(text: string): readonly (string | undefined)[] {
  return (["since", "until"] as const).map((edge) => {
    const ms = parseDate(text, edge, berlin);
    return ms === undefined ? undefined : new Date(ms).toISOString();
  });
}

test.each([
  ["2026-10-01", "2026-09-30T22:00:00.000Z", "2026-10-01T21:59:59.999Z"],
  ["2026/10/1", "2026-09-30T22:00:00.000Z", "2026-10-01T21:59:59.999Z"],
  ["2026-10", "2026-09-30T22:00:00.000Z", "2026-10-31T22:59:59.999Z"],
  ["2025", "2024-12-31T23:00:00.000Z", "2025-12-31T22:59:59.999Z"],
  ["2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T22:59:59.999Z"],
  ["2024-02-29", "2024-02-28T23:00:00.000Z", "2024-02-29T22:59:59.999Z"],
  ["2026-10-01T12:30", "2026-10-01T10:30:00.000Z", "2026-10-01T10:30:00.000Z"],
  ["2026-10-01 12:30:15", "2026-10-01T10:30:15.000Z", "2026-10-01T10:30:15.000Z"],
  ["2026-10-01T12:30:15.250Z", "2026-10-01T12:30:15.250Z", "2026-10-01T12:30:15.250Z"],
  ["2026-10-01T12:30+05:30", "2026-10-01T07:00:00.000Z", "2026-10-01T07:00:00.000Z"],
  ["now", "2026-10-15T11:30:00.000Z", "2026-10-15T11:30:00.000Z"],
  ["12h", "2026-10-14T23:30:00.000Z", "2026-10-14T23:30:00.000Z"],
  ["7d", "2026-10-07T22:00:00.000Z", "2026-10-08T21:59:59.999Z"],
  ["7 days ago", "2026-10-07T22:00:00.000Z", "2026-10-08T21:59:59.999Z"],
  ["2w", "2026-09-30T22:00:00.000Z", "2026-10-01T21:59:59.999Z"],
  ["30m", "2026-10-15T11:00:00.000Z", "2026-10-15T11:00:00.000Z"],
  ["1 minute ago", "2026-10-15T11:29:00.000Z", "2026-10-15T11:29:00.000Z"],
  ["3mo", "2026-07-14T22:00:00.000Z", "2026-07-15T21:59:59.999Z"],
  ["2 months", "2026-08-14T22:00:00.000Z", "2026-08-15T21:59:59.999Z"],
  ["1y", "2025-10-14T23:00:00.000Z", "2025-10-15T22:59:59.999Z"],
  ["today", "2026-10-14T22:00:00.000Z", "2026-10-15T21:59:59.999Z"],
  ["Yesterday", "2026-10-13T22:00:00.000Z", "2026-10-14T21:59:59.999Z"],
  ["july", "2026-06-30T22:00:00.000Z", "2026-07-31T21:59:59.999Z"],
  ["jul 20", "2026-07-19T22:00:00.000Z", "2026-07-20T21:59:59.999Z"],
  ["20th July", "2026-07-19T22:00:00.000Z", "2026-07-20T21:59:59.999Z"],
  // Still to come this year: the last one is meant.
  ["dec 24", "2025-12-23T23:00:00.000Z", "2025-12-24T22:59:59.999Z"],
  ["Feb 2025", "2025-01-31T23:00:00.000Z", "2025-02-28T22:59:59.999Z"],
  ["jul 20, 2024", "2024-07-19T23:00:00.000Z", "2024-07-20T22:59:59.999Z"],
  ["last week", "2026-10-04T22:00:00.000Z", "2026-10-11T21:59:59.999Z"],
  ["monday", "2026-10-11T22:00:00.000Z", "2026-10-12T21:59:59.999Z"],
  ["thu", "2026-10-14T22:00:00.000Z", "2026-10-15T21:59:59.999Z"],
  ["last thursday", "2026-10-07T22:00:00.000Z", "2026-10-08T21:59:59.999Z"],
  ["this week", "2026-10-11T22:00:00.000Z", "2026-10-18T21:59:59.999Z"],
  ["last week", "2026-10-04T22:00:00.000Z", "2026-10-11T21:59:59.999Z"],
  ["last  month", "2026-08-31T22:00:00.000Z", "2026-09-30T21:59:59.999Z"],
  ["last year", "2024-12-31T23:00:00.000Z", "2025-12-31T22:59:59.999Z"],
])("parseDate(%j) is from %s to %s", (text, since, until) => {
  expect(shown(text)).toEqual([since, until]);
});

test("parseDate() goes a month back from the 31st to the last day of a short month", () => {
  const march = { now: Date.UTC(2026, 2, 31, 12), offsetMinutesAt: () => 0 };
  expect(parseDate("1mo", "since", march)).toBe(Date.UTC(2026, 1, 28));
});

test.each([
  "",
  "soon",
  "2026-13",
  "2026-02-30",
  "2026-10-01T25:00",
  "7x",
  "d",
  "-7d",
  "week",
  "last",
  "2026-10-01T",
])("parseDate(%j) is not a date", (text) => {
  expect(shown(text)).toEqual([undefined, undefined]);
});

test("parseDate() returns a moment or undefined for any text, and never an end before its start", () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^\d{1,5} ?(h|d|w|m|y|days ago)$/),
    fc.stringMatching(/^\d{4}-\d\d?(-\d\d?)?$/),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: -720, max: 840 }), (typed, offset) => {
      const context = { now, offsetMinutesAt: () => offset };
      const since = parseDate(typed, "since", context);
      const until = parseDate(typed, "until", context);
      expect(since === undefined).toBe(until === undefined);
      if (since === undefined || until === undefined) return;
      expect(Number.isInteger(since)).toBe(true);
      expect(until).toBeGreaterThanOrEqual(since);
    }),
  );
});
