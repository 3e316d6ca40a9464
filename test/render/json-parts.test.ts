import { describe, expect, it, test } from "vitest";
import { jsonParts } from "../../src/render/text-parts.ts";

describe("jsonParts()", () => {
  const values: readonly (readonly [string, object])[] = [
    ["an empty object", {}],
    ["texts, numbers and null", { a: 'x\n"y"', b: 1.5, c: null, d: true }],
    ["what JSON leaves out", { a: undefined, b: 1 }],
    ["lists", { none: [], some: [1, "two", null, { three: [{ four: 4 }] }], nested: [[], [1], {}] }],
    ["objects", { none: {}, some: { list: [1, 2], text: "line\nend" } }],
  ];
  test.each(values)("gives %s as JSON.stringify does", (_, value) => {
    expect([...jsonParts(Object.entries(value))].join("")).toBe(JSON.stringify(value, undefined, 2));
  });

  it("makes an item of a list only when the one before it is out", () => {
    const events: string[] = [];
    const items = function* (): Generator<number> {
      for (let item = 1; item <= 3; item++) {
        events.push(`made ${item}`);
        yield item;
      }
    };
    for (const part of jsonParts([["list", items()]])) {
      const number = /\d/.exec(part)?.[0];
      if (number !== undefined) events.push(`out ${number}`);
    }
    expect(events).toEqual(["made 1", "out 1", "made 2", "out 2", "made 3", "out 3"]);
  });
});
