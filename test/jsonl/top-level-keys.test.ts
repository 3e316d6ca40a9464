import { describe, expect, test } from "vitest";
import { topLevelKeys } from "../../src/jsonl/json-line.ts";
import fc from "../support/fc.ts";

describe("topLevelKeys()", () => {
  test.each<[string, readonly string[]]>([
    ['{"a":1,"b":{"c":2},"d":[{"e":3}]}', ["a", "b", "d"]],
    ['{ "a" : "x:y" , "b":"\\"c\\":1" }', ["a", "b"]],
    ['{"a":1,"b":{"c":', ["a", "b"]],
    ['{"a":1}{"b":2}', ["a"]],
    ['{"a":"unended', ["a"]],
    ["[1]", []],
    ["text", []],
    ["", []],
  ])("%s has %j", (text, keys) => {
    expect([...topLevelKeys(text).keys()]).toEqual(keys);
  });

  test("says where the values begin", () => {
    const text = '{"a":  [1],"b":"x"}';
    expect(text.slice(topLevelKeys(text).get("a"))).toBe('[1],"b":"x"}');
    expect(text.slice(topLevelKeys(text, 0).get("b"))).toBe('"x"}');
  });

  test("finds the keys of any object", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue()),
        fc.boolean(),
        (object, pretty) => {
          const text = JSON.stringify(object, null, pretty ? 2 : 0);
          expect([...topLevelKeys(text).keys()]).toEqual(Object.keys(object));
        },
      ),
    );
  });
});
