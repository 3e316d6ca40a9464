import type { ColumnArray } from "./column.ts";
import { decodeUnits, unitsToString } from "./term-units.ts";

/*
 * A number per term tells of most terms, without looking at them, that they are too far from a word: its length,
 * and which letters it has. An edit makes a term longer or shorter by one at most, brings in one letter at most
 * and takes away one at most.
 */

const LENGTH_BITS = 5;
/** Longer terms are as long as this. */
const MAX_LENGTH = 2 ** LENGTH_BITS - 1;
/** Letters that share a bit are one letter here; those from a to z do not. */
const LETTER_BITS = 27;

export function signatureOf(term: string): number {
  let letters = 0;
  for (let i = 0; i < term.length; i++) letters |= 1 << (term.charCodeAt(i) % LETTER_BITS);
  return ((letters << LENGTH_BITS) | Math.min(term.length, MAX_LENGTH)) >>> 0;
}

/** The same of a term as `writeUnits` writes it. */
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

/**
 * Numbers of the terms that may be within `maxDistance` edits of a word, in order: all others are farther away.
 * One plain loop over all terms: it must be fast before anything is optimised.
 */
export function nearCandidates(
  signatures: ColumnArray,
  word: string,
  maxDistance: number,
): readonly number[] {
  const candidates: number[] = [];
  const other = signatureOf(word);
  const shortest = Math.max(0, (other & MAX_LENGTH) - maxDistance);
  const longest = (other & MAX_LENGTH) + maxDistance;
  const wanted = other >>> LENGTH_BITS;
  for (let term = 0; term < signatures.length; term++) {
    const signature = signatures[term] ?? 0;
    const length = signature & MAX_LENGTH;
    if (length < shortest || length > longest) continue;
    const letters = signature >>> LENGTH_BITS;
    if (countBits(letters & ~wanted) > maxDistance || countBits(wanted & ~letters) > maxDistance) continue;
    candidates.push(term);
  }
  return candidates;
}

/** Of 32 bits. */
function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
