import {
  BREAK,
  charClasses,
  DENSE,
  DENSE_ODD,
  INVISIBLE,
  isDigit,
  JOINT,
  SLASH,
  unitClass,
  WORD,
} from "./char-class.ts";
import { terminalEscapeEnd, writtenEscapeEnd } from "./escapes.ts";
import { base64End, runEnd } from "./junk.ts";
import { scanDense } from "./scan-dense.ts";
import { TAIL_BASE64, TAIL_NONE } from "./split-name.ts";
import { type TextUnits, withUnits } from "./text-units.ts";
import { keyedToken } from "./token-cache.ts";
import { FIRST, NEXT, PAIR, type Visit } from "./token-link.ts";
import { readKey, SHORT_CHARS, type WordKey } from "./word-key.ts";

const ESC = 27;
const CSI = 0x9b;
const HASH = 35;
const PLUS = 43;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

/**
 * Walks over a text once, by UTF-16 units, and cuts it into names: letters and digits with the joints
 * between them (token.ts, no-verify, don't). Names tied by / \ : are a path; its last two names
 * are visited together as well, so that "auth/token.ts" is found as such at the end of any path,
 * without a term for every whole path.
 */
export function scanNames(source: TextUnits, visitor: NameVisitor): void {
  const { units, length } = source;
  const kinds = asciiKinds;
  let index = 0;
  while (index < length) {
    let code = units[index] ?? 0;
    if (kinds[code] !== LETTER) {
      if ((kinds[code] ?? 0) !== 0) {
        index++;
        continue;
      }
      index = scanOther(source, index, code, visitor);
      if (index < 0) return;
      continue;
    }
    // Most names are plain words between spaces: those take this way, all others the one below.
    const start = index;
    let low = 0;
    let high = 0;
    let hash = 0;
    do {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | code;
      hash = (Math.imul(hash, 31) + code) | 0;
      index++;
      code = units[index] ?? 0;
    } while (kinds[code] === LETTER);
    const width = index - start;
    if (kinds[code] === SPACE && width > 1) {
      const tail =
        width <= SHORT_CHARS
          ? visitor.name(source, start, index, low, high, FIRST)
          : visitor.name(source, start, index, hash, -width, FIRST);
      if (tail === TAIL_NONE) continue;
      if (tail === STOP) return;
      index = skippedEnd(source, start, index, tail);
      continue;
    }
    index = scanPath(source, start, index, visitor);
    if (index < 0) return;
  }
}

/** Of ASCII: letters and the like; what ends a name for sure; what is only passed. 0 for all else. */
const LETTER = 1;
const SPACE = 2;
const PASSED = 3;
const asciiKinds = new Uint8Array(0x10000);
for (let code = 0; code < 128; code++) {
  if (charClasses[code] === WORD) asciiKinds[code] = LETTER;
  else if (code === ESC || code === BACKSLASH) continue;
  else asciiKinds[code] = charClasses[code] === BREAK && code !== COMMA ? SPACE : PASSED;
}

/** Gets all names of a text by their places. Says what follows each and is to be skipped, or STOP. */
export interface NameVisitor {
  /** `low` and `high` are the key of the name. Of a link PAIR, what follows does not count. */
  name(source: TextUnits, start: number, end: number, low: number, high: number, link: number): number;
  readonly dense: Visit;
}

/** Stands for what follows a name where the visitor has enough. */
export const STOP = -1;

/** The same with tokens. */
export function scanTokens(text: string, visit: Visit): void {
  const visitor: NameVisitor = {
    name(_source, start, end, low, high, link) {
      const token = keyedToken(text, start, end, low, high);
      if (link === PAIR && token.name?.whole === undefined) return TAIL_NONE;
      return visit(token, start, end, link) ? STOP : (token.name?.tail ?? TAIL_NONE);
    },
    dense: visit,
  };
  withUnits(text, (source) => scanNames(source, visitor));
}

/** Passes what is no name in ASCII; gives where to go on, or -1 where the visitor has enough. */
function scanOther(source: TextUnits, index: number, code: number, visitor: NameVisitor): number {
  if (code >= 128) {
    const kind = unitClass(source.units, index);
    if (kind === WORD) return scanPath(source, index, index, visitor);
    if (kind === DENSE || kind === DENSE_ODD) return scanDense(source.text, index, visitor.dense);
  }
  if (code === ESC || code === CSI) return terminalEscapeEnd(source.text, index);
  return code === BACKSLASH ? Math.max(index + 1, writtenEscapeEnd(source.text, index)) : index + 1;
}

/**
 * Visits the names of a path; gives where it ends, or -1 where the visitor has enough. Up to `index`
 * its first name has been read.
 */
function scanPath(source: TextUnits, start: number, index: number, visitor: NameVisitor): number {
  const { units } = source;
  let from = start;
  let before = -1;
  let hasDrive = false;
  let end = nameEnd(source, start, index);
  for (;;) {
    readKey(units, from, end, key);
    const tail = visitor.name(source, from, end, key.low, key.high, before < 0 ? FIRST : NEXT);
    if (tail === STOP) return -1;
    const next = units[end] ?? 0;
    if (tail !== TAIL_NONE || next === COMMA) {
      const skipped = skippedEnd(source, from, end, tail);
      if (skipped > end) return skipped;
    }
    const joint = next < 128 && charClasses[next] === SLASH ? jointLength(source, from, end, hasDrive) : 0;
    if (joint === 0) return before >= 0 && visitPair(source, before, end, visitor) ? -1 : end;
    if (next === COLON && units[end + 1] === BACKSLASH) hasDrive = true;
    before = from;
    from = end + joint;
    end = nameEnd(source, from, from);
  }
}

function visitPair(source: TextUnits, start: number, end: number, visitor: NameVisitor): boolean {
  readKey(source.units, start, end, key);
  return visitor.name(source, start, end, key.low, key.high, PAIR) === STOP;
}

/** Of the name that is visited. */
const key: WordKey = { low: 0, high: 0 };

/** The end of the name that begins at `start` and has been read up to `readTo`. */
function nameEnd({ units, length }: TextUnits, start: number, readTo: number): number {
  let index = readTo;
  while (index < length) {
    const code = units[index] ?? 0;
    const kind = code < 128 ? charClasses[code] : unitClass(units, index);
    if (kind === WORD || kind === INVISIBLE) index += code >= 0xd800 && code < 0xdc00 ? 2 : 1;
    else if (kind === JOINT && unitClass(units, index + 1) === WORD) index++;
    else break;
  }
  return index === start + 1 ? signEnd(units, start, index) : index;
}

/** The end of C++, C# and F#; else `end`. */
function signEnd(units: Uint16Array, start: number, end: number): number {
  const letter = (units[start] ?? 0) | 32;
  const sign = units[end];
  if (letter === 99 && sign === PLUS && units[end + 1] === PLUS) return end + 2;
  if ((letter === 99 || letter === 102) && sign === HASH && unitClass(units, end + 1) !== WORD)
    return end + 1;
  return end;
}

/** Units between the name that ends at `end` and the next name of the path; 0 if there is none. */
function jointLength(source: TextUnits, from: number, end: number, hasDrive: boolean): number {
  const { units } = source;
  const code = units[end] ?? 0;
  const next = units[end + 1] ?? 0;
  if (code === COLON) {
    // node:fs, Foo::bar, C:\x; not file.ts:12 and not 12:30.
    if (next === BACKSLASH && end - from === 1)
      return wordAfter(units, end, units[end + 2] === BACKSLASH ? 3 : 2);
    const width = next === COLON ? 2 : 1;
    return isDigit(units[end - 1] ?? 0) || isDigit(units[end + width] ?? 0)
      ? 0
      : wordAfter(units, end, width);
  }
  if (code === BACKSLASH) {
    if (next === BACKSLASH) return wordAfter(units, end, 2);
    if (!hasDrive && writtenEscapeEnd(source.text, end) > end) return 0;
  }
  return wordAfter(units, end, 1);
}

function wordAfter(units: Uint16Array, end: number, width: number): number {
  return unitClass(units, end + width) === WORD ? width : 0;
}

/** Where to go on behind base64 or the rest of a time of day; `end` if neither follows the name. */
function skippedEnd(source: TextUnits, from: number, end: number, tail: number): number {
  const { text, units, length } = source;
  if (tail === TAIL_BASE64) return Math.max(end, base64End(source, from));
  if (tail === TAIL_NONE) {
    const isData = units[end] === COMMA && end - from === 6 && text.startsWith("base64", from);
    return isData ? runEnd(units, end + 1, length) : end;
  }
  let index = end;
  while (isTimeUnit(units[index] ?? 0)) index++;
  return index;
}

/** Digits and : . + - Z: what follows 2026-10-01T12 in a time. */
function isTimeUnit(code: number): boolean {
  return isDigit(code) || code === COLON || code === 46 || code === PLUS || code === 45 || code === 90;
}
