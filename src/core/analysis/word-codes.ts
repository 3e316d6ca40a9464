import type { TermSink } from "../search/term-sink.ts";
import type { TextUnits } from "./text-units.ts";
import { makeToken, type Token } from "./token.ts";
import { SHORT_CHARS, tokenAt } from "./token-cache.ts";
import { weakTerm } from "./weak-terms.ts";

/**
 * Remembers what a sink calls the terms of common words. All in integers: of a word that is known nothing is
 * touched but its line in the table, and for a long one its letters. Two places per word, the newer one first.
 *
 * The key of a short word in ASCII is its letters themselves, eight in two integers; of a longer one, a hash and
 * its length below zero, which eight letters in ASCII never make.
 *
 * The code of a word that has one term is that of the sink. Of a name it is less than zero: where its codes
 * stand, from `NAME_START` on.
 */
export interface WordCodes {
  /** Of a word of up to eight units of ASCII, which the caller has put into two integers. */
  short(text: string, start: number, end: number, low: number, high: number): number;
  /** Of any name. */
  any(source: TextUnits, start: number, end: number): number;
  /** The codes of names; what it is may change with every call above. */
  readonly names: Int32Array;
}

/** At the place of a name: what follows it, the code of its whole or -1, how many codes; then those. */
export const NAME_TAIL = 0;
export const NAME_WHOLE = 1;
export const NAME_COUNT = 2;
export const NAME_START = 3;

/** Longer names are mostly met once. */
const MAX_RAW_CHARS = 64;
/** Integers per place: two of the key, the code, and one that is not used. */
const PLACE = 4;
const CODE = 2;
const FIRST_PLACES: number = 1 << 11;
const MAX_PLACES: number = 1 << 17;
/** Names are forgotten, and all words with them, when they fill this much. */
const MAX_NAMES: number = 1 << 19;

export function createWordCodes(sink: TermSink): WordCodes {
  let places = FIRST_PLACES;
  let table = new Int32Array(places * PLACE);
  /** Long words as they stand in a text: a hash alone might lie. */
  let raws = noRaws(places);
  let names = new Int32Array(1 << 10);
  /** Never 0: the code of a name is less than zero. */
  let used = 1;
  let misses = 0;

  const placeOf = (low: number, high: number): number =>
    // The upper bits of a product depend on all bits of its factors.
    (Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> 15) & (places - 2);

  const forget = (): void => {
    misses = 0;
    table.fill(0);
    raws.fill(undefined);
    used = 1;
  };

  /** Twice the places. What is there finds its new one, unless two others have that already. */
  const grow = (): void => {
    const [oldTable, oldRaws] = [table, raws];
    misses = 0;
    places *= 2;
    table = new Int32Array(places * PLACE);
    raws = noRaws(places);
    for (let old = 0; old < oldRaws.length; old++) {
      const at = old * PLACE;
      const place = placeOf(oldTable[at] ?? 0, oldTable[at + 1] ?? 0);
      const to = isFree(place) ? place : place + 1;
      if (!isFree(to)) continue;
      table.set(oldTable.subarray(at, at + PLACE), to * PLACE);
      raws[to] = oldRaws[old];
    }
  };

  /** No word has zeros for a key. */
  const isFree = (place: number): boolean => table[place * PLACE] === 0 && table[place * PLACE + 1] === 0;

  const keep = (text: string, start: number, end: number, low: number, high: number): number => {
    misses++;
    if (misses > places / 2 && places < MAX_PLACES) grow();
    // A plain slice would keep the whole text alive behind it (V8).
    const raw = ` ${text.slice(start, end)}`.slice(1);
    const code = codeOf(makeToken(raw, tokenAt));
    const place = placeOf(low, high);
    table.copyWithin((place + 1) * PLACE, place * PLACE, (place + 1) * PLACE);
    table[place * PLACE] = low;
    table[place * PLACE + 1] = high;
    table[place * PLACE + CODE] = code;
    raws[place + 1] = raws[place];
    raws[place] = high < 0 ? raw : undefined;
    return code;
  };

  const codeOf = ({ term, weak, name }: Token): number => {
    if (name === undefined) return term === undefined ? weakCode(weak) : sink.numberOf(term) * 2;
    if (used > MAX_NAMES) forget();
    const count = name.terms.length + name.weak.length;
    const at = used;
    used += NAME_START + count;
    if (used > names.length) {
      const larger = new Int32Array(Math.max(names.length * 2, used));
      larger.set(names);
      names = larger;
    }
    names[at + NAME_TAIL] = name.tail;
    names[at + NAME_WHOLE] = name.whole === undefined ? -1 : sink.numberOf(name.whole) * 2;
    names[at + NAME_COUNT] = count;
    let to = at + NAME_START;
    for (const each of name.terms) names[to++] = sink.numberOf(each) * 2;
    for (const each of name.weak) names[to++] = weakCode(each);
    return -at;
  };

  const weakCode = (id: number): number => sink.numberOf(weakTerm(id)) * 2 + 1;

  const short: WordCodes["short"] = (text, start, end, low, high) => {
    const at = placeOf(low, high) * PLACE;
    if (table[at] === low && table[at + 1] === high) return table[at + CODE] ?? 0;
    if (table[at + PLACE] === low && table[at + PLACE + 1] === high) return table[at + PLACE + CODE] ?? 0;
    return keep(text, start, end, low, high);
  };

  const any: WordCodes["any"] = ({ text, units }, start, end) => {
    const length = end - start;
    if (length > MAX_RAW_CHARS) return codeOf(makeToken(text.slice(start, end), tokenAt));
    let low = 0;
    let high = 0;
    let hash = 0;
    let all = 0;
    for (let index = start; index < end; index++) {
      const unit = units[index] ?? 0;
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | unit;
      hash = (Math.imul(hash, 31) + unit) | 0;
      all |= unit;
    }
    if (length <= SHORT_CHARS && all < 128) return short(text, start, end, low, high);
    const place = placeOf(hash, -length);
    for (let way = place; way < place + 2; way++) {
      const at = way * PLACE;
      if (table[at] !== hash || table[at + 1] !== -length) continue;
      const raw = raws[way];
      if (raw !== undefined && text.startsWith(raw, start)) return table[at + CODE] ?? 0;
    }
    return keep(text, start, end, hash, -length);
  };

  return {
    short,
    any,
    get names() {
      return names;
    },
  };
}

function noRaws(places: number): (string | undefined)[] {
  return Array.from({ length: places }, () => undefined);
}
