import { describe, expect, test } from "vitest";
import { encodeJson } from "../../src/redact/clean-text.ts";
import fc from "../support/fc.ts";
import { hostileText } from "../support/hostile-session.ts";

describe("encodeJson()", () => {
  test.each([
    ["C1", "a\x9b31m\x85", '"a\\u009b31m\\u0085"'],
    ["DEL", "\x7f", '"\\u007f"'],
    ["marks of direction", "\u202egpj.\u2066", '"\\u202egpj.\\u2066"'],
    ["line ends of some readers", "a\u2028b", '"a\\u2028b"'],
    ["tags, which are two units each", "\u{e0041}", '"\\udb40\\udc41"'],
    ["nothing else", 'é 日本 😀 "\n', '"é 日本 😀 \\"\\n"'],
  ])("escapes %s", (_what, value, json) => {
    expect(encodeJson(value)).toBe(json);
  });

  test("is read as the same value, and has nothing in it that acts or hides", () => {
    const text = fc.oneof(hostileText, fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.dictionary(text, fc.array(text)), fc.constantFrom(undefined, 2), (value, space) => {
        const json = encodeJson(value, space);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toMatch(/[^\P{C}\n\p{Co}\p{Cn}]|[\u2028\u2029]/u);
      }),
    );
  });
});
