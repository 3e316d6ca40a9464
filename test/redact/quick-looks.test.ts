import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/redact/redact.ts";
import { PADDING, unitsOf } from "../../src/redact/scan-signs.ts";
import { endOfSecretName, mayBeSecretName } from "../../src/redact/secret-name.ts";
import fc from "../support/fc.ts";
import { loadSampleSet } from "../support/secret-samples.ts";

const { find } = createRedactor();
const samples = loadSampleSet("dev").withSecrets.map((sample) => sample.text);
const piece = fc.oneof(
  fc.constantFrom(...samples),
  fc.constantFrom(
    "password",
    "API_KEY",
    "token",
    "pw",
    "sid",
    "_PROD",
    "2",
    "12",
    "-1",
    '"',
    " ",
    "]",
    "=",
    ": ",
    "→",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);

describe("mayBeSecretName()", () => {
  it("misses no name that announces a secret", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const text = pieces.join("");
        const units = unitsOf(text);
        for (let at = 0; at <= text.length; at++)
          if (endOfSecretName(text, at) !== -1) expect(mayBeSecretName(units, PADDING + at)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("find()", () => {
  it("finds the same after a text that was longer than the memory that is kept", () => {
    for (const text of samples.slice(0, 40)) {
      const before = find(text);
      find("x y ".repeat(100_000) + text);
      expect(find(text)).toEqual(before);
    }
  });

  it("finds a secret wherever it is in a long text", () => {
    const secret = samples.find((text) => find(text).length === 1) ?? "";
    const [finding] = find(secret);
    for (const length of [1, 63, 64, 65, 4_095, 70_000, 300_000]) {
      const filler = `${"ab ".repeat(Math.ceil(length / 3)).slice(0, length - 1)}\n`;
      const [found] = find(`${filler}${secret}\n${filler}`);
      expect(found?.start).toBe((finding?.start ?? 0) + length);
    }
  });
});
