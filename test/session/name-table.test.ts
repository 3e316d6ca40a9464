import { describe, expect, test } from "vitest";
import { createNameTable } from "../../src/session/name-table.ts";
import fc from "../support/fc.ts";

describe("createNameTable()", () => {
  test("numbers names in the order in which they come, like a map", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 5 })), fc.nat(8), (names, most) => {
        const table = createNameTable(most);
        const map = new Map<string, number>();
        for (const name of names) {
          expect(table.find(name)).toBe(map.get(name) ?? -1);
          if (!map.has(name)) map.set(name, map.size);
          expect(table.number(name)).toBe(map.get(name));
        }
        expect(table.size).toBe(map.size);
        for (const [name, number] of map) expect(table.find(name)).toBe(number);
      }),
    );
  });

  test("keeps a million names apart, also such as differ in one character", () => {
    const table = createNameTable();
    for (let i = 0; i < 1_000_000; i++) table.number(`toolu_${i.toString(36)}`);
    expect(table.size).toBe(1_000_000);
    expect(table.number("toolu_0")).toBe(0);
    expect(table.number(`toolu_${(999_999).toString(36)}`)).toBe(999_999);
  });

  test("gives numbers to what has no name", () => {
    for (const most of [0, 1, 2]) {
      const table = createNameTable(most);
      const numbers = [table.number("a"), table.unnamed(), table.number("b"), table.number("a")];
      expect(numbers).toEqual([0, 1, 2, 0]);
      expect([table.number("c"), table.find("b"), table.size]).toEqual([3, 2, 4]);
    }
  });
});
