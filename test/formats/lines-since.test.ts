import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { linesSince } from "../../src/formats/lines-since.ts";

const at = (minute: number): string => `2026-01-02T03:0${minute}:00.000Z`;
const line = (minute: number, text: string): string => JSON.stringify({ text, timestamp: at(minute) });

function since(log: string, minute: number, maxBytes = 1_000, chunk = 7): string {
  const bytes = Buffer.from(log);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, i) =>
    bytes.subarray(i * chunk, (i + 1) * chunk),
  );
  let text = "";
  for (const { bytes: part } of linesSince(chunks, Date.parse(at(minute)), maxBytes))
    text += `${part.toString("utf8")}\n`;
  return text;
}

const log = [line(1, "one"), '{"no":"time"}', line(2, "two"), line(3, "three"), line(2, "late")].join("\n");

describe("linesSince()", () => {
  test("begins with the first line of that time or later, and takes all behind it", () => {
    expect(since(log, 2)).toBe(`${[line(2, "two"), line(3, "three"), line(2, "late")].join("\n")}\n`);
    expect(since(log, 0)).toBe(`${log}\n`);
  });

  test("ends with the line that fills it", () => {
    expect(since(log, 2, 1)).toBe(`${line(2, "two")}\n`);
  });

  test("has nothing where no line tells its time", () => {
    expect(since('{"a":1}\n{"timestamp":17}\n{"timestamp":"yesterday"}\n', 0)).toBe("");
    expect(since(log, 9)).toBe("");
  });
});
