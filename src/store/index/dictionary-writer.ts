import { Buffer } from "node:buffer";
import { type ByteWriter, createByteWriter } from "../../core/search/byte-writer.ts";
import { appendColumn, type ColumnPlace } from "./column.ts";
import type { PagedWriter } from "./paged-writer.ts";
import { signatureOf } from "./term-signature.ts";
import { appendUnits, sharedUnits, unitsLength } from "./term-units.ts";

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
  const signatures: number[] = [];
  let previous = "";
  let terms = 0;
  let longest = 0;
  let postings = 0;

  const beginBlock = (term: string): void => {
    const separator = terms === 0 ? "" : term.slice(0, sharedUnits(previous, term) + 1);
    appendUnits(keys, separator);
    keyEnds.push(keys.length);
    recordStarts.push(records.length);
    postingStarts.push(postings);
  };

  return {
    add(term, postingsLength) {
      const begins = terms % BLOCK_TERMS === 0;
      if (begins) beginBlock(term);
      const shared = begins ? 0 : sharedUnits(previous, term);
      appendRecord(records, term, shared, postingsLength);
      signatures.push(signatureOf(term));
      postings += postingsLength;
      longest = Math.max(longest, term.length);
      previous = term;
      terms++;
    },
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
        signatures: appendColumn(out, signatures),
      };
    },
  };
}

function appendRecord(out: ByteWriter, term: string, shared: number, postingsLength: number): void {
  const suffix = unitsLength(term, shared);
  out.byte((Math.min(shared, LONG) << 4) | Math.min(suffix, LONG));
  if (shared >= LONG) out.varint(shared - LONG);
  if (suffix >= LONG) out.varint(suffix - LONG);
  appendUnits(out, term, shared);
  out.varint(postingsLength);
}
