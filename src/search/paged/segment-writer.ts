import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "../../fs/disk.ts";
import type { FieldTable } from "../ranking/index-schema.ts";
import { isCopied } from "../ranking/index-schema.ts";
import { createDictionaryWriter, type DictionaryPlace, type DictionaryWriter } from "./dictionary-writer.ts";
import { appendColumn, createPagedWriter, type PagedWriter } from "./paged-file.ts";
import { encodeDirectory, SEGMENT_MAGIC, type SegmentDescriptor, type SegmentDirectory } from "./segment.ts";
import { type BlocksWriter, createBlocksWriter } from "./stored-blocks.ts";

/** Bytes per block before compression. Larger for columns that are read rarely or all at once. */
const TEXT_BLOCK = 4 * 1024;
const APART_BLOCK = 32 * 1024;
const ROW_BLOCK = 2 * 1024;
const DIGEST_BLOCK = 32 * 1024;

/** The columns of a segment, by session or turn, in order. */
export interface SegmentNumbers {
  readonly keys: readonly string[];
  /** The first turn of each session, then the number of turns. */
  readonly turnStarts: readonly number[];
  /** NaN if unknown. */
  readonly cardTimes: readonly number[];
  readonly turnTimes: readonly number[];
  readonly turnNumbers: readonly number[];
  readonly turnFlags: readonly number[];
  readonly turnIdentities: readonly number[];
  readonly turnFingerprints: readonly number[];
  /** By field of the table; for fields of the card, one number per session. */
  readonly cardFingerprints: readonly (readonly number[])[];
  /** By field of the table, a length per document of its kind. */
  readonly fieldLengths: readonly (readonly number[])[];
}

/** Adds all terms to the dictionary, in order, and appends their postings in the same order. */
type WriteTerms = (dictionary: DictionaryWriter, postings: PagedWriter) => void;

/**
 * Writes a segment from front to back: texts and digests as they come, the rest at the end. The file is complete and
 * durable when `finish` returns; no reader sees it until a manifest names it.
 */
interface SegmentWriter {
  readonly digests: BlocksWriter;
  readonly cardTexts: BlocksWriter;
  readonly turnTexts: BlocksWriter;
  readonly turnTextsApart: BlocksWriter;
  finish(numbers: SegmentNumbers, rows: Iterable<Uint8Array>, terms: WriteTerms): SegmentDescriptor;
  /** Closes and removes an unfinished file; `finish` does so itself if it fails. */
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
      turnFingerprints: appendColumn(out, numbers.turnFingerprints),
      cardFingerprints: fields.map((_, field) => appendColumn(out, numbers.cardFingerprints[field] ?? [])),
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
