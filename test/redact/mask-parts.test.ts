import { describe, expect, it, test } from "vitest";
import { maskParts } from "../../src/redact/mask-parts.ts";
import { redact } from "../../src/redact/redact.ts";
import { alphabets, createSeededRandom } from "../support/seeded-random.ts";

const { chars, int } = createSeededRandom(11);

function inParts(text: string, length: number): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += length) parts.push(text.slice(at, at + length));
  return parts;
}

/** A private key as tools print it: many lines, of which only the first and the last say what it is. */
function keyBlock(lines: number): string {
  const kind = `${["PRI", "VATE"].join("")} KEY`;
  const body = Array.from({ length: lines }, () => chars(64, alphabets.base64)).join("\n");
  return `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----\n`;
}

const filler = (length: number): string => {
  let text = "";
  while (text.length < length) text += `const value${int(1000)} = read(line, ${int(1000)});\n`;
  return text;
};

describe("maskParts()", () => {
  it("returns a text without secrets unchanged, holding at most one stretch of it", () => {
    const text = filler(13_000_000);
    let held = 0;
    let most = 0;
    const given = function* (): Generator<string> {
      for (const part of inParts(text, 100_000)) {
        held += part.length;
        most = Math.max(most, held);
        yield part;
      }
    };
    let masked = "";
    for (const part of maskParts(given(), redact)) {
      held -= part.length;
      masked += part;
    }
    expect(masked).toBe(text);
    expect(most).toBeLessThan(5_000_000);
  });

  test.each([0, 500, 2_000, 6_000, 12_000])(
    "masks a key that lies across the end of a stretch, %i characters before it, as in the whole",
    (before) => {
      const stretch = 4 * 1024 * 1024;
      const key = keyBlock(160);
      // Where the first cut is tried, so much of the key stands before it.
      const text = `${filler(stretch - 32 * 1024 - before)}\n${key}${filler(3_000_000)}`;
      const parts = [...maskParts(inParts(text, 250_000), redact)];
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.join("") === redact(text)).toBe(true);
      expect(parts.join("")).not.toContain(key.slice(200, 240));
    },
  );

  it("cuts between characters where there is neither a line end nor a space", () => {
    const text = "😀".repeat(3_000_000);
    const parts = [...maskParts(inParts(text, 999_999), (part) => part)];
    expect(parts.join("") === text).toBe(true);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(/\p{Surrogate}/u.test(part)).toBe(false);
  });

  it("holds on where every cut would change something", () => {
    const text = "a".repeat(9_000_000);
    const whole = (part: string): string => `[${part.length}]`;
    expect([...maskParts(inParts(text, 1_000_000), whole)]).toEqual(["[9000000]"]);
  });
});
