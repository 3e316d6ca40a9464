import { describe, expect, test } from "vitest";
import { amountOf, formatBytes, formatDuration } from "../../../src/cli/output/amounts.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KB"],
  [10_188, "9.9 KB"],
  [10_240, "10 KB"],
  [1_048_064, "1.0 MB"],
  [4_404_019, "4.2 MB"],
  [18_874_368, "18 MB"],
  [1_610_612_736, "1.5 GB"],
  [5_497_558_138_880, "5.0 TB"],
  [5_629_499_534_213_120, "5120 TB"],
])("formatBytes(%i) is %s", (bytes, expected) => {
  expect(formatBytes(bytes)).toBe(expected);
});

describe("amountOf()", () => {
  test.each([
    [0, "no sessions"],
    [1, "1 session"],
    [1234, "1,234 sessions"],
  ])("of %i is %s", (count, expected) => {
    expect(amountOf(count, "session")).toBe(expected);
  });

  test("takes a plural of its own", () => {
    expect(amountOf(2, "entry", "entries")).toBe("2 entries");
  });
});

test.each([
  [0.4, "0 ms"],
  [999, "999 ms"],
  [999.7, "1.0 s"],
  [2_460, "2.5 s"],
  [9_949, "9.9 s"],
  [9_960, "10 s"],
  [59_400, "59 s"],
  [59_600, "1 min"],
  [200_000, "3 min 20 s"],
  [7_500_000, "2 h 5 min"],
  [7_200_000, "2 h"],
  [356_400_000, "4 d 3 h"],
])("formatDuration(%d) is %s", (ms, expected) => {
  expect(formatDuration(ms)).toBe(expected);
});
