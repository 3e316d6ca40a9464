import { Buffer } from "node:buffer";
import { sortTerms } from "./sort-terms.ts";
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
  /** All texts, valid until a term is added, and where each begins; the next one begins where it ends. */
  readonly texts: Uint8Array;
  readonly starts: Uint32Array;
  /** Numbers of the terms in the order of their texts. */
  sorted(): Uint32Array;
}

export function createTermTable(): TermTable {
  let texts = Buffer.allocUnsafeSlow(32 * 1024);
  /** Where the text of each term begins, and behind the last one where it ends. */
  let starts = new Uint32Array(2_048);
  /** By hash, two numbers each: the hash, and the term's number plus one; 0 is free. */
  let slots = new Uint32Array(8_192);
  let mask = slots.length - 2;
  let size = 0;
  /** The term that is looked for, where it is no plain letters. */
  let wanted = new Uint8Array(256);
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
      if (term.length * 3 > wanted.length) wanted = new Uint8Array(term.length * 3);
      return find(wanted, writeUnits(wanted, term));
    },
    numberOfLetters: find,
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
