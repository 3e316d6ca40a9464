import { makeToken, type Token } from "./token.ts";
import { SHORT_CHARS } from "./word-key.ts";

/**
 * Remembers the tokens of common words: two places per key, the newer one first. Memory is bounded,
 * nothing is cut out of the text to look it up, and what it holds never changes an answer.
 *
 * A short word is found without looking at anything but the keys: in a large dictionary nearly every look
 * elsewhere is a miss of the processor's cache, and this alone makes the scan half as fast again.
 */
const PLACES = 1 << 16;
/** Longer names are mostly met once. */
const MAX_RAW_CHARS = 64;

// Every start pays for it: this way it takes a tenth of the time.
// oxlint-disable-next-line unicorn/no-new-array
const places = new Array<Token | undefined>(PLACES).fill(undefined);
const keys = new Int32Array(PLACES * 2);

/** The token of the name from `start` to `end`. */
export function tokenAt(text: string, start: number, end: number): Token {
  const length = end - start;
  if (length > MAX_RAW_CHARS) return makeToken(text.slice(start, end), tokenAt);
  let low = 0;
  let high = 0;
  let hash = 0;
  let all = 0;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    high = (high << 8) | (low >>> 24);
    low = (low << 8) | code;
    hash = (Math.imul(hash, 31) + code) | 0;
    all |= code;
  }
  return length <= SHORT_CHARS && all < 128
    ? keyedToken(text, start, end, low, high)
    : keyedToken(text, start, end, hash, -length);
}

/** The same, where the caller has its key. */
export function keyedToken(text: string, start: number, end: number, low: number, high: number): Token {
  if (end - start > MAX_RAW_CHARS) return makeToken(text.slice(start, end), tokenAt);
  const place = placeOf(low, high);
  for (let way = place; way < place + 2; way++) {
    if (keys[way * 2] !== low || keys[way * 2 + 1] !== high) continue;
    const token = places[way];
    if (token !== undefined && (high >= 0 || text.startsWith(token.raw, start))) return token;
  }
  return keep(text, start, end, place, low, high);
}

function placeOf(low: number, high: number): number {
  // The upper bits of a product depend on all bits of its factors.
  return (Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> 15) & (PLACES - 2);
}

function keep(text: string, start: number, end: number, place: number, low: number, high: number): Token {
  const key = place * 2;
  places[place + 1] = places[place];
  keys[key + 2] = keys[key] ?? 0;
  keys[key + 3] = keys[key + 1] ?? 0;
  // A plain slice would keep the whole text alive behind it (V8).
  const made = makeToken(` ${text.slice(start, end)}`.slice(1), tokenAt);
  places[place] = made;
  keys[key] = low;
  keys[key + 1] = high;
  return made;
}
