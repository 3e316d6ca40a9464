import { Buffer } from "node:buffer";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * A list of byte strings that is kept compressed in a few buffers. For the hundred thousands of parts of a long log, an
 * object each would take far more memory than the bytes.
 */
export interface PackedList extends Iterable<Buffer> {
  readonly length: number;
  add(record: Uint8Array): void;
  clear(): void;
}

const SLAB_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;
/** Records are similar, so the fastest level compresses them well enough. */
const LEVEL = 1;

export function createPackedList(): PackedList {
  /** Full slabs, compressed. Each has whole records, each preceded by its length. */
  let full: Buffer[] = [];
  let last = Buffer.alloc(0);
  let used = 0;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(record) {
      const needed = LENGTH_BYTES + record.length;
      if (used + needed > last.length) {
        if (used > 0) full.push(Buffer.from(deflateRawSync(last.subarray(0, used), { level: LEVEL })));
        // Reuses the same slab, unless a record needs more.
        if (needed > last.length) last = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, needed));
        used = 0;
      }
      last.writeUInt32LE(record.length, used);
      last.set(record, used + LENGTH_BYTES);
      used += needed;
      length++;
    },
    clear() {
      full = [];
      last = Buffer.alloc(0);
      used = 0;
      length = 0;
    },
    *[Symbol.iterator]() {
      for (const slab of full) yield* recordsIn(inflateRawSync(slab));
      yield* recordsIn(last.subarray(0, used));
    },
  };
}

function* recordsIn(slab: Buffer): Generator<Buffer, void, void> {
  for (let at = 0; at < slab.length; ) {
    const from = at + LENGTH_BYTES;
    at = from + slab.readUInt32LE(at);
    yield slab.subarray(from, at);
  }
}
