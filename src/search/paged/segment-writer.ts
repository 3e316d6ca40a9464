import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { IndexDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import type { FieldTable } from "../ranking/index-schema.ts";
import { isCopied } from "../ranking/turn-flags.ts";
import { appendColumn, type ColumnPlace } from "./column.ts";
import { createDictionaryWriter, type DictionaryPlace, type DictionaryWriter } from "./dictionary-writer.ts";
import { createPagedWriter, type PagedWriter } from "./paged-file.ts";
import { type BlocksPlace, type BlocksWriter, createBlocksWriter } from "./stored-blocks.ts";

/**
 * Raw bytes per block. What is opened seldom, or all at once, has larger blocks: texts that are kept apart, digests.
 */
const TEXT_BLOCK = 4 * 1024;
const APART_BLOCK = 32 * 1024;
const ROW_BLOCK = 2 * 1024;
const DIGEST_BLOCK = 32 * 1024;

/** Numbers of the sessions and turns of a segment, in their order. */
export interface SegmentNumbers {
  readonly keys: readonly string[];
  /** First turn of each session, and behind the last one the number of turns. */
  readonly turnStarts: readonly number[];
  /** NaN where there is none. */
  readonly cardTimes: readonly number[];
  readonly turnTimes: readonly number[];
  readonly turnNumbers: readonly number[];
  readonly turnFlags: readonly number[];
  readonly turnIdentities: readonly number[];
  readonly turnSums: readonly number[];
  /** Per field of the table; of those of the card, one for each session. */
  readonly cardSums: readonly (readonly number[])[];
  /** Per field of the table, a length per document of its kind. */
  readonly fieldLengths: readonly (readonly number[])[];
}

/** Gives all terms to the dictionary, in order, and appends their postings in the same order. */
type WriteTerms = (dictionary: DictionaryWriter, postings: PagedWriter) => void;

/**
 * Writes a segment from front to back: texts and digests as they come, the rest when all is known.
 * The file is complete and on the disk when `finish` returns; as long as no manifest names it, it
 * does not exist for anybody.
 */
interface SegmentWriter {
  readonly digests: BlocksWriter;
  readonly cardTexts: BlocksWriter;
  readonly turnTexts: BlocksWriter;
  readonly turnTextsApart: BlocksWriter;
  finish(numbers: SegmentNumbers, rows: Iterable<Uint8Array>, terms: WriteTerms): SegmentDescriptor;
  /** Closes and removes an unfinished file; `finish` does so itself where it fails. */
  abandon(): void;
}

export function createSegmentWriter(disk: Disk, folder: string, fields: FieldTable): SegmentWriter {
  const file = `${randomBytes(8).toString("hex")}.seg`;
  const path = join(folder, file);
  const out = createPagedWriter(disk, path);
  out.append(SEGMENT_MAGIC);
  const digests = createBlocksWriter(out, DIGEST_BLOCK);
  const cardTexts = createBlocksWriter(out, TEXT_BLOCK);
  const turnTexts = createBlocksWriter(out, TEXT_BLOCK);
  const turnTextsApart = createBlocksWriter(out, APART_BLOCK);

  const appendTerms = (
    terms: WriteTerms,
  ): { dictionary: DictionaryPlace; postingsOffset: number; postingsLength: number } => {
    const dictionary = createDictionaryWriter();
    const postingsOffset = out.offset;
    terms(dictionary, out);
    const postingsLength = out.offset - postingsOffset;
    return { dictionary: dictionary.append(out), postingsOffset, postingsLength };
  };

  const appendNumbers = (numbers: SegmentNumbers) => {
    const keys = numbers.keys.map((key) => Buffer.from(key));
    let end = 0;
    const keyEnds = keys.map((key) => {
      end += key.length;
      return end;
    });
    const keysOffset = out.offset;
    out.append(Buffer.concat(keys));
    return {
      keysOffset,
      keyEnds: appendColumn(out, keyEnds),
      turnStarts: appendColumn(out, numbers.turnStarts),
      turnNumbers: appendColumn(out, numbers.turnNumbers),
      turnFlags: appendColumn(out, numbers.turnFlags),
      turnIdentities: appendColumn(out, numbers.turnIdentities),
      turnSums: appendColumn(out, numbers.turnSums),
      cardSums: fields.map((_, field) => appendColumn(out, numbers.cardSums[field] ?? [])),
      turnTimes: appendColumn(out, numbers.turnTimes),
      cardTimes: appendColumn(out, numbers.cardTimes),
      fieldLengths: fields.map((_, field) => appendColumn(out, numbers.fieldLengths[field] ?? [])),
    };
  };

  const abandon = (): void => {
    out.close();
    disk.unlink(path);
  };

  const write: SegmentWriter["finish"] = (numbers, rows, terms) => {
    const rowBlocks = createBlocksWriter(out, ROW_BLOCK, "none");
    for (const row of rows) rowBlocks.add(row);
    const totals = {
      sessions: numbers.keys.length,
      turns: numbers.turnNumbers.length,
      copies: numbers.turnFlags.filter(isCopied).length,
      lengths: fields.map((_, field) => sum(numbers.fieldLengths[field] ?? [])),
    };
    const directory: SegmentDirectory = {
      ...totals,
      ...appendTerms(terms),
      ...appendNumbers(numbers),
      rows: rowBlocks.append(),
      digests: digests.append(),
      cardTexts: cardTexts.append(),
      turnTexts: turnTexts.append(),
      turnTextsApart: turnTextsApart.append(),
    };
    const sums = out.endPages();
    const directoryOffset = out.offset;
    const bytes = encodeDirectory(directory, sums);
    out.append(bytes);
    out.finish();
    return { file, bytes: out.offset, directoryOffset, directorySum: crc32(bytes), totals };
  };

  const finish: SegmentWriter["finish"] = (...parts) => {
    let descriptor: SegmentDescriptor;
    try {
      descriptor = write(...parts);
    } catch (error) {
      abandon();
      throw error;
    }
    out.close();
    return descriptor;
  };

  return { digests, cardTexts, turnTexts, turnTextsApart, finish, abandon };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Changes with the bytes: an index of another version is built anew. See docs/STORAGE.md. */
export const INDEX_FORMAT = 8;

/** What a segment file begins with. */
const SEGMENT_MAGIC: Buffer = Buffer.from(`sessions index segment ${INDEX_FORMAT}\n`);

/** Per field, in the order of the field table. */
interface FieldTotals {
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
interface SegmentDirectory extends SegmentTotals {
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

function encodeDirectory(directory: SegmentDirectory, sums: Uint32Array): Buffer {
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
