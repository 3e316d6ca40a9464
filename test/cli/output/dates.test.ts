import { describe, expect, test } from "vitest";
import { type Clock, day, localDateTime, relativeDate } from "../../../src/cli/output/dates.ts";

const at = (text: string): number => Date.parse(text);
const clock = (now: string, offsetMinutes = 0): Clock => ({
  now: () => at(now),
  offsetMinutesAt: () => offsetMinutes,
});

describe("relativeDate()", () => {
  test.each([
    ["2025-10-12T11:59:30Z", "just now"],
    ["2025-10-12T12:00:30Z", "just now"],
    ["2025-10-12T11:55:00Z", "5 min ago"],
    ["2025-10-12T11:00:01Z", "59 min ago"],
    ["2025-10-12T09:00:00Z", "3 h ago"],
    ["2025-10-12T00:00:00Z", "12 h ago"],
    ["2025-10-11T23:59:00Z", "yesterday"],
    ["2025-10-11T00:00:00Z", "yesterday"],
    ["2025-10-10T23:59:00Z", "2 days ago"],
    ["2025-10-06T00:00:00Z", "6 days ago"],
    ["2025-10-05T23:00:00Z", "5 Oct"],
    ["2025-01-01T00:00:00Z", "1 Jan"],
    ["2024-12-31T23:59:59Z", "31 Dec 2024"],
    ["2025-10-12T15:30:00Z", "15:30"],
    ["2025-10-14T15:30:00Z", "14 Oct"],
    ["2026-01-02T15:30:00Z", "2 Jan 2026"],
  ])("of %s at noon on 12 October 2025 is %s", (then, expected) => {
    expect(relativeDate(at(then), clock("2025-10-12T12:00:00Z"))).toBe(expected);
  });

  test("says hours, not yesterday, of what was just before midnight", () => {
    expect(relativeDate(at("2025-10-11T23:00:00Z"), clock("2025-10-12T01:30:00Z"))).toBe("2 h ago");
  });

  test("counts the days of the local calendar", () => {
    const now = "2025-10-12T12:00:00Z";
    expect(relativeDate(at("2025-10-11T20:00:00Z"), clock(now, 0))).toBe("yesterday");
    expect(relativeDate(at("2025-10-11T20:00:00Z"), clock(now, 5 * 60))).toBe("16 h ago");
    expect(relativeDate(at("2025-10-11T02:00:00Z"), clock(now, -5 * 60))).toBe("2 days ago");
  });

  test("takes the offset of each moment, so that daylight saving moves no day", () => {
    const change = at("2025-10-26T01:00:00Z");
    const berlin: Clock = {
      now: () => at("2025-10-26T12:00:00Z"),
      offsetMinutesAt: (ms) => (ms < change ? 120 : 60),
    };
    expect(relativeDate(at("2025-10-25T21:30:00Z"), berlin)).toBe("yesterday");
    expect(relativeDate(at("2025-10-25T22:30:00Z"), berlin)).toBe("13 h ago");
    expect(localDateTime(at("2025-10-25T22:30:00Z"), berlin)).toBe("2025-10-26 00:30");
  });
});

describe("day() and localDateTime()", () => {
  test("are local", () => {
    const tokyo = clock("2025-10-12T12:00:00Z", 9 * 60);
    expect(day(at("2025-10-11T16:00:00Z"), tokyo)).toBe("12 Oct");
    expect(localDateTime(at("2025-10-11T16:05:59Z"), tokyo)).toBe("2025-10-12 01:05");
    expect(day(at("2024-12-31T16:00:00Z"), tokyo)).toBe("1 Jan");
  });
});
