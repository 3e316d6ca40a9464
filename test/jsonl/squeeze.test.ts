import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { createStringSqueezer } from "../../src/jsonl/lines.ts";
import fc from "../support/fc.ts";

const KEPT = 32 * 1024;

function squeeze(bytes: Buffer, chunk = bytes.length): Buffer {
  const squeezer = createStringSqueezer();
  for (let at = 0; at < bytes.length; at += chunk) squeezer.push(bytes.subarray(at, at + chunk));
  return squeezer.bytes();
}

const squeezed = (value: unknown, chunk?: number): unknown =>
  JSON.parse(squeeze(Buffer.from(JSON.stringify(value)), chunk).toString("utf8"));

describe("createStringSqueezer()", () => {
  test("leaves short strings and everything around them as they are", () => {
    const text = '{"a":[1,2.50,true,null,"x\\"y\\\\","\\u00e9"],"é":{"b":"😀"}}';
    expect(squeeze(Buffer.from(text)).toString("utf8")).toBe(text);
  });

  test("keeps the head of a long string, and all that follows it", () => {
    const value = { type: "user", data: "x".repeat(200_000), after: { id: "z" } };
    expect(squeezed(value)).toEqual({ ...value, data: "x".repeat(KEPT) });
  });

  // One character after another, so that the cut falls on each of their bytes in some row.
  test.each<[string, string]>([
    ["quotes", '"'],
    ["backslashes", "\\"],
    ["line ends", "\n"],
    ["control characters, written as \\u", "\u0001"],
    ["two bytes", "é"],
    ["three bytes", "漢"],
    ["four bytes", "😀"],
    ["letters u behind a backslash", "\\u"],
  ])("cuts a string of %s between whole characters", (_, character) => {
    for (let before = 0; before < 8; before++) {
      const data = "a".repeat(before) + character.repeat(60_000);
      const read = squeezed({ data, after: 1 });
      expect(read).toMatchObject({ after: 1 });
      const kept = (read as { readonly data: string }).data;
      expect(kept.length).toBeLessThan(data.length);
      expect(data.startsWith(kept)).toBe(true);
    }
  });

  test("makes the same bytes of any chunks", () => {
    const value = { a: 'é\\"'.repeat(20_000), b: ["short", "😀".repeat(20_000)], c: 12 };
    const bytes = Buffer.from(JSON.stringify(value));
    const whole = squeeze(bytes);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70_000 }), (chunk) => {
        expect(squeeze(bytes, chunk).equals(whole)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test("makes valid JSON of any long JSON", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 20 });
    fc.assert(
      fc.property(
        fc.dictionary(text, text),
        text,
        fc.integer({ min: 0, max: 5_000 }),
        (others, unit, times) => {
          const value = { ...others, long: unit.repeat(times), last: 7 };
          expect(squeezed(value, 1_000)).toMatchObject({ last: 7 });
        },
      ),
    );
  });

  test("squeezes a line of 50 MB to valid JSON in bounded memory", () => {
    const squeezer = createStringSqueezer();
    squeezer.push(Buffer.from('{"type":"user","message":{"content":[{"data":"'));
    const chunk = Buffer.alloc(64 * 1024, "QUJD");
    for (let pushed = 0; pushed < 50 * 1024 * 1024; pushed += chunk.length) squeezer.push(chunk);
    squeezer.push(Buffer.from('"},{"text":"behind it"}]},"uuid":"u1"}'));
    const left = squeezer.bytes();
    expect(left.length).toBeLessThan(40 * 1024);
    expect(JSON.parse(left.toString("utf8"))).toMatchObject({
      uuid: "u1",
      message: { content: [{}, { text: "behind it" }] },
    });
  });

  test("holds at most 8 MB outside of long strings", () => {
    const squeezer = createStringSqueezer();
    const chunk = Buffer.alloc(1024 * 1024, "[1,2],");
    for (let i = 0; i < 20; i++) squeezer.push(chunk);
    expect(squeezer.bytes().length).toBe(8 * 1024 * 1024);
  });
});
