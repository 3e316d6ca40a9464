import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { createByteFilter, createByteFinder } from "../../../src/search/grep/byte-filter.ts";
import fc from "../../support/fc.ts";

const exactly = (text: string): readonly (readonly number[])[] =>
  [...Buffer.from(text)].map((byte) => [byte]);

describe("createByteFinder()", () => {
  test("finds what indexOf finds", () => {
    const small = fc.uint8Array({ max: 3 });
    fc.assert(
      fc.property(small, fc.uint8Array({ min: 0, max: 3, minLength: 1, maxLength: 5 }), (bytes, wanted) => {
        const find = createByteFinder([...wanted].map((byte) => [byte]));
        expect(find(bytes)).toBe(Buffer.from(bytes).includes(Buffer.from(wanted)));
      }),
      { numRuns: 2_000 },
    );
  });

  test("finds a byte that may be one of several", () => {
    const find = createByteFinder([[0x61, 0x41], ...exactly("bc")]);
    expect(["xabc", "xAbc", "xaBc"].map((text) => find(Buffer.from(text)))).toEqual([true, true, false]);
  });
});

describe("createByteFilter()", () => {
  test("is undefined without literals", () => {
    expect(createByteFilter({ literals: [], ignoreCase: false })).toBeUndefined();
  });

  test.each<[string, readonly string[], boolean, string, boolean]>([
    ["the text itself", ["token"], false, '{"a":"a token"}', true],
    ["nothing of it", ["token"], false, '{"a":"taken"}', false],
    ["another case", ["token"], false, '{"a":"a Token"}', false],
    ["another case if case is ignored", ["token"], true, '{"a":"a TOKEN"}', true],
    ["one of two", ["token", "secret"], false, '{"a":"a secret"}', true],
    ["letters written as escapes", ["token"], false, '{"a":"\\u0074oken"}', true],
    ["an escape of a control character", ["token"], false, '{"a":"\\u001b[1m"}', false],
    ["a sign written as an escape", ["a<b"], false, '{"a":"a\\u003cb"}', true],
    ["an umlaut written as an escape", ["größe"], false, '{"a":"gr\\u00f6\\u00dfe"}', true],
    ["a far character written as an escape", ["日本"], false, '{"a":"\\u65e5\\u672c"}', true],
    ["no escape that could be an umlaut", ["größe"], false, '{"a":"\\u001b grosse"}', false],
  ])("answers for bytes with %s", (_, literals, ignoreCase, line, expected) => {
    expect(createByteFilter({ literals, ignoreCase })?.mayMatch(Buffer.from(line))).toBe(expected);
  });

  /** JSON of a text in which some characters are written as escapes. */
  const written = fc
    .array(
      fc.tuple(
        fc.constantFrom("t", "o", "k", "e", "n", "é", "日", "😀", '"', "\\", "\n", "\x1b"),
        fc.boolean(),
      ),
    )
    .map((chars) => {
      const text = chars.map(([char]) => char).join("");
      const escaped = (char: string): string =>
        Array.from(
          { length: char.length },
          (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`,
        ).join("");
      const body = chars.map(([char, asEscape]) =>
        asEscape ? escaped(char) : JSON.stringify(char).slice(1, -1),
      );
      return { text, bytes: Buffer.from(`{"a":"${body.join("")}"}`) };
    });
  const literal = fc.constantFrom("token", "ken", "tok", "né日", "日", "😀t");

  test("never rules out a text that matches, however it is escaped and cut into chunks", () => {
    fc.assert(
      fc.property(written, literal, fc.integer({ min: 1, max: 40 }), ({ text, bytes }, wanted, size) => {
        expect(JSON.parse(bytes.toString())).toEqual({ a: text });
        const filter = createByteFilter({ literals: [wanted], ignoreCase: false });
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(filter?.mayMatchIn(chunks)).toBe(filter?.mayMatch(bytes));
        if (text.includes(wanted)) expect(filter?.mayMatch(bytes)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
