import { withSearchLoops } from "../ranking/loops/search-loops.ts";
import type { StoredColumn } from "./column.ts";
import { decodeUnits, unitsToString } from "./term-units.ts";

/*
 * A number per term tells of most terms, without looking at them, that they are too far from a word: its length,
 * and which letters it has. An edit makes a term longer or shorter by one at most, brings in one letter at most
 * and takes away one at most. Terms of the same length stand together, so that only those of nearly the length of a
 * word are looked at.
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

/** Terms by their length, and those of the same length in order. */
export interface TermsByLength {
  /** Where each length begins, and behind the longest where it ends. */
  readonly starts: readonly number[];
  /** Which letters they have, and their numbers. */
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

/** The same, as it is read. */
export interface NearColumns {
  readonly starts: readonly number[];
  readonly letters: Pick<StoredColumn, "slice">;
  readonly terms: Pick<StoredColumn, "slice">;
}

/** Numbers of the terms that may be within `maxDistance` edits of a word, in order: all others are farther away. */
export function nearCandidates(near: NearColumns, word: string, maxDistance: number): Uint32Array {
  const signature = signatureOf(word);
  const length = signature & MAX_LENGTH;
  const from = near.starts[Math.max(0, length - maxDistance)] ?? 0;
  const to = near.starts[Math.min(MAX_LENGTH, length + maxDistance) + 1] ?? from;
  const letters = near.letters.slice(from, to);
  const places = withSearchLoops((loops, room) => {
    const at = room.put(letters instanceof Uint32Array ? letters : Uint32Array.from(letters));
    const list = room.take(letters.length * 4);
    const listed = loops.listNear(at, letters.length, signature >>> LENGTH_BITS, maxDistance, list);
    return room.numbers(list, listed).slice();
  });
  const terms = near.terms.slice(from, to);
  return places.map((place) => terms[place] ?? 0).sort();
}
