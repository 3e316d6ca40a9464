import { isDigit, unitAt } from "./char-class.ts";
import type { TextUnits } from "./text-units.ts";

/**
 * What no one searches for by its letters: hashes, keys, base64. Such words are nearly all different,
 * so each would be a term of its own in the dictionary.
 */

/** Longer words are left out. */
export const MAX_TERM_CHARS = 64;
const HEX_CHARS = 16;
const RANDOM_CHARS = 16;
/** Mean length of the pieces between a change of case or from letter to digit: 2.2 in base64, 5 in names. */
const RANDOM_PIECE = 2.4;
/** So much of a run is looked at to tell base64 from a path. */
const BASE64_SAMPLE_CHARS = 256;

/** `word` is letters and digits without joints, in its own case. */
export function isJunk(word: string): boolean {
  if (word.length > MAX_TERM_CHARS) return true;
  return word.length >= HEX_CHARS && (isHex(word) || isRandom(word));
}

export function isHex(word: string): boolean {
  for (let index = 0; index < word.length; index++) {
    const code = unitAt(word, index) | 32;
    if (!(code >= 97 && code <= 102) && !isDigit(unitAt(word, index))) return false;
  }
  return true;
}

/** Letters and digits in an order that no name has. */
export function isRandom(word: string): boolean {
  if (word.length < RANDOM_CHARS) return false;
  let pieces = 1;
  let digits = 0;
  let before = kindOf(unitAt(word, 0));
  if (before === DIGIT) digits++;
  for (let index = 1; index < word.length; index++) {
    const kind = kindOf(unitAt(word, index));
    if (kind === DIGIT) digits++;
    // Upper before lower is how a hump begins.
    if (kind !== before && !(before === UPPER && kind === LOWER)) pieces++;
    before = kind;
  }
  return digits > 0 && word.length / pieces < RANDOM_PIECE;
}

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;

function kindOf(code: number): number {
  if (isDigit(code)) return DIGIT;
  return code >= 65 && code <= 90 ? UPPER : LOWER;
}

const SHA1_CHARS = 40;
/** Of uuids and commit hashes the beginning is a term: people paste those, and 32 bits tell them apart. */
export const HASH_HEAD_CHARS = 8;

export function isCommitHash(word: string): boolean {
  return word.length === SHA1_CHARS && isHex(word);
}

/** Where a run of base64 ends that begins at `start`; `start` itself if it is too short or looks like names. */
export function base64End({ text, units, length }: TextUnits, start: number): number {
  const sample = runEnd(units, start, Math.min(length, start + BASE64_SAMPLE_CHARS));
  if (sample - start <= MAX_TERM_CHARS || !isRandom(text.slice(start, sample))) return start;
  return runEnd(units, sample, length);
}

/** Where the letters of base64 end that begin at `start`. */
export function runEnd(units: Uint16Array, start: number, limit: number): number {
  let end = start;
  while (end < limit && isBase64(units[end] ?? 0)) end++;
  return end;
}

function isBase64(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || isDigit(code) || code === 43 || code === 47 || code === 61;
}
