import { Buffer } from "node:buffer";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { IndexDamage } from "../../fs/damage.ts";
import type { Disk, Handle } from "../../fs/disk.ts";
import { once } from "../../fs/once.ts";
import type { FieldTable } from "../ranking/index-schema.ts";
import { type Dictionary, openDictionary } from "./dictionary.ts";
import type { DictionaryPlace } from "./dictionary-writer.ts";
import {
  type ColumnArray,
  type ColumnPlace,
  createPagedFile,
  openColumn,
  type PagedFile,
  readExactly,
  type StoredColumn,
} from "./paged-file.ts";
import { type BlocksPlace, openStoredBlocks, type StoredBlocks } from "./stored-blocks.ts";

/** A segment open for reading. Only its directory is read at once; everything else on demand. */
export interface Segment {
  readonly descriptor: SegmentDescriptor;
  readonly totals: SegmentTotals;
  readonly dictionary: Dictionary;
  postings(offset: number, length: number): Buffer;
  fieldLengths(field: number): StoredColumn;
  key(session: number): string;
  /** All keys in order: cheaper than one at a time. */
  keys(): readonly string[];
  /** The first turn of each session, then the number of turns. */
  turnStarts(): ColumnArray;
  readonly turnNumbers: StoredColumn;
  readonly turnFlags: StoredColumn;
  readonly turnIdentities: StoredColumn;
  readonly turnFingerprints: StoredColumn;
  cardFingerprints(field: number): StoredColumn;
  /** NaN if unknown. */
  readonly turnTimes: StoredColumn;
  readonly cardTimes: StoredColumn;
  readonly rows: StoredBlocks;
  readonly digests: StoredBlocks;
  readonly cardTexts: StoredBlocks;
  readonly turnTexts: StoredBlocks;
  readonly turnTextsApart: StoredBlocks;
  close(): void;
}

/** Throws the system's own error if the file is missing: the caller then reads the manifest again. */
export function openSegment(
  disk: Disk,
  folder: string,
  descriptor: SegmentDescriptor,
  fields: FieldTable,
): Segment {
  const handle = disk.open(join(folder, descriptor.file), "read");
  try {
    return readSegment(disk, handle, descriptor, fields);
  } catch (error) {
    disk.close(handle);
    throw error;
  }
}

function readSegment(disk: Disk, handle: Handle, descriptor: SegmentDescriptor, fields: FieldTable): Segment {
  const { file: name, bytes, directoryOffset } = descriptor;
  const { directory, sums } = decodeDirectory(
    readExactly(disk, handle, name, directoryOffset, bytes - directoryOffset),
    descriptor,
  );
  const file = createPagedFile(disk, handle, name, sums, directoryOffset);
  const { sessions, turns } = directory;
  const column = (place: ColumnPlace, count: number): StoredColumn => openColumn(file, place, count);
  const fieldColumns = directory.fieldLengths.map((place, field) =>
    column(place, fields[field]?.kind === "card" ? sessions : turns),
  );
  const zeros = column({ offset: 0, width: 0 }, Math.max(sessions, turns));
  const turnStarts = column(directory.turnStarts, sessions + 1);

  return {
    descriptor,
    totals: directory,
    dictionary: openDictionary(file, directory.dictionary),
    postings: (offset, length) => file.read(directory.postingsOffset + offset, length),
    fieldLengths: (field) => fieldColumns[field] ?? zeros,
    ...openKeys(file, directory.keysOffset, column(directory.keyEnds, sessions), sessions),
    turnStarts: () => turnStarts.all(),
    turnNumbers: column(directory.turnNumbers, turns),
    turnFlags: column(directory.turnFlags, turns),
    turnIdentities: column(directory.turnIdentities, turns),
    turnFingerprints: column(directory.turnFingerprints, turns),
    cardFingerprints: (field) =>
      column(directory.cardFingerprints[field] ?? { offset: 0, width: 0 }, sessions),
    turnTimes: column(directory.turnTimes, turns),
    cardTimes: column(directory.cardTimes, sessions),
    rows: openStoredBlocks(file, directory.rows),
    digests: openStoredBlocks(file, directory.digests),
    cardTexts: openStoredBlocks(file, directory.cardTexts),
    turnTexts: openStoredBlocks(file, directory.turnTexts),
    turnTextsApart: openStoredBlocks(file, directory.turnTextsApart),
    close: () => disk.close(handle),
  };
}

function openKeys(
  file: PagedFile,
  offset: number,
  ends: StoredColumn,
  count: number,
): Pick<Segment, "key" | "keys"> {
  return {
    key(session) {
      const from = session === 0 ? 0 : ends.at(session - 1);
      return file.read(offset + from, ends.at(session) - from).toString("utf8");
    },
    keys: once(() => {
      const all = ends.all();
      const bytes = file.read(offset, all[count - 1] ?? 0);
      return Array.from(all, (end, i) => bytes.toString("utf8", i === 0 ? 0 : all[i - 1], end));
    }),
  };
}

/** Changes with the bytes: an index in another format is rebuilt. See docs/STORAGE.md. */
export const INDEX_FORMAT = 9;

/** The first line of a segment file. */
export const SEGMENT_MAGIC: Buffer = Buffer.from(`sessions index segment ${INDEX_FORMAT}\n`);

/** The share of a segment in the statistics. */
export interface SegmentTotals {
  readonly sessions: number;
  readonly turns: number;
  /** An upper bound of the turns that were copied from another session. */
  readonly copies: number;
  /** By field, the sum of its lengths over all documents; a length is the number of distinct terms. */
  readonly lengths: readonly number[];
}

/** The offsets of everything in a segment. JSON at the end of the file, after the checksums of the pages. */
export interface SegmentDirectory extends SegmentTotals {
  readonly dictionary: DictionaryPlace;
  readonly postingsOffset: number;
  readonly postingsLength: number;
  /** By field, a length per document of its kind. */
  readonly fieldLengths: readonly ColumnPlace[];
  /** Where each session key ends in the UTF-8 at `keysOffset`. */
  readonly keyEnds: ColumnPlace;
  readonly keysOffset: number;
  readonly turnStarts: ColumnPlace;
  readonly turnNumbers: ColumnPlace;
  readonly turnFlags: ColumnPlace;
  readonly turnIdentities: ColumnPlace;
  /** The `documentFingerprint` of each turn. */
  readonly turnFingerprints: ColumnPlace;
  /** By field of the card, the `textFingerprint` of each session's text; 0 for short texts. */
  readonly cardFingerprints: readonly ColumnPlace[];
  /** Milliseconds since 1970; NaN if unknown. */
  readonly turnTimes: ColumnPlace;
  readonly cardTimes: ColumnPlace;
  readonly rows: BlocksPlace;
  readonly digests: BlocksPlace;
  readonly cardTexts: BlocksPlace;
  readonly turnTexts: BlocksPlace;
  readonly turnTextsApart: BlocksPlace;
}

/** Names a segment file and says how to verify it. Plain data, so a worker thread can post it. */
export interface SegmentDescriptor {
  readonly file: string;
  readonly bytes: number;
  /** The directory goes from here to the end of the file and has this checksum. */
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

function decodeDirectory(
  bytes: Buffer,
  descriptor: SegmentDescriptor,
): { readonly directory: SegmentDirectory; readonly sums: Uint32Array } {
  if (crc32(bytes) !== descriptor.directorySum) {
    throw new IndexDamage(`${descriptor.file}: the checksum of its directory is wrong`);
  }
  const count = bytes.readUInt32LE(0);
  const sums = new Uint32Array(new Uint8Array(bytes.subarray(4, 4 + count * 4)).buffer);
  // The checksum is right, so encodeDirectory() wrote this.
  const directory: SegmentDirectory = JSON.parse(bytes.toString("utf8", 4 + count * 4));
  return { directory, sums };
}
