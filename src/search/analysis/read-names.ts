import { charClasses, isDigit, JOINT, WORD } from "./char-class.ts";
import { NAMES_ROOM, type TextUnits } from "./text-units.ts";
import { FIRST, NEXT, PAIR } from "./token-link.ts";
import { SHORT_CHARS } from "./word-key.ts";

/** Where a name stands in `source.names`: its beginning first, then its end, its key and its link. */
export const NAME_END = 1;
export const NAME_LOW = 2;
export const NAME_HIGH = 3;
export const NAME_LINK = 4;
export const NAME_SIZE = 5;

/** What stands in `source.scan`: where to go on, how many integers of `names` are in use, and a name before that. */
export const SCAN_INDEX = 0;
export const SCAN_USED = 1;
export const SCAN_BEFORE = 2;

/** Why `readNames` stops: at the end; before something that is no ASCII, or an escape; at a name; for lack of room. */
const AT_END = 0;
export const AT_OTHER = 1;
export const IS_ODD = 2;
export const IS_FULL = 3;

/** A path of usual length still finds room, with the pair at its end. */
const FULL: number = NAMES_ROOM - NAME_SIZE * 32;
const LAST: number = NAMES_ROOM - NAME_SIZE * 4;

/** Of "base64", behind which data may follow. */
const DATA_CHARS = 6;

/** Nothing but a time or base64 leads to what is to be skipped: digits, and 2026-10-01T12 is the shortest. */
const LEAST_WITH_TAIL = 13;

/** Of units, those that are in names first: n, r and t, which also end a written escape, other letters, digits. */
const ESCAPED = 0;
const LETTER = 1;
const DIGIT = 2;
/** What ends a name for sure, and what does so mostly. */
const SPACE = 3;
const COMMA = 4;
const SIGN = 5;
const JOINED = 6;
const PATH_SLASH = 7;
const COLON = 8;
const BACKSLASH = 9;
/** Has to be asked for. */
const UNSURE = 10;
/** A power of two. */
const KINDS = 16;

const kinds = new Uint8Array(0x10000).fill(UNSURE);
for (let code = 0; code < 128; code++) {
  const charClass = charClasses[code];
  if (charClass === WORD) kinds[code] = isDigit(code) ? DIGIT : LETTER;
  else kinds[code] = charClass === JOINT ? JOINED : SPACE;
}
const others: readonly (readonly [string, number])[] = [
  ["nrt", ESCAPED],
  [",", COMMA],
  ["+#", SIGN],
  ["/", PATH_SLASH],
  [":", COLON],
  ["\\", BACKSLASH],
  ["\u001b", UNSURE],
];
for (const [units, kind] of others) for (const unit of units) kinds[unit.charCodeAt(0)] = kind;
// Boxes and arrows, which fill the output of many programs.
kinds.fill(SPACE, 0x2190, 0x2c00);

/** What a unit behind a name means, by its kind and the kind of the next one. */
const ENDS = 0;
const TIES = 1;
/** It ties two names, but not a name that ends in a digit. */
const TIES_WORDS = 2;
/** Others have to look at it: always, after a name of one letter, after one of six. */
const ODD = 3;
const ODD_SIGN = 4;
const ODD_DATA = 5;

const meanings = new Uint8Array(KINDS * KINDS);
meanings.fill(ODD_DATA, COMMA * KINDS, (COMMA + 1) * KINDS);
meanings.fill(ODD_SIGN, SIGN * KINDS, (SIGN + 1) * KINDS);
meanings.fill(ODD, COLON * KINDS);
for (const kind of [ESCAPED, LETTER, DIGIT]) meanings[PATH_SLASH * KINDS + kind] = TIES;
meanings[PATH_SLASH * KINDS + UNSURE] = ODD;
meanings[JOINED * KINDS + UNSURE] = ODD;
meanings[COLON * KINDS + SPACE] = ENDS;
meanings[COLON * KINDS + LETTER] = TIES_WORDS;
meanings[COLON * KINDS + ESCAPED] = TIES_WORDS;
// file.ts:12 and 12:30 are no paths.
meanings[COLON * KINDS + DIGIT] = ENDS;
meanings[BACKSLASH * KINDS + SPACE] = ENDS;
meanings[BACKSLASH * KINDS + ESCAPED] = ENDS;

/** Remembers of a unit that is not ASCII that it only ends names. Half of a character may be part of a letter. */
export function settleBreak(code: number): void {
  if (code < 0xd800 || code >= 0xe000) kinds[code] = SPACE;
}

/**
 * Reads names of ASCII from `SCAN_INDEX` on, with their keys, and passes what stands between them; says why it stops.
 * At a name that may be longer than ASCII, have something behind it that is to be skipped, or be tied to the next
 * one in a rare way, it stops before that name.
 *
 * One loop over plain memory that calls nothing, and tables instead of rare branches: whatever V8 has not seen yet when
 * it optimises a function, it throws the function away for when it comes. A first version that did all of it in one
 * function was compiled six times, 22 to 64 ms each, and slow meanwhile.
 */
export function readNames({ units, length, names, scan }: TextUnits): number {
  let index = scan[SCAN_INDEX] ?? 0;
  let used = scan[SCAN_USED] ?? 0;
  let before = -1;
  let stop = AT_END;
  scanning: while (index < length) {
    let code = units[index] ?? 0;
    let kind = kinds[code] ?? 0;
    if (kind > DIGIT) {
      if (kind < BACKSLASH) {
        index++;
        continue;
      }
      const after = kinds[units[index + 1] ?? 0] ?? 0;
      if (meanings[kind * KINDS + after] !== ENDS) {
        stop = AT_OTHER;
        break;
      }
      index += after === ESCAPED ? 2 : 1;
      continue;
    }
    if (used > FULL) {
      stop = IS_FULL;
      break;
    }
    // One name after the other, up to the end of the path.
    for (let from = index; ; from = index) {
      let low = 0;
      let high = 0;
      let hash = 0;
      /** How many digits there are, and whether the last unit is one. */
      let digits = 0;
      let last = 0;
      for (;;) {
        do {
          high = (high << 8) | (low >>> 24);
          low = (low << 8) | code;
          hash = (Math.imul(hash, 31) + code) | 0;
          last = kind >>> 1;
          digits += last;
          code = units[++index] ?? 0;
          kind = kinds[code] ?? 0;
        } while (kind <= DIGIT);
        if (kind !== JOINED || (kinds[units[index + 1] ?? 0] ?? 0) > DIGIT) break;
        // A joint is read as a letter.
        kind = LETTER;
      }
      const width = index - from;
      const meaning = meanings[kind * KINDS + (kinds[units[index + 1] ?? 0] ?? 0)] ?? 0;
      const isOdd =
        (meaning >= ODD && (meaning === ODD || width === (meaning === ODD_SIGN ? 1 : DATA_CHARS))) ||
        (width >= LEAST_WITH_TAIL && digits > 0) ||
        used > LAST;
      if (isOdd) {
        index = from;
        stop = IS_ODD;
        break scanning;
      }
      const isShort = width <= SHORT_CHARS;
      names[used] = from;
      names[used + NAME_END] = index;
      names[used + NAME_LOW] = isShort ? low : hash;
      names[used + NAME_HIGH] = isShort ? high : -width;
      names[used + NAME_LINK] = before < 0 ? FIRST : NEXT;
      used += NAME_SIZE;
      if (meaning === TIES || (meaning === TIES_WORDS && last === 0)) {
        before = from;
        code = units[++index] ?? 0;
        kind = kinds[code] ?? 0;
        continue;
      }
      if (before >= 0) {
        low = 0;
        high = 0;
        hash = 0;
        for (let at = before; at < index; at++) {
          const unit = units[at] ?? 0;
          high = (high << 8) | (low >>> 24);
          low = (low << 8) | unit;
          hash = (Math.imul(hash, 31) + unit) | 0;
        }
        const isShortPair = index - before <= SHORT_CHARS;
        names[used] = before;
        names[used + NAME_END] = index;
        names[used + NAME_LOW] = isShortPair ? low : hash;
        names[used + NAME_HIGH] = isShortPair ? high : before - index;
        names[used + NAME_LINK] = PAIR;
        used += NAME_SIZE;
        before = -1;
      }
      break;
    }
  }
  scan[SCAN_INDEX] = index;
  scan[SCAN_USED] = used;
  scan[SCAN_BEFORE] = before;
  return stop;
}
