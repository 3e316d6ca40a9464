import { Buffer } from "node:buffer";
import { decodeUnits, unitsToString, writeUnits } from "./bytes.ts";

/**
 * Numbers distinct terms from 0 in the order of arrival. A hash table over plain memory, which takes a third of what
 * strings in a map take.
 */
interface TermTable {
  readonly size: number;
  readonly bytes: number;
  numberOf(term: string): number;
  text(number: number): string;
  /** All texts, valid until a term is added, and where each starts; it ends where the next one starts. */
  readonly texts: Uint8Array;
  readonly starts: Uint32Array;
  /** The numbers of the terms, sorted by text. */
  sorted(): Uint32Array;
}

export function createTermTable(): TermTable {
  let texts = Buffer.allocUnsafeSlow(32 * 1024);
  /** Where the text of each term starts, then where the last one ends. */
  let starts = new Uint32Array(2_048);
  /** Slots of two numbers: the hash, and the term's number plus one; 0 if free. */
  let slots = new Uint32Array(8_192);
  let mask = slots.length - 2;
  let size = 0;
  /** The encoded term that is being looked up. */
  let encoded = new Uint8Array(256);
  let units = new Uint16Array(256);

  const growSlots = (): void => {
    const old = slots;
    slots = new Uint32Array(old.length * 2);
    mask = slots.length - 2;
    for (let from = 0; from < old.length; from += 2) {
      const number = old[from + 1] ?? 0;
      if (number === 0) continue;
      const hash = old[from] ?? 0;
      let slot = (hash << 1) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      slots[slot] = hash;
      slots[slot + 1] = number;
    }
  };

  const add = (letters: Uint8Array, length: number): number => {
    const number = size++;
    if (number + 2 > starts.length) starts = enlarged(starts, new Uint32Array(starts.length * 2));
    const start = starts[number] ?? 0;
    if (start + length > texts.length)
      texts = enlarged(
        texts,
        Buffer.allocUnsafeSlow(Math.max(start + length, Math.ceil(texts.length * 1.5))),
      );
    for (let i = 0; i < length; i++) texts[start + i] = letters[i] ?? 0;
    starts[number + 1] = start + length;
    return number;
  };

  const find = (letters: Uint8Array, length: number): number => {
    let hash = 0;
    for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (letters[i] ?? 0), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    hash = (hash ^ (hash >>> 13)) >>> 0;
    let slot = (hash << 1) & mask;
    for (let number = slots[slot + 1] ?? 0; number !== 0; number = slots[slot + 1] ?? 0) {
      if (slots[slot] === hash) {
        const start = starts[number - 1] ?? 0;
        let same = (starts[number] ?? 0) - start === length ? 0 : -1;
        while (same >= 0 && same < length) same = texts[start + same] === letters[same] ? same + 1 : -1;
        if (same === length) return number - 1;
      }
      slot = (slot + 2) & mask;
    }
    const number = add(letters, length);
    slots[slot] = hash;
    slots[slot + 1] = number + 1;
    if (size * 8 > slots.length * 3) growSlots();
    return number;
  };

  return {
    get size() {
      return size;
    },
    get bytes() {
      return (starts[size] ?? 0) + size * 4 + slots.length * 4;
    },
    numberOf(term) {
      if (term.length * 3 > encoded.length) encoded = new Uint8Array(term.length * 3);
      return find(encoded, writeUnits(encoded, term));
    },
    text(number) {
      const start = starts[number] ?? 0;
      const end = starts[number + 1] ?? 0;
      if (end - start > units.length) units = new Uint16Array(end - start);
      return unitsToString(units, decodeUnits(texts, start, end, units, 0));
    },
    get texts() {
      return texts;
    },
    get starts() {
      return starts;
    },
    sorted: () => sortTerms(texts, starts, size),
  };
}

function enlarged<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/**
 * Sorts the numbers of terms by text. A multikey quicksort (Bentley and Sedgewick) on three bytes at a time: terms share
 * prefixes, and comparing whole texts would take a third of the time that a segment takes. The bytes are fetched once
 * per range, because nearly every access to a text misses the processor's cache.
 */
function sortTerms(texts: Uint8Array, starts: Uint32Array, size: number): Uint32Array {
  const order = new Uint32Array(size);
  for (let place = 0; place < size; place++) order[place] = place;
  const keys = new Uint32Array(size);
  // Ranges that share their first `depth` bytes and are still to be sorted.
  const pending: number[] = [0, size, 0];
  while (pending.length > 0) {
    const depth = pending.pop() ?? 0;
    const to = pending.pop() ?? 0;
    const from = pending.pop() ?? 0;
    for (let place = from; place < to; place++) {
      const number = order[place] ?? 0;
      keys[place] = keyAt(texts, (starts[number] ?? 0) + depth, starts[number + 1] ?? 0);
    }
    sortByKeys(keys, order, from, to);
    for (let start = from; start < to; ) {
      const key = keys[start] ?? 0;
      let end = start + 1;
      while (end < to && keys[end] === key) end++;
      // Terms that end within the key would be equal, and no two terms are.
      if (end - start > 1 && (key & 0xff) === KEY_BYTES) pending.push(start, end, depth + KEY_BYTES);
      start = end;
    }
  }
  return order;
}

const KEY_BYTES = 3;

/** Three bytes, then how many of them there are, so that a prefix sorts before longer terms. */
function keyAt(texts: Uint8Array, at: number, end: number): number {
  if (at + KEY_BYTES <= end)
    return (
      (((texts[at] ?? 0) << 24) | ((texts[at + 1] ?? 0) << 16) | ((texts[at + 2] ?? 0) << 8) | KEY_BYTES) >>>
      0
    );
  if (at >= end) return 0;
  return at + 1 === end
    ? (((texts[at] ?? 0) << 24) | 1) >>> 0
    : (((texts[at] ?? 0) << 24) | ((texts[at + 1] ?? 0) << 16) | 2) >>> 0;
}

const FEW = 16;

/** Sorts both arrays by the first, from `from` up to `to`. */
function sortByKeys(keys: Uint32Array, order: Uint32Array, from: number, to: number): void {
  let first = from;
  let last = to - 1;
  let waiting = 0;
  for (;;) {
    if (last - first < FEW) {
      insert(keys, order, first, last);
      if (waiting === 0) return;
      last = ranges[--waiting] ?? 0;
      first = ranges[--waiting] ?? 0;
      continue;
    }
    const pivot = middleOf(keys[first] ?? 0, keys[(first + last) >>> 1] ?? 0, keys[last] ?? 0);
    let low = first;
    let high = last;
    while (low <= high) {
      while ((keys[low] ?? 0) < pivot) low++;
      while ((keys[high] ?? 0) > pivot) high--;
      if (low > high) break;
      const key = keys[low] ?? 0;
      const number = order[low] ?? 0;
      keys[low] = keys[high] ?? 0;
      order[low] = order[high] ?? 0;
      keys[high] = key;
      order[high] = number;
      low++;
      high--;
    }
    // The longer side waits, so the stack is no deeper than the number of bits of the length.
    if (high - first > last - low) {
      ranges[waiting++] = first;
      ranges[waiting++] = high;
      first = low;
    } else {
      ranges[waiting++] = low;
      ranges[waiting++] = last;
      last = high;
    }
  }
}

const ranges = new Uint32Array(2 * 32);

function insert(keys: Uint32Array, order: Uint32Array, first: number, last: number): void {
  for (let place = first + 1; place <= last; place++) {
    const key = keys[place] ?? 0;
    const number = order[place] ?? 0;
    let to = place;
    while (to > first && (keys[to - 1] ?? 0) > key) {
      keys[to] = keys[to - 1] ?? 0;
      order[to] = order[to - 1] ?? 0;
      to--;
    }
    keys[to] = key;
    order[to] = number;
  }
}

function middleOf(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : Math.max(a, c);
  return a < c ? a : Math.max(b, c);
}
