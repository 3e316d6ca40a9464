import type { TermSink } from "../search/term-sink.ts";
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
  /**
   * What is known, for who looks there before asking; all of it may change with every call above. A place is
   * `PLACE` integers: two of the key, 0 where it is free, the code, and where the letters of a long word stand.
   */
  readonly table: Int32Array;
  /** Takes `firstPlace` to a place in the table. */
  readonly mask: number;
  readonly letters: Uint16Array;
  /** The codes of names. */
  readonly names: Int32Array;
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
  let table = new Int32Array(FIRST_PLACES * PLACE);
  /** Of integers, less those of one place: a place begins at a multiple of `PLACE`. */
  let mask = table.length - PLACE;
  let count = 0;
  /** Long words as they stand in a text: a hash alone might lie. */
  let letters = new Uint16Array(1 << 12);
  let lettersUsed = 0;
  let names = new Int32Array(1 << 10);
  /** Never 0: the code of a name is less than zero. */
  let used = 1;

  const forget = (): void => {
    count = 0;
    table.fill(0);
    lettersUsed = 0;
    used = 1;
  };

  const grow = (): void => {
    const old = table;
    table = new Int32Array(old.length * 2);
    mask = table.length - PLACE;
    for (let at = 0; at < old.length; at += PLACE) {
      const low = old[at] ?? 0;
      const high = old[at + 1] ?? 0;
      if (low === 0 && high === 0) continue;
      let to = firstPlace(low, high) & mask;
      while (!isFree(to)) to = (to + PLACE) & mask;
      table[to] = low;
      table[to + 1] = high;
      table[to + PLACE_CODE] = old[at + PLACE_CODE] ?? 0;
      table[to + PLACE_LETTERS] = old[at + PLACE_LETTERS] ?? 0;
    }
  };

  /** No word has zeros for a key. */
  const isFree = (at: number): boolean => table[at] === 0 && table[at + 1] === 0;

  const isSame = (units: Uint16Array, start: number, end: number, at: number): boolean => {
    for (let index = start, other = at; index < end; index++, other++)
      if (units[index] !== letters[other]) return false;
    return true;
  };

  /** Its place; where it has none, less than zero. */
  const find = (units: Uint16Array, start: number, end: number, low: number, high: number): number => {
    for (let at = firstPlace(low, high) & mask; ; at = (at + PLACE) & mask) {
      if (table[at] === low && table[at + 1] === high) {
        if (high >= 0 || isSame(units, start, end, table[at + PLACE_LETTERS] ?? 0)) return at;
      } else if (isFree(at)) return -1;
    }
  };

  const keep = (
    { units }: TextUnits,
    start: number,
    end: number,
    low: number,
    high: number,
    code: number,
  ): void => {
    if (++count * PLACE * 4 > table.length * 3) grow();
    let at = firstPlace(low, high) & mask;
    while (!isFree(at)) at = (at + PLACE) & mask;
    table[at] = low;
    table[at + 1] = high;
    table[at + PLACE_CODE] = code;
    if (high >= 0) return;
    if (lettersUsed + end - start > letters.length) {
      const larger = new Uint16Array(letters.length * 2);
      larger.set(letters);
      letters = larger;
    }
    table[at + PLACE_LETTERS] = lettersUsed;
    for (let index = start; index < end; index++) letters[lettersUsed++] = units[index] ?? 0;
  };

  const isFull = (): boolean => count >= MAX_PLACES / 2 || used > MAX_NAMES || lettersUsed > MAX_LETTERS;

  const keepName = (codes: Int32Array, size: number, tail: number): number => {
    const at = used;
    used += NAME_START + size;
    if (used > names.length) {
      const larger = new Int32Array(Math.max(names.length * 2, used));
      larger.set(names);
      names = larger;
    }
    names[at + NAME_TAIL] = tail;
    names[at + NAME_COUNT] = size;
    for (let index = 0; index < size; index++) names[at + NAME_START + index] = codes[index] ?? 0;
    return -at;
  };

  const addStrong = (name: number, codes: Int32Array, size: number): number => {
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
    const at = find(source.units, start, end, low, high);
    if (at >= 0) return table[at + PLACE_CODE] ?? 0;
    if (isFull()) forget();
    const code = made.codeOf(source, start, end);
    keep(source, start, end, low, high, code);
    return code;
  };

  return {
    codeOf,
    wholeOf(source, start, end, low, high) {
      if (end - start > MAX_RAW_CHARS) return made.wholeOf(source, start, end);
      const at = find(source.units, start, end, low, high);
      if (at >= 0) return table[at + PLACE_CODE] ?? 0;
      if (isFull()) forget();
      const code = made.wholeOf(source, start, end);
      keep(source, start, end, low, high, code);
      return code;
    },
    get table() {
      return table;
    },
    get mask() {
      return mask;
    },
    get letters() {
      return letters;
    },
    get names() {
      return names;
    },
  };
}

/** Where to begin to look for a key, in a table of any size. */
export function firstPlace(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  // The upper bits of a product depend on all bits of its factors.
  return (mixed >>> 12) * PLACE;
}
