import { decodeUnits, unitsToString } from "./bytes.ts";
import type { StoredColumn } from "./paged-file.ts";

/*
 * A signature rules out most terms as too far from a word without reading them: it has the term's length and the set of
 * its letters. An edit changes the length by one at most, adds one letter at most and removes one at most. Terms are
 * grouped by length, so that only those of about the word's length are compared.
 */

const LENGTH_BITS = 5;
/** Longer terms count as this long. */
const MAX_LENGTH = 2 ** LENGTH_BITS - 1;
/** Characters may share a bit; a to z do not. */
const LETTER_BITS = 27;

export function signatureOf(term: string): number {
  let letters = 0;
  for (let i = 0; i < term.length; i++) letters |= 1 << (term.charCodeAt(i) % LETTER_BITS);
  return ((letters << LENGTH_BITS) | Math.min(term.length, MAX_LENGTH)) >>> 0;
}

/** The signature of a term that `writeUnits` wrote. */
export function signatureOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let letters = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) {
      const units = new Uint16Array(end - start);
      return signatureOf(unitsToString(units, decodeUnits(bytes, start, end, units, 0)));
    }
    letters |= 1 << (byte % LETTER_BITS);
  }
  return ((letters << LENGTH_BITS) | Math.min(end - start, MAX_LENGTH)) >>> 0;
}

/** Terms grouped by length, in order within a length. */
export interface TermsByLength {
  /** Where each length starts, then where the longest ends. */
  readonly starts: readonly number[];
  /** Their sets of letters, and their numbers. */
  readonly letters: Uint32Array;
  readonly terms: Uint32Array;
}

export function groupByLength(signatures: Uint32Array): TermsByLength {
  const starts = Array.from({ length: MAX_LENGTH + 2 }, () => 0);
  for (const signature of signatures) {
    const next = (signature & MAX_LENGTH) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let length = 1; length < starts.length; length++)
    starts[length] = (starts[length] ?? 0) + (starts[length - 1] ?? 0);
  const letters = new Uint32Array(signatures.length);
  const terms = new Uint32Array(signatures.length);
  const next = [...starts];
  signatures.forEach((signature, term) => {
    const length = signature & MAX_LENGTH;
    const at = next[length] ?? 0;
    next[length] = at + 1;
    letters[at] = signature >>> LENGTH_BITS;
    terms[at] = term;
  });
  return { starts, letters, terms };
}

/** The same as stored columns. */
export interface NearColumns {
  readonly starts: readonly number[];
  readonly letters: Pick<StoredColumn, "slice">;
  readonly terms: Pick<StoredColumn, "slice">;
}

/** Numbers of terms from `from` up to, not including, `to`. */
export interface TermRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the numbers of the terms of a range that may be within `maxDistance` edits of a word, in order. */
export function nearCandidates(
  near: NearColumns,
  word: string,
  maxDistance: number,
  range: TermRange = { from: 0, to: Number.POSITIVE_INFINITY },
): Uint32Array {
  const signature = signatureOf(word);
  const lettersOfWord = signature >>> LENGTH_BITS;
  const ofWord = signature & MAX_LENGTH;
  const longest = Math.min(MAX_LENGTH, ofWord + maxDistance);
  const found: number[] = [];
  for (let length = Math.max(0, ofWord - maxDistance); length <= longest; length++) {
    const start = near.starts[length] ?? 0;
    const terms = near.terms.slice(start, near.starts[length + 1] ?? start);
    const first = firstFrom(terms, range.from);
    const end = firstFrom(terms, range.to);
    const letters = near.letters.slice(start + first, start + end);
    for (let i = 0; i < letters.length; i++) {
      const has = letters[i] ?? 0;
      if (hasAtMost(has & ~lettersOfWord, maxDistance) && hasAtMost(lettersOfWord & ~has, maxDistance))
        found.push(terms[first + i] ?? 0);
    }
  }
  return Uint32Array.from(found).sort();
}

/** Where the first number is that is not less than `least`; the numbers are in order. */
function firstFrom(numbers: ArrayLike<number>, least: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether at most so many bits are set. */
function hasAtMost(bits: number, most: number): boolean {
  let rest = bits;
  // Each step clears the lowest bit.
  for (let i = 0; i < most && rest !== 0; i++) rest &= rest - 1;
  return rest === 0;
}
