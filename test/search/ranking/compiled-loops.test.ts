import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createLoopArena } from "../../../src/search/ranking/loops/search-loops.ts";

test("what is kept beside the sources of loops is what they compile to", async () => {
  // Loaded by the test alone: the types of the compiler are not those of this program.
  const { href } = new URL("../../../build-loops.mjs", import.meta.url);
  const { compileLoops }: { compileLoops(): Promise<(readonly [string, string])[]> } = await import(href);
  for (const [path, text] of await compileLoops()) expect(readFileSync(path, "utf8"), path).toBe(text);
}, 60_000);

function memoryOf(pages: number): Parameters<typeof createLoopArena>[0] {
  let buffer = new ArrayBuffer(pages * 65_536);
  return {
    get buffer() {
      return buffer;
    },
    grow(more) {
      const before = buffer.byteLength / 65_536;
      buffer = structuredClone(buffer, { transfer: [buffer] });
      const larger = new ArrayBuffer((before + more) * 65_536);
      new Uint8Array(larger).set(new Uint8Array(buffer));
      buffer = larger;
      return before;
    },
  };
}

test("memory that grows keeps what stands in it, and gives addresses that do not overlap", () => {
  const room = createLoopArena(memoryOf(0));
  const first = room.put(Uint8Array.of(1, 2, 3));
  const second = room.put(Uint32Array.of(7, 8));
  const large = room.takeZeros(500_000);
  room.bytes.fill(9, large, large + 500_000);
  expect([...room.bytes.subarray(first, first + 3)]).toEqual([1, 2, 3]);
  expect([...room.numbers(second, 2)]).toEqual([7, 8]);
  expect(first).toBeGreaterThan(0);
});

test("what is given back is taken again, and zeros are zeros", () => {
  const room = createLoopArena(memoryOf(1));
  const mark = room.mark();
  const at = room.put(Float64Array.of(1.5));
  expect([...room.fractions(at, 1)]).toEqual([1.5]);
  room.release(mark);
  expect(room.takeZeros(8)).toBe(at);
  expect([...room.fractions(at, 1)]).toEqual([0]);
});
