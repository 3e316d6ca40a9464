import { describe, expect, test } from "vitest";
import { parseIsoTime } from "../../src/jsonl/values.ts";
import fc from "../support/fc.ts";

describe("parseIsoTime()", () => {
  test("says what Date.parse says of any time", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(parseIsoTime(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  test.each([
    "2026-02-30T10:00:00.000Z",
    "2026-13-01T10:00:00.000Z",
    "2026-01-01T24:00:00.000Z",
    "2026-01-01T10:60:00.000Z",
    "2026-01-01T10:00:0x.000Z",
    "2026-01-01T10:00:00.0x0Z",
    "2026-01-01T10:00:00.00-Z",
    "2026-01-01 10:00:00.000Z",
    "2026-01-01T10:00:00Z",
    "2026-01-01T10:00:00.000+02:00",
    "2026-01-01",
    "yesterday, at four or so",
    "",
  ])("says what Date.parse says of %j", (text) => {
    expect(parseIsoTime(text)).toBe(Date.parse(text));
  });
});
