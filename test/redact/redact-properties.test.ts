import { describe, expect, it } from "vitest";
import { createRedactor, redact } from "../../src/redact/redact.ts";
import fc from "../support/fc.ts";
import { loadSampleSet } from "../support/secret-samples.ts";

const { find } = createRedactor();
const set = loadSampleSet("dev");
const samples = [...set.withSecrets, ...set.lookAlikes];

/** Labelled texts and any characters, glued in any order: masks end up beside all that may follow or precede a secret. */
const glue = fc.constantFrom(
  "",
  " ",
  "\n",
  ": ",
  "=",
  '"',
  "'",
  ", ",
  "-",
  "_",
  "@",
  "://",
  "password ",
  "token=",
  "API_KEY: ",
  "[masked: api-key]",
);
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...samples.map((sample) => sample.text)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  { weight: 2, arbitrary: glue },
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));

describe("redact()", () => {
  it("twice is the same as once", () => {
    fc.assert(
      fc.property(text, (given) => {
        const once = redact(given);
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  it("twice is the same as once for every labelled text", () => {
    for (const sample of samples) {
      const once = redact(sample.text);
      expect(redact(once), sample.id).toBe(once);
    }
  });

  it("leaves JSON that can be read, with the same keys", () => {
    const value = fc.oneof(
      piece,
      fc.array(piece, { maxLength: 3 }),
      fc.record({ password: piece, note: piece }),
    );
    fc.assert(
      fc.property(
        fc.record({ first: value, token: value, last: value }),
        fc.constantFrom(0, 2),
        (given, indent) => {
          const masked: unknown = JSON.parse(redact(JSON.stringify(given, undefined, indent)));
          expect(Object.keys(masked ?? {})).toEqual(Object.keys(given));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("masks every labelled secret and keeps the rest, wherever the text is", () => {
    const labelled = set.withSecrets.filter((sample) => sample.secrets.length === 1);
    fc.assert(
      fc.property(fc.constantFrom(...labelled), fc.constantFrom("\n", "\n\n", "```\n"), (sample, gap) => {
        const masked = redact(`before${gap}${sample.text}\n\nafter`);
        const secret = sample.secrets[0];
        expect(masked).not.toContain(sample.text.slice(secret?.start, secret?.end));
        expect(masked.startsWith("before")).toBe(true);
        expect(masked.endsWith("after")).toBe(true);
      }),
      { numRuns: 600 },
    );
  });

  it("twice is the same as once with any extra pattern", () => {
    const patterns = fc.constantFrom(
      /\d+/,
      /[a-f]+/,
      /masked/,
      /\w+@\w+/,
      /id: (\w+)/,
      /^.{3}/,
      /.$/,
      /[\]…]/,
      / /,
    );
    fc.assert(
      fc.property(text, fc.array(patterns, { maxLength: 2 }), (given, extra) => {
        const redactor = createRedactor({ extra });
        const once = redactor.redact(given);
        expect(redactor.redact(once)).toBe(once);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("find()", () => {
  it("returns ranges inside the text, in order and without overlap", () => {
    fc.assert(
      fc.property(text, (given) => {
        let from = 0;
        for (const { start, end } of find(given)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(given.length);
          from = end;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("takes any characters, half surrogates included", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }), (codes) => {
        expect(Array.isArray(find(String.fromCharCode(...codes)))).toBe(true);
      }),
    );
  });
});
