import type { ClassifiedText } from "./characters.ts";
import type { Tail } from "./split-name.ts";

/** Looks up tokens by their letters, and creates unknown ones. */
export interface TokenCache<T> {
  /** The token from `start` to `end` of a text. */
  at(text: ClassifiedText, start: number, end: number): T;
  /** The token of a string. */
  of(raw: string): T;
  /** The kind of text after a token that belongs to it and is skipped. */
  tailOf(token: T): Tail;
}

/**
 * Tokens as numbers in one array: the result of `make` for each, which the caller may change. Every word of every log
 * is looked up here among a hundred thousand, so a token must be in one place in memory: objects, a `Map` or separate
 * arrays make indexing a fifth slower.
 */
export interface TokenTable {
  /** Where the numbers of a token start. */
  at(text: ClassifiedText, start: number, end: number): number;
  of(raw: string): number;
  /** The array; replaced when a token is added. */
  readonly numbers: Int32Array;
  /** Forgets all tokens if there are too many. Places that it returned before must not be used again. */
  trim(): void;
}

/** Longer tokens mostly occur only once. */
const MAX_KEPT_CHARS = 64;
const FIRST_SLOTS = 2_048;
const MAX_TOKENS = 131_072;
const MAX_NUMBERS: number = MAX_TOKENS * 16;

/** Before the numbers of a token: how many letters it has, and how many numbers. Its letters follow, two in a number. */
const HEAD = 2;

export function createTokenTable(make: (raw: string) => readonly number[]): TokenTable {
  /** A hash table with open addressing: the hash of a token and the place of its head; 0 if the slot is free. */
  let slots = new Int32Array(FIRST_SLOTS * 2);
  let numbers = new Int32Array(FIRST_SLOTS * 16);
  // Place 0 means "none".
  let used = 1;
  let count = 0;
  /** Tokens that are looked up by a string. */
  let strings = new Map<string, number>();

  const putSlot = (hash: number, head: number): void => {
    const last = slots.length - 2;
    let at = (hash << 1) & last;
    while (slots[at + 1] !== 0) at = (at + 2) & last;
    slots[at] = hash;
    slots[at + 1] = head;
  };

  /** Adds a token without its letters; returns where its numbers start. */
  const append = (raw: string, length: number): number => {
    const made = make(raw);
    const needed = used + HEAD + made.length + ((length + 1) >> 1);
    if (needed > numbers.length) {
      const larger = new Int32Array(Math.max(needed, numbers.length * 2));
      larger.set(numbers);
      numbers = larger;
    }
    numbers[used] = length;
    numbers[used + 1] = made.length;
    numbers.set(made, used + HEAD);
    const place = used + HEAD;
    used = place + made.length;
    return place;
  };

  const add = ({ text, units }: ClassifiedText, start: number, end: number, hash: number): number => {
    // A plain slice would keep the whole text in memory (V8).
    const raw = ` ${text.slice(start, end)}`.slice(1);
    if (raw.length > MAX_KEPT_CHARS) return append(raw, 0);
    const place = append(raw, raw.length);
    for (let at = start; at < end; at += 2)
      numbers[used++] = (units[at] ?? 0) | (at + 1 < end ? (units[at + 1] ?? 0) << 16 : 0);
    if (++count * 4 > slots.length) {
      const before = slots;
      slots = new Int32Array(before.length * 2);
      for (let at = 0; at < before.length; at += 2)
        if (before[at + 1] !== 0) putSlot(before[at] ?? 0, before[at + 1] ?? 0);
    }
    putSlot(hash, place - HEAD);
    return place;
  };

  const at = (source: ClassifiedText, start: number, end: number): number => {
    const { units } = source;
    let hash = 0;
    for (let index = start; index < end; index++) hash = Math.imul(hash ^ (units[index] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
    const last = slots.length - 2;
    for (let slot = (hash << 1) & last; ; slot = (slot + 2) & last) {
      const head = slots[slot + 1] ?? 0;
      if (head === 0) return add(source, start, end, hash);
      if (slots[slot] !== hash || numbers[head] !== end - start) continue;
      const place = head + HEAD;
      let letters = place + (numbers[head + 1] ?? 0);
      let index = start;
      while (
        index + 1 < end &&
        numbers[letters] === ((units[index] ?? 0) | ((units[index + 1] ?? 0) << 16))
      ) {
        index += 2;
        letters++;
      }
      if (index === end || (index === end - 1 && numbers[letters] === units[index])) return place;
    }
  };

  return {
    at,
    of(raw) {
      const place = strings.get(raw) ?? append(raw, 0);
      strings.set(raw, place);
      return place;
    },
    get numbers() {
      return numbers;
    },
    trim() {
      if (count < MAX_TOKENS && used < MAX_NUMBERS) return;
      slots = new Int32Array(FIRST_SLOTS * 2);
      strings = new Map();
      used = 1;
      count = 0;
    },
  };
}

/** Creates a cache of tokens that are objects, for queries and snippets. */
export function createTokenCache<T extends { readonly tail: Tail }>(make: (raw: string) => T): TokenCache<T> {
  let made: T[] = [];
  let table = createTokenTable((raw) => [made.push(make(raw)) - 1]);
  const tokenAt = (place: number): T => {
    const token = made[table.numbers[place] ?? 0];
    if (token === undefined) throw new RangeError(`No token is at ${place}`);
    return token;
  };
  const forget = (): void => {
    made = [];
    table = createTokenTable((raw) => [made.push(make(raw)) - 1]);
  };
  return {
    at(text, start, end) {
      if (made.length >= MAX_TOKENS) forget();
      return tokenAt(table.at(text, start, end));
    },
    of: (raw) => tokenAt(table.of(raw)),
    tailOf: ({ tail }) => tail,
  };
}
