import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { IndexDamage } from "../../fs/index-damage.ts";
import type { ColumnPlace } from "./column.ts";
import type { DictionaryPlace } from "./dictionary-writer.ts";
import type { BlocksPlace } from "./stored-blocks.ts";

/** Changes with the bytes: an index of another version is built anew. See docs/STORAGE.md. */
export const INDEX_FORMAT = 8;

/** What a segment file begins with. */
export const SEGMENT_MAGIC: Buffer = Buffer.from(`sessions index segment ${INDEX_FORMAT}\n`);

/** Per field, in the order of the field table. */
export interface FieldTotals {
  /** Sum of the lengths of the field over all documents; a length counts different terms. */
  readonly lengths: readonly number[];
}

/** What a segment adds to the corpus. */
export interface SegmentTotals extends FieldTotals {
  readonly sessions: number;
  readonly turns: number;
  /** Turns that were copied from another session; no fewer than there are. */
  readonly copies: number;
}

/** Where everything in a segment stands. JSON at the end of the file, with the checksums of the pages. */
export interface SegmentDirectory extends SegmentTotals {
  readonly dictionary: DictionaryPlace;
  readonly postingsOffset: number;
  readonly postingsLength: number;
  /** Of each field, a length per document of its kind. */
  readonly fieldLengths: readonly ColumnPlace[];
  /** Session keys: where each ends, then their UTF-8. */
  readonly keyEnds: ColumnPlace;
  readonly keysOffset: number;
  readonly turnStarts: ColumnPlace;
  readonly turnNumbers: ColumnPlace;
  readonly turnFlags: ColumnPlace;
  readonly turnIdentities: ColumnPlace;
  /** What `documentSum` gives for each turn. */
  readonly turnSums: ColumnPlace;
  /** Of each field of the card, what `textSum` gives for each session; 0 for short ones. */
  readonly cardSums: readonly ColumnPlace[];
  /** Milliseconds since 1970; NaN is no time. */
  readonly turnTimes: ColumnPlace;
  readonly cardTimes: ColumnPlace;
  readonly rows: BlocksPlace;
  readonly digests: BlocksPlace;
  readonly cardTexts: BlocksPlace;
  readonly turnTexts: BlocksPlace;
  /** Those that are kept apart. */
  readonly turnTextsApart: BlocksPlace;
}

/** Names a segment file and what must be found in it. Plain data: a worker thread can hand it over. */
export interface SegmentDescriptor {
  readonly file: string;
  readonly bytes: number;
  /** The directory: it begins here, goes to the end of the file and has this checksum. */
  readonly directoryOffset: number;
  readonly directorySum: number;
  readonly totals: SegmentTotals;
}

export function encodeDirectory(directory: SegmentDirectory, sums: Uint32Array): Buffer {
  const json = Buffer.from(JSON.stringify(directory));
  const count = Buffer.alloc(4);
  count.writeUInt32LE(sums.length, 0);
  return Buffer.concat([count, Buffer.from(sums.buffer, sums.byteOffset, sums.byteLength), json]);
}

export function decodeDirectory(
  bytes: Buffer,
  descriptor: SegmentDescriptor,
): { readonly directory: SegmentDirectory; readonly sums: Uint32Array } {
  if (crc32(bytes) !== descriptor.directorySum) {
    throw new IndexDamage(`${descriptor.file}: its directory is not what was written`);
  }
  const count = bytes.readUInt32LE(0);
  const sums = new Uint32Array(new Uint8Array(bytes.subarray(4, 4 + count * 4)).buffer);
  // Verified by its checksum: it is what encodeDirectory() wrote.
  const directory: SegmentDirectory = JSON.parse(bytes.toString("utf8", 4 + count * 4));
  return { directory, sums };
}
