import { UUID_CHARS } from "../../jsonl/values.ts";
import { isDigit, isLower, isUpper } from "./char-class.ts";
import { MAX_TERM_CHARS } from "./junk.ts";
import { HUMP, HUMP_IF_LOWER, humpAt, isUndivided, mayBeUndivided } from "./split-name.ts";
import type { TextUnits } from "./text-units.ts";

/**
 * The parts of a name of ASCII and its whole, as `splitName` and `joinParts` give them, without making anything:
 * where terms are met for the first time again and again, this is most of the work.
 */
export interface NameWalk {
  /** Beginning and end of each part, one after the other. */
  readonly bounds: Int32Array;
  count: number;
  /** All parts as one word in lower case. */
  readonly whole: Uint8Array;
  /** 0 where there is no whole. */
  wholeLength: number;
}

/** Longer names are left to others. */
export const MAX_WALKED_CHARS = 64;

export function createNameWalk(): NameWalk {
  return {
    bounds: new Int32Array(MAX_WALKED_CHARS * 2 + 2),
    count: 0,
    whole: new Uint8Array(MAX_WALKED_CHARS * 2),
    wholeLength: 0,
  };
}

/**
 * False for names that have something special about them or may have: hashes, dates, versions with a v or capitals,
 * apostrophes, and all that is not ASCII.
 */
export function walkName(source: TextUnits, start: number, end: number, walk: NameWalk): boolean {
  const { units } = source;
  if (end - start > MAX_WALKED_CHARS) return false;
  walk.count = 0;
  let index = start;
  let hasDot = false;
  /** A line number that is no part of the whole begins here. */
  let cut = end;
  while (index < end) {
    const unit = units[index] ?? 0;
    if (!isAlphanumeric(unit)) {
      if (unit === DOT) hasDot = true;
      else if (unit === DASH) {
        if (hasDot && cut === end && isLineNumber(units, start, index, end)) cut = index;
      } else if (unit !== UNDERSCORE && unit !== SLASH && unit !== COLON && unit !== BACKSLASH) return false;
      index++;
      continue;
    }
    index = walkWord(source, index, end, walk);
    if (index < 0) return false;
  }
  join(units, walk, walk.count < PARTS_WITH_LINE_NUMBER ? end : cut);
  return true;
}

/** Adds the humps of the word at `start`; its end, or -1 where it is special. */
function walkWord({ text, units }: TextUnits, start: number, end: number, walk: NameWalk): number {
  if (units[start + 8] === DASH && units[start + 13] === DASH) return -1;
  const numberEnd = dottedEnd(units, start, end);
  if (numberEnd > start) {
    if (units[start + 4] === DASH || numberEnd - start === UUID_CHARS) return -1;
    addPart(walk, start, numberEnd);
    return numberEnd;
  }
  let index = start;
  let digits = 0;
  let lowers = 0;
  let isHex = true;
  for (; index < end; index++) {
    const unit = units[index] ?? 0;
    if (isLower(unit)) lowers++;
    else if (isDigit(unit)) digits++;
    else if (!isUpper(unit)) break;
    if ((unit | 32) > LOWER_F) isHex = false;
  }
  const length = index - start;
  if (digits > 0 && mayBeNumber(units, start, end)) return -1;
  if (length >= HASH_CHARS && (digits > 0 || isHex)) return -1;
  let from = start;
  // Where there is a capital behind the first letter.
  for (let at = start + 1; lowers + digits < length && at < index; at++) {
    if (!isUpper(units[at] ?? 0)) continue;
    const next = at + 1 < index ? (units[at + 1] ?? 0) : 0;
    const hump = humpAt(units[at - 1] ?? 0, next, at + 2 < index ? (units[at + 2] ?? 0) : 0);
    if (hump !== HUMP && (hump !== HUMP_IF_LOWER || lowers === 0)) continue;
    if (from === start && mayBeUndivided(units[start] ?? 0, length) && isUndivided(text.slice(start, index)))
      return -1;
    addPart(walk, from, at);
    from = at;
  }
  addPart(walk, from, index);
  return index;
}

/** The end of a version or a decimal number, in small letters, that begins here with a digit; `start` if there is none. */
function dottedEnd(units: Uint16Array, start: number, end: number): number {
  let index = start;
  while (index < end && isDigit(units[index] ?? 0)) index++;
  if (index === start || index + 1 >= end || units[index] !== DOT || !isDigit(units[index + 1] ?? 0))
    return start;
  for (; index < end; index++) {
    const unit = units[index] ?? 0;
    if (isLower(unit) || isDigit(unit)) continue;
    if (isUpper(unit)) return start;
    if (unit !== DOT || index + 1 >= end || !isDigit(units[index + 1] ?? 0)) break;
  }
  return index;
}

/** May a date or a version begin here? */
function mayBeNumber(units: Uint16Array, start: number, end: number): boolean {
  let index = ((units[start] ?? 0) | 32) === LOWER_V ? start + 1 : start;
  if (!isDigit(units[index] ?? 0)) return false;
  if (units[start + 4] === DASH) return true;
  while (index < end && isDigit(units[index] ?? 0)) index++;
  return units[index] === DOT && isDigit(units[index + 1] ?? 0);
}

function addPart(walk: NameWalk, from: number, to: number): void {
  walk.bounds[walk.count * 2] = from;
  walk.bounds[walk.count * 2 + 1] = to;
  walk.count++;
}

/** Is the dash at `index` one as in token.ts-120, behind the ending of a file? */
function isLineNumber(units: Uint16Array, start: number, index: number, end: number): boolean {
  let letters = index;
  while (letters > start && letters > index - MAX_ENDING && isLetter(units[letters - 1] ?? 0)) letters--;
  if (letters === index || letters === start || units[letters - 1] !== DOT) return false;
  let digits = index + 1;
  while (digits < end && isDigit(units[digits] ?? 0)) digits++;
  return digits > index + 1 && (digits === end || units[digits] === DASH);
}

/** Joints go, but stay between digits. */
function join(units: Uint16Array, walk: NameWalk, cut: number): void {
  const { bounds, whole } = walk;
  let length = 0;
  let joined = 0;
  for (let part = 0; part < walk.count; part++) {
    const from = bounds[part * 2] ?? 0;
    const to = bounds[part * 2 + 1] ?? 0;
    if (from > cut) break;
    const before = part === 0 ? from : (bounds[part * 2 - 1] ?? 0);
    if (from > before && isDigit(units[from] ?? 0) && isDigit(whole[length - 1] ?? 0))
      whole[length++] = lowerCase(units[before] ?? 0);
    for (let index = from; index < to; index++) whole[length++] = lowerCase(units[index] ?? 0);
    joined++;
  }
  walk.wholeLength = joined > 1 && length <= MAX_TERM_CHARS ? length : 0;
}

function lowerCase(unit: number): number {
  return isUpper(unit) ? unit | 32 : unit;
}

function isLetter(unit: number): boolean {
  return isLower(unit) || isUpper(unit);
}

function isAlphanumeric(unit: number): boolean {
  return isLower(unit) || isDigit(unit) || isUpper(unit);
}

const HASH_CHARS = 16;
const PARTS_WITH_LINE_NUMBER = 3;
const MAX_ENDING = 5;
const DASH = 45;
const DOT = 46;
const SLASH = 47;
const COLON = 58;
const BACKSLASH = 92;
const UNDERSCORE = 95;
const LOWER_F = 102;
const LOWER_V = 118;
