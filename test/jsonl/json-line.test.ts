import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { endOfObject, readJsonLine } from "../../src/jsonl/json-line.ts";
import fc from "../support/fc.ts";

const read = (text: string | Buffer, ended = true): unknown =>
  readJsonLine(typeof text === "string" ? Buffer.from(text) : text, ended);

const TORN = "torn: the last line is not complete";

describe("readJsonLine()", () => {
  test.each<[string, string, unknown]>([
    ["an object", '{"a":1}', { objects: [{ a: 1 }] }],
    ["a blank line holds nothing", "", { objects: [] }],
    ["nor does one of spaces and NULs", " \t\r\0\0", { objects: [] }],
    ["CRLF", '{"a":1}\r', { objects: [{ a: 1 }] }],
    ["a byte order mark", '\ufeff{"a":1}', { objects: [{ a: 1 }] }],
    ["a byte order mark alone", "\ufeff", { objects: [] }],
    ["NUL padding before and behind", '\0\0\0{"a":1}\0\0', { objects: [{ a: 1 }] }],
    ["U+2028 inside a string", '{"a":"x\u2028y"}', { objects: [{ a: "x\u2028y" }] }],
    ["a lone surrogate", '{"a":"\\ud83d"}', { objects: [{ a: "\ud83d" }] }],
    [
      "an integer of 20 digits",
      '{"a":12345678901234567890}',
      { objects: [{ a: Number("12345678901234567890") }] },
    ],
    ["two glued objects", '{"a":"}{"}{"b":{"c":"\\"}"}}', { objects: [{ a: "}{" }, { b: { c: '"}' } }] }],
    ["glued with NULs and spaces between", '{"a":1} \0\0 {"b":2}', { objects: [{ a: 1 }, { b: 2 }] }],
    ["three glued objects", '{"a":1}{"b":2}{"c":3}', { objects: [{ a: 1 }, { b: 2 }, { c: 3 }] }],
    ["a list is no object, and no problem", "[1]", { objects: [{}] }],
    ["a bare value likewise", "12", { objects: [{}] }],
  ])("%s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each<[string, string, boolean, unknown]>([
    ["text", "not json", true, { objects: [], problem: "not JSON" }],
    ["half an object that a LF ends", '{"a":', true, { objects: [], problem: "not JSON" }],
    ["half an object at the end", '{"a":', false, { objects: [], problem: TORN }],
    ["half a string at the end", '{"a":"x', false, { objects: [], problem: TORN }],
    ["half an escape at the end", '{"a":"x\\', false, { objects: [], problem: TORN }],
    ["a whole object and half of one", '{"a":1}{"b":', false, { objects: [{ a: 1 }], problem: TORN }],
    ["a whole object and other text", '{"a":1}, and', true, { objects: [{ a: 1 }], problem: "not JSON" }],
    ["braces that hold no JSON", "{a}", true, { objects: [], problem: "not JSON" }],
  ])("reports the problem of %s", (_, text, ended, expected) => {
    expect(read(text, ended)).toEqual(expected);
  });

  test("puts U+FFFD where bytes are no UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect(read(bytes)).toEqual({ objects: [{ a: "\ufffd\ufffd" }] });
  });

  test("throws on no bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, ended) => {
        read(Buffer.from(bytes), ended);
      }),
    );
  });

  test("finds all objects that were glued, whatever they hold", () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(objects, (given) => {
        const plain = given.map((object) => JSON.parse(JSON.stringify(object)));
        expect(read(plain.map((object) => JSON.stringify(object)).join(""))).toEqual({ objects: plain });
      }),
    );
  });

  test("keeps what is before any tear", () => {
    const first = '{"type":"user","text":"one } \\" {"}';
    const second = '{"type":"user","text":"two"}';
    for (let cut = 1; cut < second.length; cut++)
      expect(read(first + second.slice(0, cut), false)).toMatchObject({
        objects: [{ type: "user" }],
        problem: TORN,
      });
  });
});

describe("endOfObject()", () => {
  test.each<[string, number, number]>([
    ["{}", 0, 2],
    ['{"a":"}"}x', 0, 9],
    ['  {"a":{}}', 2, 10],
    ['{"a":"\\""}', 0, 10],
    ['{"a":', 0, -1],
  ])("%s from %i ends at %i", (text, from, end) => {
    expect(endOfObject(text, from)).toBe(end);
  });
});
