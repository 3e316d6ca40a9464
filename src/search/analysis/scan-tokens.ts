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
import {
  AT_OTHER,
  IS_FULL,
  IS_ODD,
  NAME_END,
  NAME_HIGH,
  NAME_LINK,
  NAME_LOW,
  NAME_SIZE,
  readNames,
  SCAN_BEFORE,
  SCAN_INDEX,
  SCAN_USED,
  settleBreak,
} from "./read-names.ts";
import { scanDense } from "./scan-dense.ts";
import { TAIL_BASE64, TAIL_NONE } from "./split-name.ts";
import { type TextUnits, withUnits } from "./text-units.ts";
import { keyedToken } from "./token-cache.ts";
import { FIRST, NEXT, PAIR, type Visit } from "./token-link.ts";
import { readKey, type WordKey } from "./word-key.ts";

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
 *
 * Names are gathered in `source.names` and visited many at a time. Nearly all of them are read by `readNames`;
 * what that leaves is read here.
 */
export function scanNames(source: TextUnits, visitor: NameVisitor): void {
  const { scan } = source;
  scan[SCAN_INDEX] = 0;
  scan[SCAN_USED] = 0;
  for (;;) {
    const stop = readNames(source);
    if (stop === IS_FULL) {
      if (flush(source, visitor) === STOP) return;
    } else if (stop === IS_ODD) {
      if (!scanPath(source, visitor)) return;
    } else if (stop === AT_OTHER) {
      if (!scanOther(source, visitor)) return;
    } else {
      flush(source, visitor);
      return;
    }
  }
}

/** Has the names visited that are gathered: what follows the last one, or STOP. */
function flush(source: TextUnits, visitor: NameVisitor): number {
  const used = source.scan[SCAN_USED] ?? 0;
  source.scan[SCAN_USED] = 0;
  return used === 0 ? TAIL_NONE : visitor.take(source, used);
}

/** Gets all names of a text by their places. */
export interface NameVisitor {
  /**
   * Those that fill the first `used` integers of `source.names`. Says what follows the last one and is to be
   * skipped, or STOP. Of a link PAIR, nothing does.
   */
  take(source: TextUnits, used: number): number;
  readonly dense: Visit;
}

/** Stands for what follows a name where the visitor has enough. */
export const STOP = -1;

/** The same with tokens. */
export function scanTokens(text: string, visit: Visit): void {
  const visitor: NameVisitor = {
    take({ names }, used) {
      let tail: number = TAIL_NONE;
      for (let at = 0; at < used; at += NAME_SIZE) {
        const start = names[at] ?? 0;
        const end = names[at + NAME_END] ?? 0;
        const link = names[at + NAME_LINK] ?? FIRST;
        const token = keyedToken(text, start, end, names[at + NAME_LOW] ?? 0, names[at + NAME_HIGH] ?? 0);
        tail = link === PAIR ? TAIL_NONE : (token.name?.tail ?? TAIL_NONE);
        if (link === PAIR && token.name?.whole === undefined) continue;
        if (visit(token, start, end, link)) return STOP;
      }
      return tail;
    },
    dense: visit,
  };
  withUnits(text, (source) => scanNames(source, visitor));
}

/** Goes on where neither a name of ASCII begins nor anything that is passed; false where the visitor has enough. */
function scanOther(source: TextUnits, visitor: NameVisitor): boolean {
  const { scan, text, units } = source;
  const index = scan[SCAN_INDEX] ?? 0;
  const code = units[index] ?? 0;
  const kind = code < 128 ? BREAK : unitClass(units, index);
  if (kind === WORD) {
    scan[SCAN_BEFORE] = -1;
    return scanPath(source, visitor);
  }
  let end = index + 1;
  if (kind === DENSE || kind === DENSE_ODD) {
    if (flush(source, visitor) === STOP) return false;
    end = scanDense(text, index, visitor.dense);
  } else if (code === ESC || code === CSI) end = terminalEscapeEnd(text, index);
  else if (code === BACKSLASH) end = Math.max(end, writtenEscapeEnd(text, index));
  else if (kind === BREAK) settleBreak(code);
  scan[SCAN_INDEX] = end;
  return end >= 0;
}

/**
 * Reads a path to its end, from the name on that begins at `SCAN_INDEX`; the one before it begins at `SCAN_BEFORE`,
 * -1 where there is none. False where the visitor has enough.
 */
function scanPath(source: TextUnits, visitor: NameVisitor): boolean {
  const { scan, units } = source;
  let from = scan[SCAN_INDEX] ?? 0;
  let before = scan[SCAN_BEFORE] ?? -1;
  let hasDrive = false;
  for (;;) {
    const end = nameEnd(source, from, from);
    addName(source, from, end, before < 0 ? FIRST : NEXT);
    const tail = flush(source, visitor);
    if (tail === STOP) return false;
    scan[SCAN_INDEX] = end;
    const next = units[end] ?? 0;
    if (tail !== TAIL_NONE || next === COMMA) {
      const skipped = skippedEnd(source, from, end, tail);
      scan[SCAN_INDEX] = skipped;
      if (skipped > end) return true;
    }
    const joint = next < 128 && charClasses[next] === SLASH ? jointLength(source, from, end, hasDrive) : 0;
    if (joint === 0) {
      if (before >= 0) addName(source, before, end, PAIR);
      return true;
    }
    if (next === COLON && units[end + 1] === BACKSLASH) hasDrive = true;
    before = from;
    from = end + joint;
  }
}

function addName({ names, scan, units }: TextUnits, start: number, end: number, link: number): void {
  const used = scan[SCAN_USED] ?? 0;
  readKey(units, start, end, key);
  names[used] = start;
  names[used + NAME_END] = end;
  names[used + NAME_LOW] = key.low;
  names[used + NAME_HIGH] = key.high;
  names[used + NAME_LINK] = link;
  scan[SCAN_USED] = used + NAME_SIZE;
}

/** Of the name that is added. */
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
