import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { createPackedList } from "../../src/jsonl/packed-list.ts";
import fc from "../support/fc.ts";

describe("createPackedList()", () => {
  it("returns what was added, in order, as often as it is read", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (records) => {
        const list = createPackedList();
        for (const record of records) list.add(record);
        expect(list.length).toBe(records.length);
        for (let round = 0; round < 2; round++)
          expect(Array.from(list, (record) => [...record])).toEqual(records.map((record) => [...record]));
      }),
    );
  });

  it("takes records that fill a buffer, and longer ones", () => {
    const sizes = [1024 * 1024 - 4, 0, 1, 3 * 1024 * 1024, 600_000, 600_000, 5];
    const list = createPackedList();
    for (const [at, size] of sizes.entries()) list.add(Buffer.alloc(size, at));
    expect(Array.from(list, (record) => record.length)).toEqual(sizes);
    expect(Array.from(list, (record, at) => record.every((byte) => byte === at))).toEqual(
      sizes.map(() => true),
    );
    list.clear();
    expect([...list]).toEqual([]);
    list.add(Buffer.from("again"));
    expect(Array.from(list, String)).toEqual(["again"]);
  });
});
