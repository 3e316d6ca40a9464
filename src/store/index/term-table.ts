import { Buffer } from "node:buffer";
import { decodeUnits, unitsToString, writeUnits } from "./term-units.ts";

/**
 * Numbers different terms from 0, in the order in which they come. Their texts stand one behind the other in plain
 * memory, as in the dictionary: as strings in a map they took 96 bytes each and here 30, and V8 let its heap grow
 * to twice what they filled before it tidied.
 */
export interface TermTable {
  readonly size: number;
  readonly bytes: number;
  numberOf(term: string): number;
  /** The same for a term in ASCII, by its first `length` letters. */
  numberOfLetters(letters: Uint8Array, length: number): number;
  text(number: number): string;
  /** Numbers of the terms in the order of their texts. */
  sorted(): Uint32Array;
}

export function createTermTable(): TermTable {
  let texts = Buffer.allocUnsafeSlow(32 * 1024);
  /** Where the text of each term begins, and behind the last one where it ends. */
  let starts = new Uint32Array(2_048);
  let hashes = new Uint32Array(2_048);
  /** Numbers plus one by hash; 0 is free. */
  let slots = new Uint32Array(4_096);
  let size = 0;
  /** The term that is looked for. */
  let wanted = new Uint8Array(256);
  let wantedLength = 0;
  let units = new Uint16Array(256);

  /** Where the term that is looked for has its slot: its own, or the free one that it would get. */
  const slotOf = (hash: number): number => {
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[slot] ?? 0) - 1;
      if (number === -1 || (hashes[number] === hash && isWanted(number))) return slot;
    }
  };
  const isWanted = (number: number): boolean => {
    const start = starts[number] ?? 0;
    if ((starts[number + 1] ?? 0) - start !== wantedLength) return false;
    for (let i = 0; i < wantedLength; i++) if (texts[start + i] !== wanted[i]) return false;
    return true;
  };
  const growSlots = (): void => {
    slots = new Uint32Array(slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < size; number++) {
      let slot = (hashes[number] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
  };
  const add = (hash: number, slot: number): number => {
    const number = size++;
    slots[slot] = number + 1;
    if (number + 2 > starts.length) {
      starts = enlarged(starts, new Uint32Array(starts.length * 2));
      hashes = enlarged(hashes, new Uint32Array(hashes.length * 2));
    }
    const start = starts[number] ?? 0;
    if (start + wantedLength > texts.length)
      texts = enlarged(
        texts,
        Buffer.allocUnsafeSlow(Math.max(start + wantedLength, Math.ceil(texts.length * 1.5))),
      );
    for (let i = 0; i < wantedLength; i++) texts[start + i] = wanted[i] ?? 0;
    starts[number + 1] = start + wantedLength;
    hashes[number] = hash;
    if (size * 2 > slots.length) growSlots();
    return number;
  };

  /** The number of the term that is looked for. */
  const numberOfWanted = (): number => {
    let hash = 0;
    for (let i = 0; i < wantedLength; i++) hash = Math.imul(hash ^ (wanted[i] ?? 0), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    hash = (hash ^ (hash >>> 13)) >>> 0;
    const slot = slotOf(hash);
    const known = slots[slot] ?? 0;
    return known === 0 ? add(hash, slot) : known - 1;
  };

  return {
    get size() {
      return size;
    },
    get bytes() {
      return (starts[size] ?? 0) + size * 8 + slots.length * 4;
    },
    numberOf(term) {
      if (term.length * 3 > wanted.length) wanted = new Uint8Array(term.length * 3);
      wantedLength = writeUnits(wanted, term);
      return numberOfWanted();
    },
    numberOfLetters(letters, length) {
      if (length > wanted.length) wanted = new Uint8Array(length);
      for (let i = 0; i < length; i++) wanted[i] = letters[i] ?? 0;
      wantedLength = length;
      return numberOfWanted();
    },
    text(number) {
      const start = starts[number] ?? 0;
      const end = starts[number + 1] ?? 0;
      if (isPlain(texts, start, end)) return texts.toString("latin1", start, end);
      if (end - start > units.length) units = new Uint16Array(end - start);
      return unitsToString(units, decodeUnits(texts, start, end, units, 0));
    },
    sorted: () => sortTexts(texts, starts, size),
  };
}

function isPlain(texts: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if ((texts[i] ?? 0) > 127) return false;
  return true;
}

function enlarged<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/**
 * A quicksort that looks at one byte at a time (Bentley and Sedgewick): terms share their beginnings, and comparing
 * them from the first on again and again made the built-in sort take a third of the time of a segment.
 */
function sortTexts(texts: Uint8Array, starts: Uint32Array, size: number): Uint32Array {
  const order = Uint32Array.from({ length: size }, (_, i) => i);
  /** Plus one, so that the end of a term, 0, comes before all bytes. */
  const byteAt = (place: number, depth: number): number => {
    const number = order[place] ?? 0;
    const at = (starts[number] ?? 0) + depth;
    return at < (starts[number + 1] ?? 0) ? (texts[at] ?? 0) + 1 : 0;
  };
  const swap = (a: number, b: number): void => {
    const kept = order[a] ?? 0;
    order[a] = order[b] ?? 0;
    order[b] = kept;
  };

  // Stretches that have their first `depth` bytes in common and are still to be sorted.
  const pending: number[] = [0, size, 0];
  while (pending.length > 0) {
    const depth = pending.pop() ?? 0;
    const to = pending.pop() ?? 0;
    const from = pending.pop() ?? 0;
    if (to - from < 2) continue;
    const pivot = byteAt(from + ((to - from) >>> 1), depth);
    let less = from;
    let greater = to;
    for (let i = from; i < greater; ) {
      const byte = byteAt(i, depth);
      if (byte < pivot) swap(less++, i++);
      else if (byte > pivot) swap(i, --greater);
      else i++;
    }
    pending.push(from, less, depth, greater, to, depth);
    // Terms that end here are equal, and there are no equal terms.
    if (pivot !== 0) pending.push(less, greater, depth + 1);
  }
  return order;
}
