import { IndexDamage } from "../../fs/damage.ts";
import { MAX_FIELDS } from "../ranking/index-schema.ts";
import type { ByteWriter } from "./bytes.ts";

/*
 * The postings of a term are one group per field that it occurs in:
 *
 *   varint  documents × 16 + field
 *   varint  bytes of the entries, where there are more than SHORT_GROUP documents
 *   entries varint  step from the document before, less 1, doubled; odd: the frequency follows
 *           varint  frequency less 2
 *
 * A word that occurs once in a document (most do) costs one byte there if its documents are near to
 * each other, so a word in nearly every document needs no other form: 115,000 documents are 115 KB.
 */

/** Groups of so few documents are passed over by reading them. */
const SHORT_GROUP = 8;

/** Of numbers below 2^32. */
const LONGEST_VARINT = 5;
const LONGEST_ENTRY: number = LONGEST_VARINT * 2;

/** There are fewer than 2^28 documents. */
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
  out.varint(count * 16 + field);
  if (count <= SHORT_GROUP) {
    out.wrote(writeEntries(bytes, out.length, docs, freqs, from, to) - out.length);
    return;
  }
  // Its length is known when the entries are there: they stand behind it as if it were the longest, and then move.
  const start = out.length + LONGEST_VARINT;
  const end = writeEntries(bytes, start, docs, freqs, from, to);
  out.varint(end - start);
  bytes.copyWithin(out.length, start, end);
  out.wrote(end - start);
}

/** Where they end. One loop over plain memory, without a call for each number: a segment has millions. */
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

/** Where the entries of one field stand among the postings of a term. */
export interface PostingsGroup {
  readonly field: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

/** The groups of a term, without a look at long ones. */
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
    const field = head % 16;
    const count = (head - field) / 16;
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

/** Decoded postings: documents and how often the term is in them. */
export interface PostingsArena {
  docs: Uint32Array;
  freqs: Uint32Array;
  length: number;
}

export function createPostingsArena(): PostingsArena {
  return { docs: new Uint32Array(1024), freqs: new Uint32Array(1024), length: 0 };
}

/** Decodes a group behind what stands in the room. `documents`: how many there are for its field. */
export function decodeGroup(
  bytes: Uint8Array,
  group: PostingsGroup,
  room: PostingsArena,
  documents: number,
): void {
  growRoom(room, room.length + group.count);
  const { docs, freqs } = room;
  let { length } = room;
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
  room.length = length;
}

/** The bytes were verified; a list that leads elsewhere all the same must not give an answer. */
function checkEnd(group: PostingsGroup, position: number, lastDoc: number, documents: number): void {
  if (position !== group.end || lastDoc >= documents) {
    throw new IndexDamage("A posting list leads outside of its segment");
  }
}

function growRoom(room: PostingsArena, wanted: number): void {
  if (wanted <= room.docs.length) return;
  const size = Math.max(wanted, room.docs.length * 2);
  const docs = new Uint32Array(size);
  const freqs = new Uint32Array(size);
  docs.set(room.docs.subarray(0, room.length));
  freqs.set(room.freqs.subarray(0, room.length));
  room.docs = docs;
  room.freqs = freqs;
}

const FIELD_BITS = 4;
const FIELD_MASK: number = MAX_FIELDS - 1;

/**
 * Gives what appends the postings of a term, which stand in `postings` from one number to another, each as its place
 * (document and field) and its frequency, in the order of places: as groups by field, under new numbers.
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
