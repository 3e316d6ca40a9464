import { Buffer } from "node:buffer";
import { createByteWriter } from "./bytes.ts";
import { appendColumn, type ColumnPlace } from "./column.ts";
import type { PagedWriter } from "./paged-file.ts";
import { groupByLength, signatureOfBytes } from "./term-signature.ts";
import { countUnits, encodeUnits, isInsideUnit, unitEnd } from "./term-units.ts";

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
  /** Which letters each term has, and its number, by length: see term-signature.ts. */
  readonly lengthStarts: readonly number[];
  readonly letters: ColumnPlace;
  readonly termsByLength: ColumnPlace;
}

export interface DictionaryWriter {
  /** Terms come in order, each once; `postingsLength` bytes of postings belong to it. */
  add(term: string, postingsLength: number): void;
  /** The same for a term that stands, as `writeUnits` writes it, from `start` to `end`, and stays there until the next. */
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
  /** Where the term before stands. */
  let previous: Uint8Array = new Uint8Array(0);
  let previousStart = 0;
  let previousEnd = 0;
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
    let same = sharedEnd(bytes, start, end, previous, previousStart, previousEnd);
    // Terms share whole units.
    while (same > start && isInsideUnit(bytes[same] ?? 0)) same--;
    if (terms % BLOCK_TERMS === 0) {
      beginBlock(bytes, start, terms === 0 ? start : unitEnd(bytes, same, end));
      same = start;
    }
    const to = records.room(end - same + RECORD_ROOM);
    records.wrote(writeRecord(to, records.length, bytes, start, same, end, postingsLength) - records.length);
    previous = bytes;
    previousStart = start;
    previousEnd = end;
    if (terms === signatures.length) {
      const larger = new Uint32Array(terms * 2);
      larger.set(signatures);
      signatures = larger;
    }
    signatures[terms++] = signatureOfBytes(bytes, start, end);
    postings += postingsLength;
    if (end - start > longest) longest = Math.max(longest, countUnits(bytes, start, end));
  };

  return {
    add(term, postingsLength) {
      const bytes = encodeUnits(term);
      addBytes(bytes, 0, bytes.length, postingsLength);
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
      const byLength = groupByLength(signatures.subarray(0, terms));
      return {
        offset,
        length: records.length,
        terms,
        longest,
        blocks: keyEnds.length,
        tableOffset,
        tableLength,
        lengthStarts: byLength.starts,
        letters: appendColumn(out, byLength.letters),
        termsByLength: appendColumn(out, byLength.terms),
      };
    },
  };
}

/** Where the bytes end that a term has in common with the one before. */
function sharedEnd(
  bytes: Uint8Array,
  start: number,
  end: number,
  previous: Uint8Array,
  previousStart: number,
  previousEnd: number,
): number {
  const most = Math.min(end, start + previousEnd - previousStart);
  let same = start;
  let other = previousStart;
  while (same < most && bytes[same] === previous[other]) {
    same++;
    other++;
  }
  return same;
}

/** Of a record, besides the bytes of its term: the head byte and three varints. */
const RECORD_ROOM = 16;

/** The record of a term of which the first bytes, up to `shared`, are those of the term before; where it ends. */
function writeRecord(
  to: Uint8Array,
  start: number,
  bytes: Uint8Array,
  from: number,
  shared: number,
  end: number,
  postingsLength: number,
): number {
  let at = start + 1;
  const units = countUnits(bytes, from, shared);
  const suffix = end - shared;
  to[start] = (Math.min(units, LONG) << 4) | Math.min(suffix, LONG);
  if (units >= LONG) at = writeVarint(to, at, units - LONG);
  if (suffix >= LONG) at = writeVarint(to, at, suffix - LONG);
  for (let next = shared; next < end; next++) to[at++] = bytes[next] ?? 0;
  return writeVarint(to, at, postingsLength);
}

/** Of a number below 2^32; where it ends. */
function writeVarint(to: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) to[at++] = (rest & 0x7f) | 0x80;
  to[at++] = rest;
  return at;
}
