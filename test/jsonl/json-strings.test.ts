import { Buffer } from "node:buffer";
import { describe, expect, it, test } from "vitest";
import { decodeString, measureString } from "../../src/jsonl/json-strings.ts";
import fc from "../support/fc.ts";

function inChunks(bytes: Buffer, size: number): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

const texts: readonly string[] = [
  "",
  "plain",
  'line\nend, tab\t, quote " and \\ and \\\\" and \\n',
  "ends with a backslash \\",
  "é → 😀 𝒳",
  "\ud83d alone \ude00",
  "\ud83d\ud83d\ud83d\ude00\ude00",
];

describe("decodeString()", () => {
  test.each(texts)("returns %j, however it is cut and escaped", (text) => {
    const escaped = `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
    for (const json of [JSON.stringify(text), escaped]) {
      const bytes = Buffer.from(json);
      for (let size = 1; size <= bytes.length; size++)
        expect([...decodeString(inChunks(bytes, size))].join("")).toBe(text);
    }
  });

  it("returns any string, and texts that can be encoded one by one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, size) => {
        const chunks = inChunks(Buffer.from(JSON.stringify(text)), size);
        const parts = [...decodeString(chunks)];
        expect(parts.join("")).toBe(text);
        expect(Buffer.concat(parts.map((part) => Buffer.from(part)))).toEqual(Buffer.from(text));
      }),
    );
  });

  it("holds at most a slice of a long one", () => {
    const text = 'naïve "text"\n'.repeat(400_000);
    const parts = [...decodeString(inChunks(Buffer.from(JSON.stringify(text)), 10_000_000))];
    expect(parts.join("")).toBe(text);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(1_100_000);
  });

  it("goes on through a flood of first halves of pairs", () => {
    const text = "\\ud83d".repeat(500_000);
    const parts = [...decodeString(inChunks(Buffer.from(`"${text}"`), 100_000))];
    expect(parts.join("").length).toBe(500_000);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(50_000);
  });

  const broken = ['"open', "none", '"a"b"', '"bad \\x"', '"line\nend"', '"', '"half \\u12"', '"ends \\"', ""];
  test.each(broken)("takes %j for no JSON string", (json) => {
    for (const size of [1, 2, 3, 100])
      expect(() => [...decodeString(inChunks(Buffer.from(json), size))]).toThrow(SyntaxError);
  });
});

describe("measureString()", () => {
  test.each([
    ["", 0, 0],
    ["one", 3, 1],
    ["one\n", 4, 1],
    ["é\n\nx", 5, 3],
    ["x\n".repeat(1_500_000), 3_000_000, 1_500_000],
  ])("counts bytes and lines (%#)", (text, bytes, lines) => {
    const line = Buffer.from(`{"a":${JSON.stringify(text)}}`);
    expect(measureString(line, 5, line.length - 1)).toEqual({ bytes, lines });
  });

  it("says nothing of what is no JSON", () => {
    const line = Buffer.from('"a\\xb"');
    expect(measureString(line, 0, line.length)).toBeUndefined();
  });
});
