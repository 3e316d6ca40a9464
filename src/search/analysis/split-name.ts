import { isUuid, UUID_CHARS } from "../../jsonl/values.ts";
import { isDigit, isLower, isUpper, TYPOGRAPHIC_APOSTROPHE, unitAt } from "./char-class.ts";
import { HASH_HEAD_CHARS, isCommitHash, isJunk, isRandom } from "./junk.ts";

/** A word inside of a name: getUserById has four. Offsets count in the name. */
export interface NamePart {
  readonly start: number;
  readonly end: number;
  /** What it stands for, in lower case, where that is not just its letters. */
  readonly text: string | undefined;
}

export interface SplitName {
  readonly parts: readonly NamePart[];
  /** How many of the parts make up the whole: 0 or 1 if there is none. */
  readonly wholeParts: number;
  readonly tail: NameTail;
}

/** What follows the name in the text belongs to it and is to be skipped. Numbers: this is asked for every word. */
export const TAIL_NONE = 0;
export const TAIL_TIME = 1;
export const TAIL_BASE64 = 2;
export type NameTail = typeof TAIL_NONE | typeof TAIL_TIME | typeof TAIL_BASE64;

/**
 * Splits a name at its joints and humps: getUserById, get_user_by_id and get-user.by/id all have the
 * same parts. A version or decimal number is one part (v2.1.240 is 2.1.240), and so is a date.
 * Hashes and the like are left out.
 */
export function splitName(name: string): SplitName {
  const length = name.length;
  const parts: NamePart[] = [];
  let isComplete = true;
  let tail: NameTail = TAIL_NONE;
  let index = 0;
  while (index < length) {
    const start = index;
    const first = name.charCodeAt(index);
    if (!isAlphanumeric(first)) {
      index++;
      continue;
    }
    const special = specialPart(name, start, first);
    if (special !== undefined) {
      parts.push(special);
      index = timeEnd(name, special.end);
      if (index > special.end && index === length) tail = TAIL_TIME;
      // With a time or a uuid the whole is met once.
      if (index > special.end || special.end - start === UUID_CHARS) isComplete = false;
      continue;
    }
    while (index < length && isAlphanumeric(name.charCodeAt(index))) index++;
    if (index - start < HASH_CHARS || !isLeftOut(name.slice(start, index))) {
      index = pushWord(name, start, index, parts);
      continue;
    }
    isComplete = false;
    const word = name.slice(start, index);
    if (isCommitHash(word)) parts.push({ start, end: index, text: headOf(word) });
    else if (isRandom(word)) tail = TAIL_BASE64;
  }
  return { parts, wholeParts: isComplete ? partsBeforeLineNumber(name, parts) : 0, tail };
}

const HASH_CHARS = 16;

function isLeftOut(word: string): boolean {
  return isCommitHash(word) || isJunk(word);
}

function headOf(hash: string): string {
  return hash.slice(0, HASH_HEAD_CHARS).toLowerCase();
}

/** grep shows lines around a hit as token.ts-120-text: the line number is no part of the name. */
function partsBeforeLineNumber(name: string, parts: readonly NamePart[]): number {
  const dot = name.indexOf(".");
  if (parts.length < 3 || dot < 0 || name.indexOf("-", dot) < 0) return parts.length;
  const at = lineNumber.exec(name)?.index ?? name.length;
  return parts.filter((part) => part.start <= at).length;
}

const lineNumber = /(?<=\.[A-Za-z]{1,5})-\d+(?:-|$)/;

/** Uuids, dates, versions. */
function specialPart(name: string, start: number, first: number): NamePart | undefined {
  if (unitAt(name, start + HASH_HEAD_CHARS) === DASH && unitAt(name, start + 13) === DASH) {
    const uuid = name.slice(start, start + UUID_CHARS);
    if (isUuid(uuid)) return { start, end: start + UUID_CHARS, text: headOf(uuid) };
  }
  const digits = first === LOWER_V || first === UPPER_V ? start + 1 : start;
  if (!isDigit(unitAt(name, digits))) return undefined;
  if (unitAt(name, start + 4) === DASH && date.test(name.slice(start, start + DATE_CHARS + 1))) {
    return { start, end: start + DATE_CHARS, text: name.slice(start, start + DATE_CHARS) };
  }
  let end = digits + 1;
  while (isDigit(unitAt(name, end))) end++;
  if (unitAt(name, end) !== DOT || !isDigit(unitAt(name, end + 1))) return undefined;
  while (isAlphanumeric(unitAt(name, end)) || (unitAt(name, end) === DOT && isDigit(unitAt(name, end + 1))))
    end++;
  return { start, end, text: name.slice(digits, end).toLowerCase() };
}

const DATE_CHARS = 10;
const date = /^\d{4}-[01]\d-[0-3]\d(?:[^0-9a-zA-SU-Z]|$)/;

/** The end of a time of day that is tied to a date by T; it says nothing that one searches for. */
function timeEnd(name: string, start: number): number {
  if (unitAt(name, start) !== UPPER_T) return start;
  time.lastIndex = start;
  return time.test(name) ? time.lastIndex : start;
}

const time = /T\d\d(?:[-:.]?\d+)*Z?/y;

/** Adds a word hump by hump, together with what an apostrophe ties to it; gives the end of all that. */
function pushWord(name: string, start: number, end: number, parts: NamePart[]): number {
  const apostrophe = unitAt(name, end);
  if (apostrophe === APOSTROPHE || apostrophe === TYPOGRAPHIC_APOSTROPHE) {
    const ending = contractionIn(name.slice(end + 1, end + 4));
    // Of these only n't says something: don't is dont, user's is user.
    if (ending.toLowerCase() === "t") {
      if ((unitAt(name, end - 1) | 32) === LOWER_N) {
        parts.push({ start, end: end + 2, text: `${name.slice(start, end)}t`.toLowerCase() });
        return end + 2;
      }
    } else if (ending !== "") {
      pushHumps(name, start, end, parts);
      return end + 1 + ending.length;
    }
  }
  pushHumps(name, start, end, parts);
  return end;
}

/** What is behind the apostrophe of a contraction, if it is one. */
function contractionIn(text: string): string {
  const ending = /^(?:[tsdm]|ll|re|ve)(?![A-Za-z0-9])/i.exec(text)?.[0] ?? "";
  const next = unitAt(text, ending.length);
  return next > 127 && /^[\p{L}\p{N}]/u.test(text.slice(ending.length)) ? "" : ending;
}

function pushHumps(name: string, start: number, end: number, parts: NamePart[]): void {
  let from = start;
  for (let index = start + 1; index < end; index++) {
    if (!beginsHump(name, start, index, end)) continue;
    if (from === start && isUndivided(name.slice(start, end))) break;
    parts.push({ start: from, end: index, text: undefined });
    from = index;
  }
  parts.push({ start: from, end, text: undefined });
}

/** Names of things that are written with a hump and are one word: script does not look for JavaScript. */
const undivided: ReadonlySet<string> = new Set(
  (
    "javascript typescript coffeescript github gitlab postgresql mysql graphql openai chatgpt youtube linkedin " +
    "macos ios ipados iphone ipad paypal wordpress latex powershell devops opensearch elasticsearch mongodb"
  ).split(" "),
);

export function isUndivided(word: string): boolean {
  return undivided.has(word.toLowerCase());
}

/** First letters and lengths of those: most words are told by that. */
const undividedForms: ReadonlySet<number> = new Set(
  [...undivided].map((word) => formOf(word.charCodeAt(0), word.length)),
);

export function mayBeUndivided(first: number, length: number): boolean {
  return undividedForms.has(formOf(first | 32, length));
}

function formOf(first: number, length: number): number {
  return first * 256 + Math.min(length, 255);
}

function beginsHump(name: string, start: number, index: number, end: number): boolean {
  const unit = name.charCodeAt(index);
  if (!isUpper(unit)) return false;
  const next = index + 1 < end ? name.charCodeAt(index + 1) : 0;
  const afterNext = index + 2 < end ? name.charCodeAt(index + 2) : 0;
  const hump = humpAt(name.charCodeAt(index - 1), next, afterNext);
  return hump === HUMP_IF_LOWER ? hasLower(name, start, end) : hump === HUMP;
}

/** Does a capital begin a hump, by the units around it? 0 stands for the end of the word. */
export function humpAt(before: number, next: number, afterNext: number): number {
  // auth0Client, but not E2BIG: a digit ends a hump if there were small letters.
  if (isDigit(before)) return HUMP_IF_LOWER;
  if (!isUpper(before)) return HUMP;
  // HTTPServer: the last capital before small letters begins a hump, but not before a plural s (userIDs).
  if (!isLower(next)) return NO_HUMP;
  return next !== LOWER_S || isLower(afterNext) ? HUMP : NO_HUMP;
}

const NO_HUMP = 0;
export const HUMP = 1;
/** If there are small letters anywhere in the word. */
export const HUMP_IF_LOWER = 2;

function hasLower(name: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (isLower(name.charCodeAt(index))) return true;
  return false;
}

/**
 * The first `count` parts as one word in lower case. Joints go, so that user_name, userName and
 * username are the same; between digits they stay, since 10-20 is not 1020.
 */
export function joinParts(name: string, parts: readonly NamePart[], count: number): string {
  let whole = "";
  let from = 0;
  for (let index = 0; index < count; index++) {
    const part = parts[index];
    if (part === undefined) break;
    const text = part.text ?? name.slice(part.start, part.end);
    if (
      index > 0 &&
      part.start > from &&
      isDigit(unitAt(text, 0)) &&
      isDigit(unitAt(whole, whole.length - 1))
    ) {
      whole += name.charAt(from);
    }
    whole += text;
    from = part.end;
  }
  return whole.toLowerCase();
}

const APOSTROPHE = 39;
const DASH = 45;
const DOT = 46;
const UPPER_T = 84;
const UPPER_V = 86;
const LOWER_N = 110;
const LOWER_S = 115;
const LOWER_V = 118;

/** Everything that is not ASCII counts: the scanner lets only letters through. */
function isAlphanumeric(unit: number): boolean {
  if (unit < 128) return isLower(unit) || isDigit(unit) || isUpper(unit);
  return unit !== TYPOGRAPHIC_APOSTROPHE;
}
