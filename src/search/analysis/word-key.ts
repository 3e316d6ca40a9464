/**
 * What a word is looked up by, in two integers. Of a short word in ASCII they are its letters themselves, eight in
 * all: nothing but the key has to be looked at. Of any other one, a hash, and its length below zero, which eight
 * letters in ASCII never make: whoever finds that has to compare the letters too.
 */
export interface WordKey {
  low: number;
  high: number;
}

export const SHORT_CHARS = 8;

/** Of the units from `start` to `end`. */
export function readKey(units: Uint16Array, start: number, end: number, key: WordKey): void {
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
  const isShort = end - start <= SHORT_CHARS && all < 128;
  key.low = isShort ? low : hash;
  key.high = isShort ? high : start - end;
}
