import { Buffer } from "node:buffer";
import { countUnits, createByteWriter, encodeUnits, isInsideUnit, unitEnd } from "./bytes.ts";
import type { PagedWriter } from "./paged-file.ts";
import { appendColumn, type ColumnPlace } from "./paged-file.ts";
import { groupByLength, signatureOfBytes } from "./term-signature.ts";

/** Terms per block. The first term of a block is stored whole, the others without the prefix they share with the one before. */
export const BLOCK_TERMS = 64;

/** Lengths from this on do not fit into their half of the head byte. */
export const LONG = 15;

export interface DictionaryPlace {
  readonly offset: number;
  readonly length: number;
  readonly terms: number;
  /** Units of the longest term: the buffer that a reader needs. */
  readonly longest: number;
  /** The sparse table: where blocks start. */
  readonly blocks: number;
  readonly tableOffset: number;
  readonly tableLength: number;
  /** The signatures of all terms, grouped by length: see term-signature.ts. */
  readonly lengthStarts: readonly number[];
  readonly letters: ColumnPlace;
  readonly termsByLength: ColumnPlace;
}

export interface DictionaryWriter {
  /** Adds a term with the length of its postings in bytes. Terms must come in order, each once. */
  add(term: string, postingsLength: number): void;
  /** The same for a term that `writeUnits` wrote, which must stay in place until the next call. */
  addBytes(bytes: Uint8Array, start: number, end: number, postingsLength: number): void;
  append(out: PagedWriter): DictionaryPlace;
}

/**
 * Builds a dictionary in memory. One record per term: a head byte (shared units, suffix bytes; 15 means that a varint
 * with the rest follows), the suffix, and the length of its postings. Postings are in the order of the terms, so their
 * offsets are sums of lengths.
 *
 * The sparse table has for each block the shortest prefix of its first term that is greater than the block before, and
 * where its terms and its postings start, in numbers of fixed width, so that it can be searched without decoding.
 */
export function createDictionaryWriter(): DictionaryWriter {
  const records = createByteWriter(64 * 1024);
  const keys = createByteWriter(16 * 1024);
  const keyEnds: number[] = [];
  const recordStarts: number[] = [];
  const postingStarts: number[] = [];
  let signatures = new Uint32Array(1_024);
  /** Where the previous term is. */
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
    // Only whole units are shared.
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

/** Returns where the prefix ends that a term shares with the previous one. */
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

/** Bytes of a record besides those of its term: the head byte and three varints. */
const RECORD_ROOM = 16;

/** Writes the record of a term that shares its bytes up to `shared` with the previous one; returns where it ends. */
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

/** Writes a number below 2^32; returns where it ends. */
function writeVarint(to: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) to[at++] = (rest & 0x7f) | 0x80;
  to[at++] = rest;
  return at;
}
