import { Buffer } from "node:buffer";

/**
 * A list of byte strings in few buffers. An object for each of the hundred thousand parts of a long log takes far more
 * memory than its bytes.
 */
export interface PackedList extends Iterable<Buffer> {
  readonly length: number;
  add(record: Uint8Array): void;
  clear(): void;
}

const SLAB_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;

export function createPackedList(): PackedList {
  /** Each record behind its length; none goes across two. */
  const slabs: Buffer[] = [];
  /** How much of the last one is in use. */
  let used = 0;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(record) {
      const needed = LENGTH_BYTES + record.length;
      let slab = slabs.at(-1);
      if (slab === undefined || used + needed > slab.length) {
        if (slab !== undefined) slabs[slabs.length - 1] = slab.subarray(0, used);
        slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, needed));
        slabs.push(slab);
        used = 0;
      }
      slab.writeUInt32LE(record.length, used);
      slab.set(record, used + LENGTH_BYTES);
      used += needed;
      length++;
    },
    clear() {
      slabs.length = 0;
      used = 0;
      length = 0;
    },
    *[Symbol.iterator]() {
      for (const [number, slab] of slabs.entries()) {
        const end = number === slabs.length - 1 ? used : slab.length;
        for (let at = 0; at < end; ) {
          const from = at + LENGTH_BYTES;
          at = from + slab.readUInt32LE(at);
          yield slab.subarray(from, at);
        }
      }
    },
  };
}
