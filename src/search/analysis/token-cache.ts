import type { ClassifiedText } from "./characters.ts";

/** Looks up tokens by their letters, and makes those that are not known yet. */
export interface TokenCache<T> {
  /** The token from `start` to `end` of a text. */
  at(text: ClassifiedText, start: number, end: number): T;
  /** The token of a string; not cached. */
  of(raw: string): T;
}

/** Longer tokens are mostly met once. */
const MAX_CACHED_CHARS = 64;
const FIRST_SLOTS = 2_048;
/** When half of these are taken, all tokens are forgotten. */
const MAX_SLOTS = 131_072;

/** The tokens, and by the same slots their hashes and where their letters start, after their number. */
interface Table<T> {
  readonly tokens: (T | undefined)[];
  readonly hashes: Int32Array;
  readonly starts: Int32Array;
  readonly mask: number;
}

/**
 * Makes a cache: a hash table with open addressing. A `Map` would need a string for each token of a text, only to
 * look it up, which makes the whole analysis half as fast.
 */
export function createTokenCache<T>(make: (raw: string) => T): TokenCache<T> {
  let table = emptyTable<T>(FIRST_SLOTS);
  let letters = new Uint16Array(FIRST_SLOTS * 8);
  let used = 0;
  let count = 0;

  /** Makes room for one more token of this length. */
  const makeRoom = (length: number): void => {
    if (++count * 2 > table.mask) {
      const old = table;
      const isFull = old.hashes.length === MAX_SLOTS;
      table = emptyTable(isFull ? FIRST_SLOTS : old.hashes.length * 2);
      if (isFull) [used, count] = [0, 1];
      else
        for (const [slot, token] of old.tokens.entries())
          if (token !== undefined) put(table, token, old.hashes[slot] ?? 0, old.starts[slot] ?? 0);
    }
    if (used + 1 + length <= letters.length) return;
    const larger = new Uint16Array(letters.length * 2);
    larger.set(letters);
    letters = larger;
  };

  /** Makes a token and keeps it. */
  const add = (source: ClassifiedText, start: number, end: number, hash: number): T => {
    // A plain slice would keep the whole text in memory (V8).
    const raw = ` ${source.text.slice(start, end)}`.slice(1);
    const token = make(raw);
    if (raw.length > MAX_CACHED_CHARS) return token;
    makeRoom(raw.length);
    put(table, token, hash, used);
    letters[used++] = raw.length;
    letters.set(source.units.subarray(start, end), used);
    used += raw.length;
    return token;
  };

  const at = (source: ClassifiedText, start: number, end: number): T => {
    const { units } = source;
    const length = end - start;
    let hash = 0;
    for (let index = start; index < end; index++) hash = Math.imul(hash ^ (units[index] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
    const { tokens, hashes, starts, mask } = table;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const known = tokens[slot];
      if (known === undefined) return add(source, start, end, hash);
      if (hashes[slot] !== hash) continue;
      const first = starts[slot] ?? 0;
      if (letters[first] !== length) continue;
      let same = 0;
      while (same < length && letters[first + 1 + same] === units[start + same]) same++;
      if (same === length) return known;
    }
  };

  return { at, of: make };
}

function emptyTable<T>(slots: number): Table<T> {
  const tokens = Array.from<T | undefined>({ length: slots }).fill(undefined);
  return { tokens, hashes: new Int32Array(slots), starts: new Int32Array(slots), mask: slots - 1 };
}

function put<T>({ tokens, hashes, starts, mask }: Table<T>, token: T, hash: number, start: number): void {
  let slot = hash & mask;
  while (tokens[slot] !== undefined) slot = (slot + 1) & mask;
  tokens[slot] = token;
  hashes[slot] = hash;
  starts[slot] = start;
}
