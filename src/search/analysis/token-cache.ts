import { makeToken, type Token } from "./token.ts";
import { SHORT_CHARS } from "./word-key.ts";

/**
 * Remembers the tokens of common words: two places per key, the newer one first. Memory is bounded,
 * nothing is cut out of the text to look it up, and what it holds never changes an answer.
 *
 * A short word is found without looking at anything but the keys: in a large dictionary nearly every look
 * elsewhere is a miss of the processor's cache, and this alone makes the scan half as fast again.
 */
const MOST_PLACES = 1 << 16;
/** A search needs a few hundred, and is over before a megabyte of memory has paid for itself. */
const FIRST_PLACES = 1 << 11;
/** Longer names are mostly met once. */
const MAX_RAW_CHARS = 64;

let places: (Token | undefined)[] = emptyPlaces(FIRST_PLACES);
let keys = new Int32Array(FIRST_PLACES * 2);
let kept = 0;

function emptyPlaces(count: number): (Token | undefined)[] {
  // Filled later, it would be one of holes, which is slower to look at.
  // oxlint-disable-next-line unicorn/no-new-array
  return new Array<Token | undefined>(count).fill(undefined);
}

/** Forgets everything: what is common comes again. */
function growPlaces(): void {
  places = emptyPlaces(Math.min(MOST_PLACES, places.length * 8));
  keys = new Int32Array(places.length * 2);
}

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
  if (kept > places.length && places.length < MOST_PLACES) growPlaces();
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
  return (Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> 15) & (places.length - 2);
}

function keep(text: string, start: number, end: number, place: number, low: number, high: number): Token {
  const key = place * 2;
  kept++;
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
