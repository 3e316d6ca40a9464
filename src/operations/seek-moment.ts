import { Buffer } from "node:buffer";
import { firstIsSince, momentBytes } from "../formats/lines-since.ts";
import type { Disk } from "../store/disk.ts";

/** Lines are longer now and then: then it is not looked any closer. */
const STRETCH_BYTES = 64 * 1024;
/** What is left is read in one go. */
const CLOSE_BYTES = 256 * 1024;

/**
 * About where in a log the lines of a moment begin, found by halves: not behind the first of them, where lines stand
 * in the order of time. A log of 6 MB is read up to half a megabyte that way instead of up to the moment.
 */
export function seekMoment(disk: Disk, path: string, since: number): number {
  const buffer = Buffer.allocUnsafeSlow(STRETCH_BYTES);
  const moment = momentBytes(since);
  let low = 0;
  let high = disk.stat(path)?.size ?? 0;
  while (high - low > CLOSE_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const isSince = firstIsSince(readStretch(disk, path, middle, buffer), moment);
    if (isSince === undefined) return low;
    if (isSince) high = middle;
    else low = middle;
  }
  return low;
}

function readStretch(disk: Disk, path: string, from: number, buffer: Buffer): Buffer {
  for (const chunk of disk.readChunks(path, { from, to: from + buffer.length, buffer })) return chunk;
  return buffer.subarray(0, 0);
}
