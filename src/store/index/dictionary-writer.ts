import { Buffer } from "node:buffer";
import { type ByteWriter, createByteWriter } from "../../core/search/byte-writer.ts";
import { appendColumn, type ColumnPlace } from "./column.ts";
import type { PagedWriter } from "./paged-writer.ts";
import { signatureOfBytes } from "./term-signature.ts";
import { countUnits, isInsideUnit, unitEnd, writeUnits } from "./term-units.ts";

/** Terms in a block but the last. The first of a block stands whole; the others share the beginning of the one before. */
export const BLOCK_TERMS = 64;

/** From this on, a length does not fit into its half of the head byte. */
export const LONG = 15;

export interface DictionaryPlace {
  readonly offset: number;
  readonly length: number;
  readonly terms: number;
  /** Units of the longest term: what a reader needs room for. */
  readonly longest: number;
  /** The sparse table: where blocks begin. */
  readonly blocks: number;
  readonly tableOffset: number;
  readonly tableLength: number;
  /** Of each term: see term-signature.ts. */
  readonly signatures: ColumnPlace;
}

export interface DictionaryWriter {
  /** Terms come in order, each once; `postingsLength` bytes of postings belong to it. */
  add(term: string, postingsLength: number): void;
  /** The same for a term that stands, as `writeUnits` writes it, from `start` to `end`. */
  addBytes(bytes: Uint8Array, start: number, end: number, postingsLength: number): void;
  append(out: PagedWriter): DictionaryPlace;
}

/**
 * The dictionary is kept in memory until it is written (a tenth of the postings). One record per
 * term: head byte (shared units, suffix bytes; 15 means that a varint with the rest follows), the
 * suffix, the length of its postings. Postings stand in the order of the terms, so their offsets
 * are sums.
 *
 * The sparse table has, per block, the shortest text that parts it from the block before, and where
 * its terms and its postings begin, in numbers of fixed width: it is searched where it lies.
 */
export function createDictionaryWriter(): DictionaryWriter {
  const records = createByteWriter(64 * 1024);
  const keys = createByteWriter(16 * 1024);
  const keyEnds: number[] = [];
  const recordStarts: number[] = [];
  const postingStarts: number[] = [];
  let signatures = new Uint32Array(1_024);
  let previous = new Uint8Array(256);
  let previousLength = 0;
  let encoded = new Uint8Array(256);
  let terms = 0;
  let longest = 0;
  let postings = 0;

  const beginBlock = (bytes: Uint8Array, start: number, separatorEnd: number): void => {
    for (let at = start; at < separatorEnd; at++) keys.byte(bytes[at] ?? 0);
    keyEnds.push(keys.length);
    recordStarts.push(records.length);
    postingStarts.push(postings);
  };

  const addBytes: DictionaryWriter["addBytes"] = (bytes, start, end, postingsLength) => {
    const length = end - start;
    let same = 0;
    const most = Math.min(length, previousLength);
    while (same < most && bytes[start + same] === previous[same]) same++;
    // Terms share whole units.
    while (same > 0 && isInsideUnit(bytes[start + same] ?? 0)) same--;
    const begins = terms % BLOCK_TERMS === 0;
    if (begins) beginBlock(bytes, start, terms === 0 ? start : unitEnd(bytes, start + same, end));
    appendRecord(records, bytes, start, begins ? start : start + same, end, postingsLength);
    if (length > previous.length) previous = grown(previous, length);
    for (let at = same; at < length; at++) previous[at] = bytes[start + at] ?? 0;
    previousLength = length;
    if (terms === signatures.length) {
      const larger = new Uint32Array(terms * 2);
      larger.set(signatures);
      signatures = larger;
    }
    signatures[terms] = signatureOfBytes(bytes, start, end);
    postings += postingsLength;
    const units = length <= longest ? 0 : countUnits(bytes, start, end);
    if (units > longest) longest = units;
    terms++;
  };

  return {
    add(term, postingsLength) {
      if (term.length * 3 > encoded.length) encoded = new Uint8Array(term.length * 3);
      addBytes(encoded, 0, writeUnits(encoded, term), postingsLength);
    },
    addBytes,
    append(out) {
      const offset = out.offset;
      out.append(records.view());
      const tableOffset = out.offset;
      for (const numbers of [keyEnds, recordStarts, postingStarts]) {
        const bytes = Buffer.allocUnsafe(numbers.length * 4);
        numbers.forEach((value, i) => {
          bytes.writeUInt32LE(value, i * 4);
        });
        out.append(bytes);
      }
      out.append(keys.view());
      const tableLength = out.offset - tableOffset;
      return {
        offset,
        length: records.length,
        terms,
        longest,
        blocks: keyEnds.length,
        tableOffset,
        tableLength,
        signatures: appendColumn(out, signatures.subarray(0, terms)),
      };
    },
  };
}

/** The record of a term of which the first bytes, up to `shared`, are those of the term before. */
function appendRecord(
  out: ByteWriter,
  bytes: Uint8Array,
  start: number,
  shared: number,
  end: number,
  postingsLength: number,
): void {
  const units = countUnits(bytes, start, shared);
  const suffix = end - shared;
  out.byte((Math.min(units, LONG) << 4) | Math.min(suffix, LONG));
  if (units >= LONG) out.varint(units - LONG);
  if (suffix >= LONG) out.varint(suffix - LONG);
  const to = out.room(suffix);
  const before = out.length - shared;
  for (let at = shared; at < end; at++) to[before + at] = bytes[at] ?? 0;
  out.wrote(suffix);
  out.varint(postingsLength);
}

function grown(from: Uint8Array, wanted: number): Uint8Array<ArrayBuffer> {
  const to = new Uint8Array(wanted * 2);
  to.set(from);
  return to;
}
