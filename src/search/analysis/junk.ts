import { isDigit, isUpper, unitAt } from "./characters.ts";

/**
 * Recognizes text that nobody searches for by its letters: hashes, keys, base64. Such words are nearly all different,
 * so each would add a term to the dictionary.
 */

/** Longer words are left out. */
export const MAX_TERM_CHARS = 64;
/** Shorter words are never junk. */
const MIN_JUNK_CHARS = 16;
/** Mean length of the pieces between changes of case or from letter to digit: 2.2 in base64, 5 in names. */
const MAX_RANDOM_PIECE = 2.4;
/** How much of a run is examined to distinguish base64 from a path. */
const BASE64_SAMPLE_CHARS = 256;

/** `word` is letters and digits without joints, in its original case. */
export function isJunk(word: string): boolean {
  if (word.length < MIN_JUNK_CHARS) return false;
  return word.length > MAX_TERM_CHARS || isHex(word) || isRandom(word);
}

export function isHex(word: string): boolean {
  return /^[0-9a-f]+$/i.test(word);
}

/** Uuids and commit hashes are found by their first characters: people paste those, and they are distinct. */
export const HASH_HEAD_CHARS = 8;

export function isCommitHash(word: string): boolean {
  return word.length === 40 && isHex(word);
}

/** Whether it has letters and digits in an order that no name has. */
export function isRandom(word: string): boolean {
  let pieces = 1;
  let digits = 0;
  let before = "";
  for (let index = 0; index < word.length; index++) {
    const unit = unitAt(word, index);
    const kind = isDigit(unit) ? "digit" : isUpper(unit) ? "upper" : "lower";
    if (kind === "digit") digits++;
    // Upper before lower case is how a hump starts.
    if (index > 0 && kind !== before && !(before === "upper" && kind === "lower")) pieces++;
    before = kind;
  }
  return digits > 0 && word.length >= MIN_JUNK_CHARS && word.length / pieces < MAX_RANDOM_PIECE;
}

/** The end of the base64 that starts at `start`; `start` itself if it is too short or looks like names. */
export function base64End(text: string, start: number): number {
  const end = base64RunEnd(text, start);
  const sample = text.slice(start, Math.min(end, start + BASE64_SAMPLE_CHARS));
  return sample.length > MAX_TERM_CHARS && isRandom(sample) ? end : start;
}

/** The end of the letters of base64 that start at `start`. */
export function base64RunEnd(text: string, start: number): number {
  base64Run.lastIndex = start;
  base64Run.test(text);
  return base64Run.lastIndex;
}

const base64Run = /[A-Za-z0-9+/=]*/y;
