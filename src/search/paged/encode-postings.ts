import { MAX_FIELDS } from "../ranking/index-fields.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { appendGroup } from "./postings.ts";

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
