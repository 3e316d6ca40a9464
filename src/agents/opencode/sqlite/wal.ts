import { Buffer } from "node:buffer";
import type { Disk, Handle } from "../../../fs/disk.ts";

/** The write-ahead log of a database: committed pages that are not in its file yet. */
export interface Wal {
  readonly pageSize: number;
  /** The number of pages of the database since the last commit. */
  readonly pageCount: number;
  /** Where the newest content of a page is in the log. */
  readonly places: ReadonlyMap<number, number>;
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The last bit gives the byte order of the words that are summed. */
const MAGIC = 0x377f0682;

/**
 * Finds the pages in a log, as far as whole transactions are in it: checksums exclude frames of an earlier use of the
 * file and those that are being written. undefined if there are none.
 */
export function readWal(disk: Disk, file: Handle): Wal | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  if (disk.read(file, header, 0) < HEADER_BYTES) return undefined;
  const magic = header.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) return undefined;
  const pageSize = header.readUInt32BE(8);
  if (pageSize < 512 || pageSize > 65_536) return undefined;
  const sum = createSum((magic & 1) === 1);
  sum.add(header, 0, 24);
  if (!sum.is(header, 24)) return undefined;

  const places = new Map<number, number>();
  /** Frames of the transaction that is being read. */
  let written: [number, number][] = [];
  let pageCount = 0;
  const frame = Buffer.allocUnsafeSlow(FRAME_HEADER_BYTES + pageSize);
  for (let at = HEADER_BYTES; disk.read(file, frame, at) === frame.length; at += frame.length) {
    const isOfThisUse =
      frame.readUInt32BE(8) === header.readUInt32BE(16) && frame.readUInt32BE(12) === header.readUInt32BE(20);
    if (!isOfThisUse) break;
    sum.add(frame, 0, 8);
    sum.add(frame, FRAME_HEADER_BYTES, frame.length);
    if (!sum.is(frame, 16)) break;
    written.push([frame.readUInt32BE(0), at + FRAME_HEADER_BYTES]);
    const countAfterCommit = frame.readUInt32BE(4);
    if (countAfterCommit === 0) continue;
    for (const [page, place] of written) places.set(page, place);
    written = [];
    pageCount = countAfterCommit;
  }
  return pageCount === 0 ? undefined : { pageSize, pageCount, places };
}

interface Sum {
  add(bytes: Buffer, from: number, to: number): void;
  /** Whether the checksum so far is the recorded one. */
  is(bytes: Buffer, at: number): boolean;
}

/** Every checksum continues the one before, so a frame counts only if all frames before it do. */
function createSum(isBigEndian: boolean): Sum {
  let first = 0;
  let second = 0;
  return {
    add(bytes, from, to) {
      for (let at = from; at < to; at += 8) {
        const a = isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
        const b = isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4);
        first = (first + a + second) >>> 0;
        second = (second + b + first) >>> 0;
      }
    },
    is: (bytes, at) => bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second,
  };
}
