import { describe, expect, test } from "vitest";
import { parseCutJson } from "../../src/render/call-view.ts";
import fc from "../support/fc.ts";

describe("parseCutJson()", () => {
  test.each([
    ['{"a":"text that goes o', { a: "text that goes o" }],
    ['{"a":"ends in \\', { a: "ends in " }],
    ['{"a":"ends in \\u12', { a: "ends in " }],
    ['{"a":"ends in \\\\', { a: "ends in \\" }],
    ['{"a":[{"b":"c"},{"d":"e', { a: [{ b: "c" }, { d: "e" }] }],
    ['{"a":1,"b":tr', { a: 1 }],
    ['{"a":1,"b', { a: 1 }],
    ['{"a":12', {}],
    ["{", {}],
    ["[1,2", [1]],
    ["no json", undefined],
    ["", undefined],
    ['{"a":1} and more', undefined],
  ])("of %j is %j", (json, value) => {
    expect(parseCutJson(json)).toEqual(value);
  });

  test("reads whole JSON as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(parseCutJson(json)).toEqual(JSON.parse(json));
      }),
    );
  });

  test("reads an object however it is cut", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
        const json = JSON.stringify(value);
        const parsed = parseCutJson(json.slice(0, 1 + (cut % json.length)));
        expect(typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)).toBe(true);
      }),
    );
  });

  test("does not follow nesting for ever", () => {
    expect(parseCutJson("[".repeat(100_000))).toBeUndefined();
  });
});
