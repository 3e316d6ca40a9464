import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { findSince, firstIsSince, momentBytes } from "../../src/formats/lines-since.ts";

const at = (minute: number): string => `2026-01-02T03:0${minute}:00.000Z`;
const moment = (minute: number): Buffer => momentBytes(Date.parse(at(minute)));
const line = (minute: number, text: string): string => JSON.stringify({ text, timestamp: at(minute) });

const log = [line(1, "one"), '{"no":"time"}', line(2, "two"), line(3, "three"), line(2, "late")].join("\n");

describe("findSince()", () => {
  const behind = (text: string, minute: number): string | undefined => {
    const bytes = Buffer.from(text);
    const start = findSince(bytes, moment(minute));
    return start === -1 ? undefined : bytes.toString("utf8", start);
  };

  test("is where the first line of that time or later begins", () => {
    expect(behind(log, 2)).toBe([line(2, "two"), line(3, "three"), line(2, "late")].join("\n"));
    expect(behind(log, 3)).toBe([line(3, "three"), line(2, "late")].join("\n"));
    expect(behind(log, 0)).toBe(log);
    expect(behind(`${log}\n`, 0)).toBe(`${log}\n`);
  });

  test("is nowhere where no line tells its time, or none is so late", () => {
    expect(behind('{"a":1}\n{"timestamp":17}\n{"timestamp":"yesterday"}\n', 0)).toBeUndefined();
    expect(behind(log, 9)).toBeUndefined();
    expect(behind("", 0)).toBeUndefined();
  });

  test("goes by the first time of a line, and by no time that is cut off by its end", () => {
    const nested = `{"timestamp":"${at(1)}","other":{"timestamp":"${at(5)}"}}`;
    expect(behind(`${nested}\n${line(4, "four")}`, 3)).toBe(line(4, "four"));
    const cut = `{"timestamp":"${at(5).slice(0, -1)}`;
    expect(behind(`${cut}\nZ${line(4, "four")}`, 3)).toBe(`Z${line(4, "four")}`);
  });
});

describe("firstIsSince()", () => {
  test.each([
    [`rest\n${line(2, "two")}\n`, true],
    [`rest\n${line(1, "one")}\n${line(3, "three")}\n`, false],
    [`rest\n{"no":"time"}\n${line(3, "three")}\n`, undefined],
    [`rest\n${line(3, "three")}`, undefined],
    [line(3, "three"), undefined],
  ])("of %j is %s", (stretch, is) => {
    expect(firstIsSince(Buffer.from(stretch), moment(2))).toBe(is);
  });
});
