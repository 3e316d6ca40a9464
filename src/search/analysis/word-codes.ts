import type { TermSink } from "../ranking/index-schema.ts";
import { addCode, createNameCodes } from "./name-codes.ts";
import type { TextUnits } from "./text-units.ts";
import { readKey, type WordKey } from "./word-key.ts";

/**
 * Remembers what a sink calls the terms of common words. All in integers: of a word that is known nothing is
 * touched but its line in the table, and for a long one its letters.
 *
 * The code of a word that has one term is that of the sink. Of a name it is less than zero: where its codes
 * stand, from `NAME_START` on.
 */
export interface WordCodes {
  /** Of a name, by its key. */
  codeOf(source: TextUnits, start: number, end: number, low: number, high: number): number;
  /** Of the whole of a pair of names, by its key; -1 where it has none. */
  wholeOf(source: TextUnits, start: number, end: number, low: number, high: number): number;
  /** For who looks there before asking. */
  readonly known: KnownWords;
}

/**
 * All that is known; any of it may be other memory after a call of the above. Plain properties: as getters, which are
 * not always inlined, they took a twentieth of the time.
 */
export interface KnownWords {
  /** Places: two integers of the key, 0 where it is free, the code, and where the letters of a long word stand. */
  table: Int32Array;
  /** Takes `firstPlace` to a place in the table. Of integers, less those of one place. */
  mask: number;
  /** Long words as they stand in a text: a hash alone might lie. */
  letters: Uint16Array;
  /** The codes of names. */
  names: Int32Array;
}

/** Integers per place, and where they are. */
export const PLACE = 4;
export const PLACE_CODE = 2;
export const PLACE_LETTERS = 3;

/** At the place of a name: what follows it, how many codes; then those. */
export const NAME_TAIL = 0;
export const NAME_COUNT = 1;
export const NAME_START = 2;

/** Longer names are mostly met once. */
const MAX_RAW_CHARS = 64;
const FIRST_PLACES: number = 1 << 11;
/** All is forgotten when half of so many places are taken, or codes of names or letters fill so much. */
const MAX_PLACES: number = 1 << 18;
const MAX_NAMES: number = 1 << 20;
const MAX_LETTERS: number = 1 << 21;

export function createWordCodes(sink: TermSink): WordCodes {
  const known: KnownWords = {
    table: new Int32Array(FIRST_PLACES * PLACE),
    mask: (FIRST_PLACES - 1) * PLACE,
    letters: new Uint16Array(1 << 12),
    names: new Int32Array(1 << 10),
  };
  let count = 0;
  let lettersUsed = 0;
  /** Never 0: the code of a name is less than zero. */
  let used = 1;

  const forget = (): void => {
    count = 0;
    known.table.fill(0);
    lettersUsed = 0;
    used = 1;
  };

  const grow = (): void => {
    const old = known.table;
    const table = new Int32Array(old.length * 2);
    const mask = table.length - PLACE;
    for (let at = 0; at < old.length; at += PLACE) {
      const low = old[at] ?? 0;
      const high = old[at + 1] ?? 0;
      if (low === 0 && high === 0) continue;
      const to = freePlace(table, mask, low, high);
      table[to] = low;
      table[to + 1] = high;
      table[to + PLACE_CODE] = old[at + PLACE_CODE] ?? 0;
      table[to + PLACE_LETTERS] = old[at + PLACE_LETTERS] ?? 0;
    }
    known.table = table;
    known.mask = mask;
  };

  const keep = (
    { units }: TextUnits,
    start: number,
    end: number,
    low: number,
    high: number,
    code: number,
  ): void => {
    if (++count * PLACE * 4 > known.table.length * 3) grow();
    const { table, mask } = known;
    const at = freePlace(table, mask, low, high);
    table[at] = low;
    table[at + 1] = high;
    table[at + PLACE_CODE] = code;
    if (high >= 0) return;
    if (lettersUsed + end - start > known.letters.length) {
      const larger = new Uint16Array(known.letters.length * 2);
      larger.set(known.letters);
      known.letters = larger;
    }
    const { letters } = known;
    table[at + PLACE_LETTERS] = lettersUsed;
    for (let index = start; index < end; index++) letters[lettersUsed++] = units[index] ?? 0;
  };

  const isFull = (): boolean => count >= MAX_PLACES / 2 || used > MAX_NAMES || lettersUsed > MAX_LETTERS;

  const keepName = (codes: Int32Array, size: number, tail: number): number => {
    const at = used;
    used += NAME_START + size;
    if (used > known.names.length) {
      const larger = new Int32Array(Math.max(known.names.length * 2, used));
      larger.set(known.names);
      known.names = larger;
    }
    const { names } = known;
    names[at + NAME_TAIL] = tail;
    names[at + NAME_COUNT] = size;
    for (let index = 0; index < size; index++) names[at + NAME_START + index] = codes[index] ?? 0;
    return -at;
  };

  const addStrong = (name: number, codes: Int32Array, size: number): number => {
    const { names } = known;
    let to = size;
    const end = NAME_START - name + (names[NAME_COUNT - name] ?? 0);
    for (let at = NAME_START - name; at < end; at++) {
      const code = names[at] ?? 0;
      if ((code & 1) === 0) to = addCode(codes, to, code);
    }
    return to;
  };

  const key: WordKey = { low: 0, high: 0 };
  const codeAt = (source: TextUnits, start: number, end: number): number => {
    readKey(source.units, start, end, key);
    return codeOf(source, start, end, key.low, key.high);
  };
  const made = createNameCodes(sink, { codeAt, addStrong, keepName });

  const codeOf: WordCodes["codeOf"] = (source, start, end, low, high) => {
    if (end - start > MAX_RAW_CHARS) return made.codeOf(source, start, end);
    const at = findWord(known, source.units, start, end, low, high);
    if (at >= 0) return known.table[at + PLACE_CODE] ?? 0;
    if (isFull()) forget();
    const code = made.codeOf(source, start, end);
    keep(source, start, end, low, high, code);
    return code;
  };

  return {
    codeOf,
    wholeOf(source, start, end, low, high) {
      if (end - start > MAX_RAW_CHARS) return made.wholeOf(source, start, end);
      const at = findWord(known, source.units, start, end, low, high);
      if (at >= 0) return known.table[at + PLACE_CODE] ?? 0;
      if (isFull()) forget();
      const code = made.wholeOf(source, start, end);
      keep(source, start, end, low, high, code);
      return code;
    },
    known,
  };
}

/** The place of a word; -1 where it has none. */
function findWord(
  { table, mask, letters }: KnownWords,
  units: Uint16Array,
  start: number,
  end: number,
  low: number,
  high: number,
): number {
  for (let at = firstPlace(low, high) & mask; ; at = (at + PLACE) & mask) {
    const knownLow = table[at] ?? 0;
    const knownHigh = table[at + 1] ?? 0;
    // No word has zeros for a key.
    if ((knownLow | knownHigh) === 0) return -1;
    if (knownLow !== low || knownHigh !== high) continue;
    if (high >= 0) return at;
    let unit = start;
    let letter = table[at + PLACE_LETTERS] ?? 0;
    while (unit < end && units[unit] === letters[letter]) {
      unit++;
      letter++;
    }
    if (unit === end) return at;
  }
}

function freePlace(table: Int32Array, mask: number, low: number, high: number): number {
  let at = firstPlace(low, high) & mask;
  while (((table[at] ?? 0) | (table[at + 1] ?? 0)) !== 0) at = (at + PLACE) & mask;
  return at;
}

/** Where to begin to look for a key, in a table of any size. */
export function firstPlace(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  // The upper bits of a product depend on all bits of its factors.
  return (mixed >>> 12) * PLACE;
}
