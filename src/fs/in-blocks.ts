import { Buffer } from "node:buffer";

const BLOCK_BYTES = 256 * 1024;

/**
 * Joins small parts, because every part is a call to the disk. All blocks are the same memory: each must be used before
 * the next one is requested.
 */
export function* inBlocks(parts: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let filled = 0;
  for (const part of parts) {
    for (let taken = 0; taken < part.length; ) {
      const take = Math.min(part.length - taken, block.length - filled);
      block.set(part.subarray(taken, taken + take), filled);
      filled += take;
      taken += take;
      if (filled === block.length) {
        yield block;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
