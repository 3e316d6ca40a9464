/**
 * Numbers names (uids, ids of calls and messages) from 0, in the order in which they come. Few names are kept in a map,
 * which is fastest in a process that has just started. Past a limit only a 64-bit hash of each is kept, because the
 * names of a log of gigabytes would take too much memory; docs/decisions/bounded-memory.md has the figures and the
 * odds of a collision.
 */
export interface NameTable {
  /** How many numbers are in use. */
  readonly size: number;
  /** Returns the number of a name; a new one for a new name. */
  number(name: string): number;
  /** Returns the number of a known name, else -1. */
  find(name: string): number;
  /** Returns a new number without a name. */
  unnamed(): number;
}

/** More names are kept as hashes. */
const FEW = 20_000;

/** Words per slot: two for the hash, and the number plus one; 0 there means that the slot is free. */
const SLOT = 3;

/** Up to `maxInMap` names are kept in a map. */
export function createNameTable(maxInMap: number = FEW): NameTable {
  let few: Map<string, number> | undefined = new Map();
  let capacity = 64;
  let slots = new Uint32Array(capacity * SLOT);
  let used = 0;
  let size = 0;
  /** The last hash. */
  let low = 0;
  let high = 0;

  const hash = (name: string): void => {
    let a = 0xdeadbeef;
    let b = 0x41c6ce57;
    for (let i = 0; i < name.length; i++) {
      const code = name.charCodeAt(i);
      a = Math.imul(a ^ code, 0x9e3779b1);
      b = Math.imul(b ^ code, 0x5f356495);
      a = (a << 13) | (a >>> 19);
      b = (b << 15) | (b >>> 17);
    }
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
    low = (a ^ (a >>> 15)) >>> 0;
    high = (b ^ (b >>> 14)) >>> 0;
  };

  /** Finds the slot of a hash: its present one, or the free one that it would get. */
  const place = (table: Uint32Array, count: number, first: number, second: number): number => {
    for (let slot = first & (count - 1); ; slot = (slot + 1) & (count - 1)) {
      const at = slot * SLOT;
      if (table[at + 2] === 0 || (table[at] === first && table[at + 1] === second)) return at;
    }
  };

  const grow = (): void => {
    const grown = new Uint32Array(capacity * 2 * SLOT);
    for (let at = 0; at < slots.length; at += SLOT) {
      if (slots[at + 2] === 0) continue;
      grown.set(
        slots.subarray(at, at + SLOT),
        place(grown, capacity * 2, slots[at] ?? 0, slots[at + 1] ?? 0),
      );
    }
    capacity *= 2;
    slots = grown;
  };

  /** Returns the number in the slot of a name. If it has none, puts `given` there, or the next number. */
  const keep = (name: string, given?: number): number => {
    hash(name);
    const at = place(slots, capacity, low, high);
    const known = slots[at + 2] ?? 0;
    if (known !== 0) return known - 1;
    const number = given ?? size++;
    slots[at] = low;
    slots[at + 1] = high;
    slots[at + 2] = number + 1;
    if (++used * 3 > capacity * 2) grow();
    return number;
  };

  return {
    get size() {
      return size;
    },
    number(name) {
      if (few === undefined) return keep(name);
      const known = few.get(name);
      if (known !== undefined) return known;
      few.set(name, size);
      if (few.size > maxInMap) {
        for (const [each, number] of few) keep(each, number);
        few = undefined;
      }
      return size++;
    },
    find(name) {
      if (few !== undefined) return few.get(name) ?? -1;
      hash(name);
      return (slots[place(slots, capacity, low, high) + 2] ?? 0) - 1;
    },
    unnamed: () => size++,
  };
}
