import { Buffer } from "node:buffer";
import { splitLines } from "../formats/lines.ts";
import type { Disk, Handle } from "../store/disk.ts";

/** Some lines of a log, each with the LF that ends it but for a block of one line. */
export interface LineBlock {
  /** Valid only until the next block is asked for. */
  readonly bytes: Buffer;
  /** How long it is in the log: of a line that is too long to be held, a part is left out. */
  readonly length: number;
  /** False for a last line that no LF ends: it may be torn. */
  readonly ended: boolean;
}

const BLOCK_BYTES = 128 * 1024;
const LF = 10;

/**
 * The lines of a log from `from` on, as many at a time as a block holds: for who needs few of them, so that to take them
 * one by one would take longer than to find those. A line that is longer than a block comes alone. Amid a line, what is
 * left of that one comes first.
 */
export function* lineBlocks(disk: Disk, path: string, from: number): Generator<LineBlock> {
  const buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  const handle = disk.open(path, "read");
  try {
    let at = from;
    for (;;) {
      const block = readBlock(disk, handle, at, buffer) ?? readLine(disk, path, at);
      if (block === undefined) return;
      yield block;
      if (!block.ended) return;
      at += block.length;
    }
  } finally {
    disk.close(handle);
  }
}

/** undefined where it does not hold a whole line. */
function readBlock(disk: Disk, handle: Handle, at: number, buffer: Buffer): LineBlock | undefined {
  const got = disk.read(handle, buffer, at);
  const length = got === 0 ? 0 : buffer.lastIndexOf(LF, got - 1) + 1;
  if (length === 0) return undefined;
  return { bytes: buffer.subarray(0, length), length, ended: true };
}

function readLine(disk: Disk, path: string, at: number): LineBlock | undefined {
  for (const { bytes, length, ended } of splitLines(disk.readChunks(path, { from: at })))
    return { bytes, length: length + 1, ended };
  return undefined;
}
