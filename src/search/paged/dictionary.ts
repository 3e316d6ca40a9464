import { IndexDamage } from "../../fs/damage.ts";
import { once } from "../../fs/once.ts";
import { decodeUnits, encodeUnits, unitsToString } from "./bytes.ts";
import { BLOCK_TERMS, type DictionaryPlace, LONG } from "./dictionary-writer.ts";
import { createEditRows } from "./edit-rows.ts";
import type { PagedFile } from "./paged-file.ts";
import { openColumn } from "./paged-file.ts";
import { type NearColumns, nearCandidates, type TermRange } from "./term-signature.ts";

/** The place of a term's postings, relative to the postings of its segment. */
export interface TermPlace {
  readonly term: string;
  readonly offset: number;
  readonly length: number;
}

interface NearTerm extends TermPlace {
  readonly distance: number;
}

export interface Dictionary {
  /** The number of terms. */
  readonly terms: number;
  find(term: string): TermPlace | undefined;
  /** All terms that start with `prefix`, in order, including the prefix itself. */
  withPrefix(prefix: string): readonly TermPlace[];
  /** All terms within an edit distance, in order, including the word itself; with `isSameStart`, those with its first letter. */
  near(word: string, maxDistance: number, isSameStart?: boolean): readonly NearTerm[];
  all(): Generator<TermPlace>;
}

/** How much is read at once to walk the dictionary. A look-up reads a single block. */
const WALK_WINDOW = 4 * 1024 * 1024;
const MERGE_WINDOW = 1024 * 1024;
const PREFIX_WINDOW = 32 * 1024;

export function openDictionary(file: PagedFile, place: DictionaryPlace): Dictionary {
  let opened: SparseTable | undefined;
  const table = (): SparseTable => {
    opened ??= openSparseTable(file, place);
    return opened;
  };
  const empty = place.terms === 0;
  const byLength: NearColumns = {
    starts: place.lengthStarts,
    letters: openColumn(file, place.letters, place.terms),
    terms: openColumn(file, place.termsByLength, place.terms),
  };
  const walk = once(() => window(WALK_WINDOW));
  const window = (size = 0): BlockWindow => createBlockWindow(file, place, table(), size);
  return {
    terms: place.terms,
    find: (term) => (empty ? undefined : findTerm(window(), table(), term)),
    withPrefix: (prefix) => (empty ? [] : termsWithPrefix(window(PREFIX_WINDOW), table(), place, prefix)),
    near: (word, maxDistance, isSameStart = false) =>
      empty ? [] : termsNear(walk(), table(), place, byLength, word, maxDistance, isSameStart),
    *all() {
      if (empty) return;
      const all = window(MERGE_WINDOW);
      for (let block = 0; block < table().blocks; block++) yield* blockTerms(all, table(), place, block);
    },
  };
}

/** A range of the dictionary's bytes and a position in it. */
interface BlockWindow {
  bytes: Uint8Array;
  position: number;
  end: number;
  /** The last record that was read. */
  shared: number;
  suffixStart: number;
  suffixEnd: number;
  postingsLength: number;
  enter(block: number): void;
}

function createBlockWindow(
  file: PagedFile,
  place: DictionaryPlace,
  table: SparseTable,
  size: number,
): BlockWindow {
  let base = 0;
  const window: BlockWindow = {
    bytes: new Uint8Array(0),
    position: 0,
    end: 0,
    shared: 0,
    suffixStart: 0,
    suffixEnd: 0,
    postingsLength: 0,
    enter(block) {
      const start = table.recordStart(block);
      const end = table.recordEnd(block);
      if (start < base || end > base + window.bytes.length) {
        const length = Math.min(Math.max(end - start, size), place.length - start);
        window.bytes = file.read(place.offset + start, length);
        base = start;
      }
      window.position = start - base;
      window.end = end - base;
    },
  };
  return window;
}

function readRecord(window: BlockWindow): void {
  const bytes = window.bytes;
  const head = bytes[window.position++] ?? 0;
  let shared = head >> 4;
  let suffix = head & 0x0f;
  if (shared === LONG) shared += readVarint(window);
  if (suffix === LONG) suffix += readVarint(window);
  window.shared = shared;
  window.suffixStart = window.position;
  window.position += suffix;
  window.suffixEnd = window.position;
  window.postingsLength = readVarint(window);
  if (window.position > window.end) throw new IndexDamage("A block of the dictionary ends too early");
}

function readVarint(window: BlockWindow): number {
  let byte = window.bytes[window.position++] ?? 0;
  if (byte < 0x80) return byte;
  let value = byte & 0x7f;
  for (let scale = 128; ; scale *= 128) {
    byte = window.bytes[window.position++] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
}

function findTerm(window: BlockWindow, table: SparseTable, term: string): TermPlace | undefined {
  const block = table.find(encodeUnits(term));
  const units = new Uint16Array(1024);
  window.enter(block);
  let offset = table.postingStart(block);
  let matched = 0;
  while (window.position < window.end) {
    readRecord(window);
    // The term would have come before a record that shares less with its predecessor.
    if (window.shared < matched) return undefined;
    if (window.shared === matched) {
      const size = window.suffixEnd - window.suffixStart;
      const suffix = size > units.length ? new Uint16Array(size) : units;
      const length = decodeUnits(window.bytes, window.suffixStart, window.suffixEnd, suffix, 0);
      let i = 0;
      while (i < length && matched < term.length && suffix[i] === term.charCodeAt(matched)) {
        i++;
        matched++;
      }
      if (i === length && matched === term.length) return { term, offset, length: window.postingsLength };
      if (i < length && (matched === term.length || (suffix[i] ?? 0) > term.charCodeAt(matched)))
        return undefined;
    }
    offset += window.postingsLength;
  }
  return undefined;
}

function* blockTerms(
  window: BlockWindow,
  table: SparseTable,
  place: DictionaryPlace,
  block: number,
): Generator<TermPlace> {
  const units = new Uint16Array(place.longest);
  window.enter(block);
  let offset = table.postingStart(block);
  while (window.position < window.end) {
    readRecord(window);
    const length = decodeUnits(window.bytes, window.suffixStart, window.suffixEnd, units, window.shared);
    yield { term: unitsToString(units, length), offset, length: window.postingsLength };
    offset += window.postingsLength;
  }
}

function termsWithPrefix(
  window: BlockWindow,
  table: SparseTable,
  place: DictionaryPlace,
  prefix: string,
): TermPlace[] {
  const found: TermPlace[] = [];
  for (let block = table.find(encodeUnits(prefix)); block < table.blocks; block++) {
    for (const entry of blockTerms(window, table, place, block)) {
      if (entry.term.startsWith(prefix)) found.push(entry);
      else if (entry.term > prefix) return found;
    }
  }
  return found;
}

/** Reads only the blocks with a term that may be near. */
function termsNear(
  window: BlockWindow,
  table: SparseTable,
  place: DictionaryPlace,
  byLength: NearColumns,
  word: string,
  maxDistance: number,
  isSameStart: boolean,
): NearTerm[] {
  const candidates = nearCandidates(
    byLength,
    word,
    maxDistance,
    isSameStart ? termsAt(table, word.charCodeAt(0)) : undefined,
  );
  const rows = createEditRows(word, maxDistance);
  const units = new Uint16Array(place.longest);
  const found: NearTerm[] = [];
  let block = -1;
  let term = 0;
  let offset = 0;
  // How many units of the current term the edit rows cover.
  let compared = 0;
  let length = 0;
  for (const candidate of candidates) {
    const itsBlock = Math.floor(candidate / BLOCK_TERMS);
    if (itsBlock !== block) {
      block = itsBlock;
      window.enter(block);
      term = block * BLOCK_TERMS;
      offset = table.postingStart(block);
      compared = 0;
      window.postingsLength = 0;
    }
    for (; term <= candidate; term++) {
      offset += window.postingsLength;
      readRecord(window);
      length = decodeUnits(window.bytes, window.suffixStart, window.suffixEnd, units, window.shared);
      if (compared > window.shared) compared = window.shared;
    }
    if (isSameStart && units[0] !== word.charCodeAt(0)) {
      if ((units[0] ?? 0) > word.charCodeAt(0)) return found;
      continue;
    }
    while (compared < length && rows.step(compared, units[compared] ?? 0)) compared++;
    const distance = compared < length ? maxDistance + 1 : rows.distance(length);
    if (distance > maxDistance) continue;
    found.push({ term: unitsToString(units, length), offset, length: window.postingsLength, distance });
  }
  return found;
}

const MAX_UNIT = 0xffff;

/** The terms of all blocks that may have terms with this first unit. */
function termsAt(table: SparseTable, unit: number): TermRange {
  const blockOf = (first: number): number => table.find(encodeUnits(String.fromCharCode(first)));
  const last = unit < MAX_UNIT ? blockOf(unit + 1) : table.blocks - 1;
  return { from: blockOf(unit) * BLOCK_TERMS, to: (last + 1) * BLOCK_TERMS };
}

/** Where the blocks of a dictionary start; searched without decoding. */
interface SparseTable {
  readonly blocks: number;
  /** Returns the only block that may have a term. */
  find(term: Uint8Array): number;
  recordStart(block: number): number;
  recordEnd(block: number): number;
  postingStart(block: number): number;
}

function openSparseTable(file: PagedFile, place: DictionaryPlace): SparseTable {
  const { blocks } = place;
  const bytes = file.read(place.tableOffset, place.tableLength);
  const keysAt = blocks * 12;
  const keyStart = (block: number): number =>
    keysAt + (block === 0 ? 0 : bytes.readUInt32LE((block - 1) * 4));
  const keyEnd = (block: number): number => keysAt + bytes.readUInt32LE(block * 4);
  const recordStart = (block: number): number => bytes.readUInt32LE((blocks + block) * 4);

  /** Whether the key of a block is greater than a term. */
  const isAfter = (block: number, term: Uint8Array): boolean => {
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
        if (isAfter(middle, term)) high = middle - 1;
        else low = middle;
      }
      return low;
    },
    recordStart,
    recordEnd: (block) => (block + 1 < blocks ? recordStart(block + 1) : place.length),
    postingStart: (block) => bytes.readUInt32LE((blocks * 2 + block) * 4),
  };
}
