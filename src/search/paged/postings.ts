import { IndexDamage } from "../../fs/damage.ts";
import { MAX_FIELDS } from "../ranking/index-schema.ts";
import type { ByteWriter } from "./bytes.ts";

/*
 * The postings of a term are one group per field that it occurs in:
 *
 *   varint  documents × MAX_FIELDS + field
 *   varint  bytes of the entries, if there are more than SHORT_GROUP documents
 *   entries varint  gap to the previous document, minus 1, doubled; odd if the frequency follows
 *           varint  frequency minus 2
 *
 * A word that occurs once in each of many documents (most do) costs one byte per document, so a word in nearly every
 * document needs no other encoding: 115,000 documents are 115 KB.
 */

/** Groups of this many documents or fewer are skipped by reading them. */
const SHORT_GROUP = 8;

/** Bytes of a number below 2^32. */
const LONGEST_VARINT = 5;
const LONGEST_ENTRY: number = LONGEST_VARINT * 2;

/** Appends the postings `from` up to `to` as a group. Document numbers are below 2^27. */
export function appendGroup(
  out: ByteWriter,
  field: number,
  docs: Uint32Array,
  freqs: Uint32Array,
  from: number,
  to: number,
): void {
  const count = to - from;
  const bytes = out.room((count + 2) * LONGEST_ENTRY);
  out.varint(count * MAX_FIELDS + field);
  if (count <= SHORT_GROUP) {
    out.wrote(writeEntries(bytes, out.length, docs, freqs, from, to) - out.length);
    return;
  }
  // Their length comes first but is known last: the entries are written after room for it, then moved.
  const start = out.length + LONGEST_VARINT;
  const end = writeEntries(bytes, start, docs, freqs, from, to);
  out.varint(end - start);
  bytes.copyWithin(out.length, start, end);
  out.wrote(end - start);
}

/** Writes entries and returns where they end. One loop without calls: a segment has millions. */
function writeEntries(
  bytes: Uint8Array,
  start: number,
  docs: Uint32Array,
  freqs: Uint32Array,
  from: number,
  to: number,
): number {
  let at = start;
  let previous = -1;
  for (let i = from; i < to; i++) {
    const doc = docs[i] ?? 0;
    const freq = freqs[i] ?? 1;
    let rest = (doc - previous - 1) * 2 + (freq === 1 ? 0 : 1);
    previous = doc;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
    if (freq === 1) continue;
    rest = freq - 2;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
  }
  return at;
}

/** Where the entries of one field are in the postings of a term. */
export interface PostingsGroup {
  readonly field: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

/** Lists the groups of a term, skipping the entries of long ones. */
export function readGroups(bytes: Uint8Array): readonly PostingsGroup[] {
  const groups: PostingsGroup[] = [];
  let position = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[position++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (position < bytes.length) {
    const head = varint();
    const field = head % MAX_FIELDS;
    const count = (head - field) / MAX_FIELDS;
    const length = count > SHORT_GROUP ? varint() : undefined;
    const start = position;
    if (length === undefined) for (let i = 0; i < count; i++) if (varint() % 2 === 1) varint();
    const end = length === undefined ? position : start + length;
    if (end > bytes.length) throw new IndexDamage("A posting list ends too early");
    groups.push({ field, count, start, end });
    position = end;
  }
  return groups;
}

/** Decoded postings: documents, and how often each has the term. */
export interface PostingsArena {
  docs: Uint32Array;
  freqs: Uint32Array;
  length: number;
}

export function createPostingsArena(): PostingsArena {
  return { docs: new Uint32Array(1024), freqs: new Uint32Array(1024), length: 0 };
}

/** Appends the postings of a group. `documents`: how many documents of its kind the segment has. */
export function decodeGroup(
  bytes: Uint8Array,
  group: PostingsGroup,
  arena: PostingsArena,
  documents: number,
): void {
  growArena(arena, arena.length + group.count);
  const { docs, freqs } = arena;
  let { length } = arena;
  let position = group.start;
  let doc = -1;
  for (let i = 0; i < group.count; i++) {
    let step = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[position++] ?? 0;
      step += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    const several = step % 2;
    doc += (step - several) / 2 + 1;
    let freq = 1;
    if (several === 1) {
      freq = 2;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[position++] ?? 0;
        freq += (byte & 0x7f) * scale;
        if (byte < 0x80) break;
      }
    }
    docs[length] = doc;
    freqs[length++] = freq;
  }
  checkEnd(group, position, doc, documents);
  arena.length = length;
}

/** The checksum was right, so this would be a bug of the writer; a wrong answer would be worse than none. */
function checkEnd(group: PostingsGroup, position: number, lastDoc: number, documents: number): void {
  if (position !== group.end || lastDoc >= documents) {
    throw new IndexDamage("A posting list points outside of its segment");
  }
}

function growArena(arena: PostingsArena, needed: number): void {
  if (needed <= arena.docs.length) return;
  const size = Math.max(needed, arena.docs.length * 2);
  const docs = new Uint32Array(size);
  const freqs = new Uint32Array(size);
  docs.set(arena.docs.subarray(0, arena.length));
  freqs.set(arena.freqs.subarray(0, arena.length));
  arena.docs = docs;
  arena.freqs = freqs;
}

const FIELD_BITS: number = Math.log2(MAX_FIELDS);
const FIELD_MASK: number = MAX_FIELDS - 1;

/**
 * Returns a function that appends the postings `from` up to `to` of a term as groups by field. In `postings` each is a
 * place (document and field) and a frequency, ordered by place; `renumber` has the document numbers to write.
 */
export function createPostingsEncoder(
  out: ByteWriter,
  postings: Uint32Array,
  renumber: Uint32Array,
): (from: number, to: number) => void {
  let docs = new Uint32Array(1024);
  let freqs = new Uint32Array(1024);
  const nexts = new Uint32Array(MAX_FIELDS);

  return (from, to) => {
    const count = to - from;
    if (count === 1) {
      // Most terms have a single posting.
      const place = postings[from * 2] ?? 0;
      docs[0] = renumber[place >>> FIELD_BITS] ?? 0;
      freqs[0] = postings[from * 2 + 1] ?? 0;
      appendGroup(out, place & FIELD_MASK, docs, freqs, 0, 1);
      return;
    }
    if (count > docs.length) {
      docs = new Uint32Array(count * 2);
      freqs = new Uint32Array(count * 2);
    }
    nexts.fill(0);
    for (let at = from; at < to; at++) {
      const field = (postings[at * 2] ?? 0) & FIELD_MASK;
      nexts[field] = (nexts[field] ?? 0) + 1;
    }
    let used = 0;
    for (let field = 0, start = 0; field < MAX_FIELDS; field++) {
      const size = nexts[field] ?? 0;
      if (size > 0) used |= 1 << field;
      nexts[field] = start;
      start += size;
    }
    for (let at = from; at < to; at++) {
      const place = postings[at * 2] ?? 0;
      const field = place & FIELD_MASK;
      const next = nexts[field] ?? 0;
      nexts[field] = next + 1;
      docs[next] = renumber[place >>> FIELD_BITS] ?? 0;
      freqs[next] = postings[at * 2 + 1] ?? 0;
    }
    for (let field = 0, start = 0; used >>> field !== 0; field++) {
      if (((used >>> field) & 1) === 0) continue;
      const end = nexts[field] ?? 0;
      appendGroup(out, field, docs, freqs, start, end);
      start = end;
    }
  };
}
