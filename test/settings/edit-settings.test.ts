import { describe, expect, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import { appendSetting, removeSetting, setSetting } from "../../src/settings/edit-settings.ts";
import { parseSettings, settingAt } from "../../src/settings/parse-settings.ts";
import fc from "../support/fc.ts";

const KEY = ["cleanupPeriodDays"];

/** What the text says, by a parser that knows nothing of our edits where it is plain JSON. */
function valueIn(text: string): unknown {
  const parsed = parseSettings(text);
  if (parsed.kind === "broken") throw new Error(`${parsed.line}:${parsed.column}: ${parsed.what}\n${text}`);
  return settingAt(parsed, []);
}

describe("setSetting()", () => {
  test.each<[string, string, string]>([
    ["nothing", "", '{\n  "cleanupPeriodDays": 9\n}\n'],
    ["blanks", " \r\n", '{\r\n  "cleanupPeriodDays": 9\r\n}\r\n'],
    ["{}", "{}", '{\n  "cleanupPeriodDays": 9\n}'],
    ["{} with a last newline", "{}\n", '{\n  "cleanupPeriodDays": 9\n}\n'],
    ["one line", '{"a":1}', '{"a":1,"cleanupPeriodDays":9}'],
    ["one airy line", '{ "a": 1, "b": 2 }', '{ "a": 1, "b": 2, "cleanupPeriodDays": 9 }'],
    ["two blanks", '{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "cleanupPeriodDays": 9\n}\n'],
    ["four blanks", '{\n    "a": 1\n}', '{\n    "a": 1,\n    "cleanupPeriodDays": 9\n}'],
    ["tabs", '{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"cleanupPeriodDays": 9\n}'],
    [
      "odd indentation",
      '{\n   "b" : [1,\n 2]\n , "a":1\n     }',
      '{\n   "b" : [1,\n 2]\n , "a":1,\n   "cleanupPeriodDays":9\n     }',
    ],
    ["CRLF", '{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "cleanupPeriodDays": 9\r\n}\r\n'],
    [
      "a comment behind the last",
      '{\n  "a": 1 // one\n}',
      '{\n  "a": 1, // one\n  "cleanupPeriodDays": 9\n}',
    ],
    [
      "a comment below the last",
      '{\n  "a": 1\n  // end\n}',
      '{\n  "a": 1,\n  "cleanupPeriodDays": 9\n  // end\n}',
    ],
    [
      "a comma behind the last",
      '{\n  "a": 1, /* one */\n}',
      '{\n  "a": 1, /* one */\n  "cleanupPeriodDays": 9,\n}',
    ],
    ["nothing but a comment", "{\n  // later\n}", '{\n  // later\n  "cleanupPeriodDays": 9\n}'],
    ["a block comment in one line", "{/* later */}", '{/* later */\n  "cleanupPeriodDays": 9\n}'],
    ["the value is there", '{"cleanupPeriodDays" :  30 , "a":1}', '{"cleanupPeriodDays" :  9 , "a":1}'],
    [
      "the name twice",
      '{"cleanupPeriodDays":1,"cleanupPeriodDays":2}',
      '{"cleanupPeriodDays":1,"cleanupPeriodDays":9}',
    ],
    [
      "big numbers stay",
      '{"n":12345678901234567890,"f":1.0}',
      '{"n":12345678901234567890,"f":1.0,"cleanupPeriodDays":9}',
    ],
  ])("%s", (_, before, after) => {
    expect(setSetting(before, KEY, 9)).toBe(after);
  });

  test("makes what is missing on the way", () => {
    expect(setSetting('{\n  "a": 1\n}', ["x", "y"], true)).toBe(
      '{\n  "a": 1,\n  "x": {\n    "y": true\n  }\n}',
    );
    expect(setSetting('{"x":{}}', ["x", "y"], true)).toBe('{"x":{"y":true}}');
    expect(setSetting('{\n  "x": {}\n}', ["x", "y"], true)).toBe('{\n  "x": {\n    "y": true\n  }\n}');
  });

  test("refuses if another value is in the way", () => {
    expect(() => setSetting('{"x":[1]}', ["x", "y"], 1)).toThrow(UserError);
    expect(() => appendSetting('{"x":{}}', ["x"], 1)).toThrow(UserError);
  });
});

describe("appendSetting()", () => {
  test.each<[string, string, string]>([
    ["no list", '{\n  "a": 1\n}', '{\n  "a": 1,\n  "x": [\n    7\n  ]\n}'],
    ["an empty list", '{\n  "x": []\n}', '{\n  "x": [\n    7\n  ]\n}'],
    ["a list in one line", '{\n  "x": [1, 2]\n}', '{\n  "x": [1, 2, 7]\n}'],
    ["a list in lines", '{\n  "x": [\n    1 // one\n  ]\n}', '{\n  "x": [\n    1, // one\n    7\n  ]\n}'],
  ])("%s", (_, before, after) => {
    expect(appendSetting(before, ["x"], 7)).toBe(after);
  });
});

describe("removeSetting()", () => {
  test.each<[string, string, string]>([
    ["the only one", '{"cleanupPeriodDays":9}', "{}"],
    ["the only one, in lines", '{\n  "cleanupPeriodDays": 9\n}\n', "{}\n"],
    ["the first", '{\n  "cleanupPeriodDays": 9,\n  "a": 1\n}', '{\n  "a": 1\n}'],
    ["one in the middle", '{"a":1, "cleanupPeriodDays": 9, "b":2}', '{"a":1, "b":2}'],
    ["the last", '{\n  "a": 1,\n  "cleanupPeriodDays": 9\n}', '{\n  "a": 1\n}'],
    ["the last of one line", '{ "a": 1, "cleanupPeriodDays": 9 }', '{ "a": 1 }'],
    [
      "its comment stays",
      '{\n  "cleanupPeriodDays": 9, // a month\n  "a": 1\n}',
      '{\n  // a month\n  "a": 1\n}',
    ],
    [
      "the comment of the last stays",
      '{\n  "a": 1, // one\n  "cleanupPeriodDays": 9 // nine\n}',
      '{\n  "a": 1 // one\n   // nine\n}',
    ],
    ["blank lines stay", '{\n  "a": 1,\n\n  "cleanupPeriodDays": 9\n\n}', '{\n  "a": 1\n\n\n}'],
    ["twice", '{"cleanupPeriodDays":1,"a":1,"cleanupPeriodDays":2}', '{"a":1}'],
    ["not there", '{"a":1}', '{"a":1}'],
  ])("%s", (_, before, after) => {
    expect(removeSetting(before, KEY)).toBe(after);
  });

  test("an element of a list", () => {
    expect(removeSetting('{"x":[1, 2, 3]}', ["x", 1])).toBe('{"x":[1, 3]}');
    expect(removeSetting('{"x":[1, 2, 3]}', ["x", 2])).toBe('{"x":[1, 2]}');
  });
});

describe("any settings", () => {
  const blank = fc.constantFrom("", " ", "\n", "\n  ", "\r\n\t", " /* c */ ", "\n// c\n", "  ");
  const leaf = fc.oneof(
    fc.integer().map(String),
    fc.constantFrom('"a,}"', '"// no"', "true", "null", "1.0", "[ ]", "{}"),
  );
  const key = fc.constantFrom('"a"', '"b"', '"hooks"', '"c\\u0041"', '"//"');
  const object = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(
        fc.array(fc.tuple(blank, key, blank, blank, value, blank), { maxLength: 4 }),
        blank,
        fc.boolean(),
      )
      .map(([members, end, hasLastComma]) => {
        const texts = members.map(([a, k, b, c, v, d]) => `${a}${k}${b}:${c}${v}${d}`);
        return `{${texts.join(",")}${hasLastComma && texts.length > 0 ? "," : ""}${end}}`;
      });
  const list = fc
    .array(fc.tuple(blank, leaf, blank), { maxLength: 3 })
    .map((all) => `[${all.map((each) => each.join("")).join(",")}]`);
  const settings = fc
    .tuple(blank, object(fc.oneof(leaf, list, object(leaf))), blank)
    .map((all) => all.join(""));

  /** Everything that is no blank and no comma, in order. */
  const bones = (text: string): string => text.replaceAll(/[\s,]/g, "");

  test("a value is set without other changes, and can be removed again", () => {
    fc.assert(
      fc.property(settings, (text) => {
        const set = setSetting(text, KEY, 99999);
        expect(valueIn(set)).toEqual({ ...Object(valueIn(text)), cleanupPeriodDays: 99999 });
        expect(bones(set).replace('"cleanupPeriodDays":99999', "")).toBe(bones(text));
        expect(setSetting(set, KEY, 99999)).toBe(set);
        const removed = removeSetting(set, KEY);
        expect(valueIn(removed)).toEqual(valueIn(text));
        expect(bones(removed)).toBe(bones(text));
      }),
    );
  });

  test("every member can be taken out, and the others stay", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom("a", "b", "hooks", "cA", "//"), (text, name) => {
        const { [name]: _, ...rest } = Object(valueIn(text));
        const removed = removeSetting(text, [name]);
        expect(valueIn(removed)).toEqual(rest);
      }),
    );
  });
});
