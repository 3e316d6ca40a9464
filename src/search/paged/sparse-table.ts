import type { DictionaryPlace } from "./dictionary-writer.ts";
import type { PagedFile } from "./paged-file.ts";

/** Where the blocks of a dictionary begin; searched without being decoded. */
export interface SparseTable {
  readonly blocks: number;
  /** The block in which a term stands if it stands anywhere. */
  find(term: Uint8Array): number;
  recordStart(block: number): number;
  recordEnd(block: number): number;
  postingStart(block: number): number;
}

export function openSparseTable(file: PagedFile, place: DictionaryPlace): SparseTable {
  const { blocks } = place;
  const bytes = file.read(place.tableOffset, place.tableLength);
  const keysAt = blocks * 12;
  const keyStart = (block: number): number =>
    keysAt + (block === 0 ? 0 : bytes.readUInt32LE((block - 1) * 4));
  const keyEnd = (block: number): number => keysAt + bytes.readUInt32LE(block * 4);
  const recordStart = (block: number): number => bytes.readUInt32LE((blocks + block) * 4);

  /** Whether the key of a block is greater than a term. */
  const isBehind = (block: number, term: Uint8Array): boolean => {
    const from = keyStart(block);
    const length = keyEnd(block) - from;
    const both = Math.min(length, term.length);
    for (let i = 0; i < both; i++) {
      const difference = (bytes[from + i] ?? 0) - (term[i] ?? 0);
      if (difference !== 0) return difference > 0;
    }
    return length > term.length;
  };

  return {
    blocks,
    find(term) {
      let low = 0;
      let high = blocks - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (isBehind(middle, term)) high = middle - 1;
        else low = middle;
      }
      return low;
    },
    recordStart,
    recordEnd: (block) => (block + 1 < blocks ? recordStart(block + 1) : place.length),
    postingStart: (block) => bytes.readUInt32LE((blocks * 2 + block) * 4),
  };
}
