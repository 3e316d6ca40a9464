import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createLoopRoom } from "../../src/core/compiled-loops.ts";

// The compiler is loaded by the test alone: its types are not those of this program.
const { compileLoops, loops, placeOf } = (await import(
  new URL("../../build-loops.mjs", import.meta.url).href
)) as {
  readonly loops: readonly Loop[];
  compileLoops(loop: Loop): Promise<string>;
  placeOf(loop: Loop): string;
};

interface Loop {
  readonly source: string;
}

for (const loop of loops) {
  test(`the bytes beside ${loop.source} are those of its text`, async () => {
    expect(readFileSync(placeOf(loop), "utf8")).toBe(await compileLoops(loop));
  }, 60_000);
}

function memoryOf(pages: number): Parameters<typeof createLoopRoom>[0] {
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
  const room = createLoopRoom(memoryOf(0));
  const first = room.put(Uint8Array.of(1, 2, 3));
  const second = room.put(Uint32Array.of(7, 8));
  const large = room.takeZeros(500_000);
  room.bytes.fill(9, large, large + 500_000);
  expect([...room.bytes.subarray(first, first + 3)]).toEqual([1, 2, 3]);
  expect([...room.numbers(second, 2)]).toEqual([7, 8]);
  expect(first).toBeGreaterThan(0);
});

test("what is given back is taken again, and zeros are zeros", () => {
  const room = createLoopRoom(memoryOf(1));
  const mark = room.mark();
  const at = room.put(Float64Array.of(1.5));
  expect([...room.fractions(at, 1)]).toEqual([1.5]);
  room.release(mark);
  expect(room.takeZeros(8)).toBe(at);
  expect([...room.fractions(at, 1)]).toEqual([0]);
});
