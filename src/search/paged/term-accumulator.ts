import { MAX_FIELDS, type TermSink } from "../ranking/index-schema.ts";
import { createByteWriter } from "./bytes.ts";
import type { DictionaryWriter } from "./dictionary-writer.ts";
import type { PagedWriter } from "./paged-file.ts";
import { createPostingsEncoder } from "./postings.ts";
import { createTermTable } from "./term-table.ts";

/** Collects the terms and postings of documents as they come in. */
export interface TermAccumulator extends TermSink {
  /** Documents must come in the order of their numbers, each field of a document once. */
  beginField(document: number, field: number): void;
  /** Adds a term with its frequency in the field; a term must come once. */
  addTimes(term: string, count: number): void;
  /** Returns how many distinct terms the field has. */
  endField(): number;
  /** The approximate memory that it uses; `drain` needs up to twice the memory of the postings. */
  readonly bytes: number;
  /**
   * Writes all terms, in order, and their postings; nothing can be added after it. `renumber` has the number to
   * write for each document; it must not change the order of the documents of a field.
   */
  drain(
    renumber: Uint32Array,
    dictionary: Pick<DictionaryWriter, "addBytes">,
    out: Pick<PagedWriter, "append">,
  ): void;
}

/**
 * The state of a term: the document and field where it was last (0: none), its frequency there, and the number of its
 * postings; `drain` replaces the first by where the next posting goes. All in one place, because every word needs it.
 */
const PLACE = 0;
const FREQ = 1;
const COUNT = 2;
const NEXT: number = PLACE;
/** A power of two, so that no state crosses a cache line. */
const STATE = 4;

/** Bytes of postings that are written at once. */
const WRITTEN_BYTES: number = 64 * 1024;

export function createTermAccumulator(): TermAccumulator {
  const terms = createTermTable();
  const log = createPostingsLog();
  let states = new Uint32Array(STATE * 2_048);
  /** The distinct terms of the current field. */
  let found = new Uint32Array(2_048);
  let different = 0;
  let place = 0;

  /** Makes sure that a term has a state. */
  const withState = (number: number): number => {
    if ((number + 1) * STATE > states.length) states = enlarged(states, states.length * 2);
    return number;
  };

  const add = (id: number, times: number): void => {
    const at = (id >>> 1) * STATE;
    if (states[at + PLACE] === place) {
      if (!isWeakId(id)) states[at + FREQ] = (states[at + FREQ] ?? 0) + times;
      return;
    }
    states[at + PLACE] = place;
    states[at + FREQ] = isWeakId(id) ? 1 : times;
    states[at + COUNT] = (states[at + COUNT] ?? 0) + 1;
    if (different === found.length) found = enlarged(found, found.length * 2);
    found[different++] = id >>> 1;
  };

  return {
    idOf: (term, isWeak) => withState(terms.numberOf(term)) * 2 + (isWeak ? 1 : 0),
    beginField(document, field) {
      place = document * MAX_FIELDS + field + 1;
      different = 0;
    },
    add,
    addTimes: (term, count) => add(withState(terms.numberOf(term)) * 2, count),
    endField() {
      if (different > 0) log.add(place - 1, found, different, states, STATE, FREQ);
      return different;
    },
    get bytes() {
      return log.bytes + terms.bytes + terms.size * STATE * 4;
    },
    drain(renumber, dictionary, out) {
      const order = terms.sorted();
      const ends = new Uint32Array(order.length);
      const spread = new Uint32Array(placePostings(order, states, ends) * 2);
      log.spread(spread, states, STATE, NEXT);
      const { texts, starts } = terms;
      const bytes = createByteWriter(WRITTEN_BYTES * 2);
      const encode = createPostingsEncoder(bytes, spread, renumber);
      let from = 0;
      for (let index = 0; index < order.length; index++) {
        const end = ends[index] ?? 0;
        // Its number was taken, but no text has it.
        if (end === from) continue;
        const before = bytes.length;
        encode(from, end);
        from = end;
        const number = order[index] ?? 0;
        dictionary.addBytes(texts, starts[number] ?? 0, starts[number + 1] ?? 0, bytes.length - before);
        if (bytes.length < WRITTEN_BYTES) continue;
        out.append(bytes.view());
        bytes.clear();
      }
      out.append(bytes.view());
    },
  };
}

/** Computes where the postings of each term start and end in this order; returns how many there are. */
function placePostings(order: Uint32Array, states: Uint32Array, ends: Uint32Array): number {
  let total = 0;
  for (let index = 0; index < order.length; index++) {
    const state = (order[index] ?? 0) * STATE;
    states[state + NEXT] = total;
    total += states[state + COUNT] ?? 0;
    ends[index] = total;
  }
  return total;
}

/** An id is twice the number of its term, and one more if the term is weak. */
function isWeakId(id: number): boolean {
  return (id & 1) === 1;
}

function enlarged(from: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(size);
  to.set(from);
  return to;
}

/**
 * A log of postings in the order of arrival, four bytes each for most. Appending is local in memory, unlike a stream per
 * term; the postings are sorted by term at the end.
 */
interface PostingsLog {
  readonly bytes: number;
  /** Adds a field with its first `count` terms; the frequency of term n is at n × `step` + `at` of `freqs`. */
  add(place: number, terms: Uint32Array, count: number, freqs: Uint32Array, step: number, at: number): void;
  /**
   * Writes all postings, as place and frequency, sorted by term: those of term n go to posting number
   * nexts[n × `step` + `at`], which is incremented.
   */
  spread(to: Uint32Array, nexts: Uint32Array, step: number, at: number): void;
}

/** An entry has the term's number in the high bits and its frequency minus one in the low ones, or after it if too large. */
const FREQ_BITS = 3;
const LONG_FREQ: number = (1 << FREQ_BITS) - 1;
/** Numbers before the entries of a field: its place and how many entries follow. */
const HEAD = 2;

/** Chunks, because one growing array needs three times the memory while it is copied. */
const FIRST_CHUNK = 4_096;
const LARGEST_CHUNK = 262_144;

interface Chunk {
  readonly entries: Uint32Array;
  used: number;
}

function createPostingsLog(): PostingsLog {
  let chunk: Chunk = { entries: new Uint32Array(FIRST_CHUNK), used: 0 };
  const chunks: Chunk[] = [chunk];
  let bytes = 0;

  const withRoom = (needed: number): Chunk => {
    const { entries, used } = chunk;
    if (used + needed <= entries.length) return chunk;
    const size = Math.max(needed, Math.min(entries.length * 2, LARGEST_CHUNK));
    chunk = { entries: new Uint32Array(size), used: 0 };
    chunks.push(chunk);
    return chunk;
  };

  return {
    get bytes() {
      return bytes;
    },
    add(place, terms, count, freqs, step, at) {
      const to = withRoom(HEAD + count * 2);
      const { entries } = to;
      let next = to.used;
      entries[next++] = place;
      entries[next++] = count;
      for (let index = 0; index < count; index++) {
        const term = terms[index] ?? 0;
        const more = (freqs[term * step + at] ?? 0) - 1;
        if (more < LONG_FREQ) entries[next++] = (term << FREQ_BITS) | more;
        else {
          entries[next++] = (term << FREQ_BITS) | LONG_FREQ;
          entries[next++] = more;
        }
      }
      bytes += (next - to.used) * 4;
      to.used = next;
    },
    spread(to, nexts, step, at) {
      for (const { entries, used } of chunks) spreadChunk(entries, used, to, nexts, step, at);
    },
  };
}

function spreadChunk(
  entries: Uint32Array,
  used: number,
  to: Uint32Array,
  nexts: Uint32Array,
  step: number,
  at: number,
): void {
  let from = 0;
  while (from < used) {
    const place = entries[from] ?? 0;
    const count = entries[from + 1] ?? 0;
    from += HEAD;
    for (let left = count; left > 0; left--) {
      const entry = entries[from++] ?? 0;
      let more = entry & LONG_FREQ;
      if (more === LONG_FREQ) more = entries[from++] ?? 0;
      const term = (entry >>> FREQ_BITS) * step + at;
      const next = nexts[term] ?? 0;
      nexts[term] = next + 1;
      to[next * 2] = place;
      to[next * 2 + 1] = more + 1;
    }
  }
}
