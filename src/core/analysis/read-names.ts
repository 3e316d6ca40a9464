import { charClasses, isDigit, JOINT, SLASH, WORD } from "./char-class.ts";
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

/** Nothing but a time or base64 leads to what is to be skipped: digits, and 2026-10-01T12 is the shortest. */
const LEAST_WITH_TAIL = 13;

/** Of units: letters and the like, digits; what ends a name for sure; what does so mostly. */
const LETTER = 1;
const DIGIT = 2;
const IN_NAME: number = LETTER | DIGIT;
const SPACE = 4;
const SIGN = 8;
const JOINED = 16;
const TIED = 32;
const ESCAPE = 64;
/** Has to be asked for. */
const UNSURE = 0;

const HASH = 35;
const PLUS = 43;
const COMMA = 44;
const PATH_SLASH = 47;
const COLON = 58;
const BACKSLASH = 92;
const LOWER_N = 110;
const LOWER_R = 114;
const LOWER_T = 116;

const kinds = new Uint8Array(0x10000);
for (let code = 0; code < 128; code++) {
  const charClass = charClasses[code];
  if (charClass === WORD) kinds[code] = isDigit(code) ? DIGIT : LETTER;
  else if (charClass === JOINT) kinds[code] = JOINED;
  else if (charClass === SLASH) kinds[code] = code === BACKSLASH ? ESCAPE : TIED;
  else kinds[code] = code === COMMA || code === PLUS || code === HASH ? SIGN : SPACE;
}
kinds[27] = UNSURE;
// Boxes and arrows, which fill the output of many programs.
kinds.fill(SPACE, 0x2190, 0x2c00);

/** Remembers of a unit that is not ASCII that it only ends names. Half of a character may be part of a letter. */
export function settleBreak(code: number): void {
  if (code < 0xd800 || code >= 0xe000) kinds[code] = SPACE;
}

/**
 * Reads names of ASCII from `SCAN_INDEX` on, with their keys, and passes what stands between them; says why it stops.
 * At a name that may be longer than ASCII, have something behind it that is to be skipped, or be tied to the next
 * one in a rare way, it stops before that name.
 *
 * One loop over plain memory that calls nothing, and does nothing in rare branches but stop: whatever V8 has not
 * seen yet when it optimises a function, it throws the function away for when it comes. A first version that
 * did all of it in one function was compiled six times, 25 to 60 ms each, and slow meanwhile.
 */
export function readNames({ units, length, names, scan }: TextUnits): number {
  let index = scan[SCAN_INDEX] ?? 0;
  let used = scan[SCAN_USED] ?? 0;
  let before = -1;
  let stop = AT_END;
  scanning: while (index < length) {
    let code = units[index] ?? 0;
    let kind = kinds[code] ?? 0;
    if ((kind & IN_NAME) === 0) {
      if (kind === UNSURE) {
        stop = AT_OTHER;
        break;
      }
      index++;
      if (kind !== ESCAPE) continue;
      const next = units[index] ?? 0;
      if (next === LOWER_N || next === LOWER_T || next === LOWER_R) index++;
      else if (kinds[next] !== SPACE) {
        index--;
        stop = AT_OTHER;
        break;
      }
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
      let seen = 0;
      for (;;) {
        do {
          high = (high << 8) | (low >>> 24);
          low = (low << 8) | code;
          hash = (Math.imul(hash, 31) + code) | 0;
          seen |= kind;
          code = units[++index] ?? 0;
          kind = kinds[code] ?? 0;
        } while ((kind & IN_NAME) !== 0);
        if (kind !== JOINED || ((kinds[units[index + 1] ?? 0] ?? 0) & IN_NAME) === 0) break;
        // A joint is read as a letter.
        kind = LETTER;
      }
      const width = index - from;
      let joint = 0;
      if (kind !== SPACE) {
        const next = units[index + 1] ?? 0;
        const after = kinds[next] ?? 0;
        let isOdd = false;
        if (code === PATH_SLASH || kind === JOINED) {
          isOdd = after === UNSURE;
          joint = code === PATH_SLASH && (after & IN_NAME) !== 0 ? 1 : 0;
        } else if (code === COLON) {
          // file.ts:12 and 12:30 are no paths.
          isOdd = after !== SPACE && (after & IN_NAME) === 0;
          const isNumber = after === DIGIT || kinds[units[index - 1] ?? 0] === DIGIT;
          joint = (after & IN_NAME) === 0 || isNumber ? 0 : 1;
        } else if (kind === ESCAPE) {
          isOdd = after !== SPACE && next !== LOWER_N && next !== LOWER_T && next !== LOWER_R;
        } else isOdd = kind === UNSURE || width === (code === COMMA ? 6 : 1);
        if (isOdd) {
          index = from;
          stop = IS_ODD;
          break scanning;
        }
      }
      if (used > LAST || ((seen & DIGIT) !== 0 && width >= LEAST_WITH_TAIL)) {
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
      if (joint === 0) {
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
      before = from;
      index += joint;
      code = units[index] ?? 0;
      kind = kinds[code] ?? 0;
    }
  }
  scan[SCAN_INDEX] = index;
  scan[SCAN_USED] = used;
  scan[SCAN_BEFORE] = before;
  return stop;
}
