import { expect, test } from "vitest";
import { jsonText } from "../../src/jsonl/values.ts";
import fc from "../support/fc.ts";

test("jsonText() writes what JSON.stringify() writes, and nothing for what has no JSON", () => {
  expect(jsonText({ a: [1] })).toBe('{"a":[1]}');
  expect(jsonText(undefined)).toBe("");
});

test.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
])("jsonText() writes %s of any depth", (_, open, close) => {
  const json = `${open.repeat(100_000)}0${close.repeat(100_000)}`;
  expect(jsonText(JSON.parse(json)) === json).toBe(true);
});

test("jsonText() of a deep value writes everything around it as JSON.stringify() does", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const around = JSON.parse(`{"value":${JSON.stringify(value)},"deep":${deep}}`);
      expect(jsonText(around) === `{"value":${JSON.stringify(value)},"deep":${deep}}`).toBe(true);
    }),
    { numRuns: 20 },
  );
});
