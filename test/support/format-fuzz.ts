import { Buffer } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import fc from "./fc.ts";
import { type Parsed, parseBytes } from "./parse-logs.ts";

/** Claims that hold for any bytes: random ones, fixtures with bytes changed, and fixtures with values changed. */
export function checkAnyBytes(format: Agent): void {
  const logs = fixtureLogs(format);

  describe(`the parser of ${format.displayName}`, () => {
    test("throws on no bytes at all", () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
          check(format, Buffer.from(bytes));
        }),
        { numRuns: 300 },
      );
    });

    test("throws on no log whose bytes were changed", () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...logs),
          fc.array(damage, { minLength: 1, maxLength: 6 }),
          (log, damages) => {
            check(
              format,
              damages.reduce((bytes, one) => one(bytes), log),
            );
          },
        ),
        { numRuns: 400 },
      );
    });

    test("throws on no log whose values were changed", () => {
      const values = fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 2 }));
      fc.assert(
        fc.property(
          fc.constantFrom(...logs),
          fc.array(values, { minLength: 1, maxLength: 8 }),
          (log, changes) => {
            const text = changes.reduce(
              (lines, [at, value]) => changeValue(lines, at, value),
              log.toString("utf8"),
            );
            check(format, Buffer.from(text));
          },
        ),
        { numRuns: 400 },
      );
    });

    test("throws on no depth of nesting", () => {
      // JSON.parse reads any depth; what recurses behind it ends at some 10,000.
      const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
      for (const log of logs) {
        const text = log.toString("utf8");
        const values = [...text.matchAll(VALUE)];
        const step = Math.max(1, Math.floor(values.length / 8));
        values.forEach((match, i) => {
          if (i % step === 0) check(format, Buffer.from(replaceValue(text, match, deep)));
        });
      }
    });

    test("reads a log again as it read it before", () => {
      for (const log of logs) expect(parseBytes(format, log)).toEqual(parseBytes(format, log));
    });
  });
}

/** All logs of an agent that are fixtures, sound and broken. */
export function fixtureLogs(format: Agent): readonly Buffer[] {
  const root = fileURLToPath(new URL(`../../fixtures/${format.name}/`, import.meta.url));
  const logs = ["ok", "broken"].flatMap((folder) =>
    readdirSync(root + folder)
      .filter((name) => !name.endsWith(".expected.json"))
      .map((name) => readFileSync(`${root}${folder}/${name}`)),
  );
  expect(logs.length).toBeGreaterThan(0);
  return logs;
}

function check(format: Agent, bytes: Buffer): void {
  format.owns(bytes);
  const { entries, facts }: Parsed = parseBytes(format, bytes);
  const lines = bytes.toString("latin1").split("\n").length;
  for (const entry of entries) {
    expect(entry.line).toBeGreaterThanOrEqual(1);
    expect(entry.line).toBeLessThanOrEqual(lines);
    if ("text" in entry) expect(typeof entry.text).toBe("string");
    if ("chars" in entry) expect(entry.chars).toBeGreaterThanOrEqual(0);
    if (entry.at !== undefined) expect(Number.isFinite(entry.at)).toBe(true);
  }
  for (const time of [facts.firstAt, facts.lastAt]) expect(time === null || Number.isFinite(time)).toBe(true);
}

/** Takes out, repeats or overwrites a piece of a log. */
export const damage: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc
  .record({
    at: fc.nat(),
    length: fc.nat({ max: 200 }),
    bytes: fc.uint8Array({ maxLength: 12 }),
    how: fc.constantFrom("cut", "repeat", "overwrite", "insert", "end"),
  })
  .map(({ at, length, bytes: given, how }) => (bytes: Buffer) => {
    const from = bytes.length === 0 ? 0 : at % bytes.length;
    const piece = bytes.subarray(from, from + length);
    const [before, behind] = [bytes.subarray(0, from), bytes.subarray(from + length)];
    switch (how) {
      case "cut":
        return Buffer.concat([before, behind]);
      case "repeat":
        return Buffer.concat([before, piece, piece, behind]);
      case "overwrite":
        return Buffer.concat([before, given, bytes.subarray(from + given.length)]);
      case "insert":
        return Buffer.concat([before, given, piece, behind]);
      default:
        return before;
    }
  });

/** A value that is no list and no object, behind its key. */
const VALUE = /:("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)/g;

function replaceValue(text: string, match: RegExpExecArray, json: string): string {
  return `${text.slice(0, match.index + 1)}${json}${text.slice(match.index + match[0].length)}`;
}

function changeValue(text: string, at: number, value: unknown): string {
  const found = [...text.matchAll(VALUE)];
  const match = found[found.length === 0 ? 0 : at % found.length];
  return match === undefined ? text : replaceValue(text, match, JSON.stringify(value));
}
