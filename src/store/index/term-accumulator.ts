import { type ByteWriter, createByteWriter } from "../../core/search/byte-writer.ts";
import { MAX_FIELDS } from "../../core/search/index-fields.ts";
import { appendGroup } from "../../core/search/postings.ts";
import type { TermSink } from "../../core/search/term-sink.ts";
import { createSlicePool, STREAM_STATE } from "./slice-pool.ts";
import { createTermTable } from "./term-table.ts";

/**
 * Gathers postings while documents come in, about as small as they will be on the disk: a first
 * version with twelve bytes per posting spent its time waiting for memory. The last posting of a
 * term stays in the term's state until another one follows, because its frequency may still grow;
 * so a term with a single posting, which most are, has no stream at all.
 */
export interface TermAccumulator extends TermSink {
  /** Documents come in the order of their numbers; a document's field comes once. */
  beginField(document: number, field: number): void;
  /** A term that occurs so often in the field; it comes once. */
  addTimes(term: string, count: number): void;
  /** How many different terms the field had. */
  endField(): number;
  /** About how much memory is in use. */
  readonly bytes: number;
  /**
   * All terms in order with their encoded postings, which are valid during the call. `renumber`
   * says which number each document has there; among those of one field, the order is the same.
   */
  drain(
    scratch: ByteWriter,
    renumber: Uint32Array,
    visit: (term: string, postings: Uint8Array) => void,
  ): void;
}

/**
 * Per term: document and field of its last posting (from 1; 0 is none) and its frequency. These are looked at for
 * every word, so they stand apart from all else, close together.
 */
const PLACE = 0;
const FREQ = 1;
const LAST = 2;
/** Per term: the posting before the last, and the stream of all up to that. */
const WRITTEN = 0;
const STREAM = 1;
const STATE: number = STREAM + STREAM_STATE;

const FIELD_BITS = 4;
const FIELD_MASK: number = MAX_FIELDS - 1;

export function createTermAccumulator(): TermAccumulator {
  const terms = createTermTable();
  const pool = createSlicePool();
  let lasts = new Uint32Array(LAST * 4096);
  let states = new Uint32Array(STATE * 4096);
  let place = 0;
  let different = 0;

  /** Makes room for the state of a term. */
  const withState = (number: number): number => {
    if ((number + 1) * STATE > states.length) {
      states = enlarged(states);
      lasts = enlarged(lasts);
    }
    return number;
  };
  const numberOf = (term: string): number => withState(terms.numberOf(term));

  /** The first time that a term is met in a field. */
  const addPosting = (number: number): void => {
    const at = number * LAST;
    const last = lasts[at + PLACE] ?? 0;
    if (last !== 0) {
      const state = number * STATE;
      const freq = lasts[at + FREQ] ?? 0;
      const step = last - (states[state + WRITTEN] ?? 0);
      pool.varint(states, state + STREAM, step * 2 + (freq === 1 ? 0 : 1));
      if (freq !== 1) pool.varint(states, state + STREAM, freq);
      states[state + WRITTEN] = last;
    }
    lasts[at + PLACE] = place;
    lasts[at + FREQ] = 1;
    different++;
  };

  return {
    numberOf,
    numberOfLetters: (letters, length) => withState(terms.numberOfLetters(letters, length)),
    beginField(document, field) {
      place = document * MAX_FIELDS + field + 1;
      different = 0;
    },
    take(codes, count) {
      for (let index = 0; index < count; index++) {
        const code = codes[index] ?? 0;
        const at = (code >>> 1) * LAST;
        if (lasts[at + PLACE] !== place) addPosting(code >>> 1);
        else if ((code & 1) === 0) lasts[at + FREQ] = (lasts[at + FREQ] ?? 0) + 1;
      }
    },
    addTimes(term, count) {
      const number = numberOf(term);
      addPosting(number);
      lasts[number * LAST + FREQ] = count;
    },
    endField: () => different,
    get bytes() {
      return pool.bytes + terms.bytes + terms.size * (LAST + STATE) * 4;
    },
    drain(scratch, renumber, visit) {
      const encoder = createPostingsEncoder(scratch, renumber);
      for (const number of terms.sorted()) {
        const last = lasts[number * LAST + PLACE] ?? 0;
        // Asked for its number, and then not found in any text.
        if (last === 0) continue;
        encoder.encode(pool.read(states, number * STATE + STREAM), last, lasts[number * LAST + FREQ] ?? 0);
        visit(terms.text(number), scratch.view());
      }
    },
  };
}

function enlarged(from: Uint32Array): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(from.length * 2);
  to.set(from);
  return to;
}

interface PostingsEncoder {
  /** Turns a term's stream and its last posting into groups by field. */
  encode(stream: Uint8Array, lastPlace: number, lastFreq: number): void;
}

function createPostingsEncoder(out: ByteWriter, renumber: Uint32Array): PostingsEncoder {
  let places = new Uint32Array(1024);
  let counted = new Uint32Array(1024);
  let docs = new Uint32Array(1024);
  let freqs = new Uint32Array(1024);
  const scratch = createByteWriter();
  const sizes = new Uint32Array(MAX_FIELDS);
  const nexts = new Uint32Array(MAX_FIELDS);

  const decode = (stream: Uint8Array): number => {
    // No posting is shorter than a byte.
    if (stream.length + 1 > places.length) {
      const size = (stream.length + 1) * 2;
      places = new Uint32Array(size);
      counted = new Uint32Array(size);
      docs = new Uint32Array(size);
      freqs = new Uint32Array(size);
    }
    let count = 0;
    let place = 0;
    for (let at = 0; at < stream.length; ) {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = stream[at++] ?? 0;
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) break;
      }
      const several = value % 2;
      place += (value - several) / 2;
      let freq = 1;
      if (several === 1) {
        freq = 0;
        for (let scale = 1; ; scale *= 128) {
          const byte = stream[at++] ?? 0;
          freq += (byte & 0x7f) * scale;
          if (byte < 0x80) break;
        }
      }
      places[count] = place - 1;
      counted[count++] = freq;
    }
    return count;
  };

  /** Most terms have a single posting. */
  const encodeOne = (place: number, freq: number): void => {
    docs[0] = renumber[place >>> FIELD_BITS] ?? 0;
    freqs[0] = freq;
    out.clear();
    appendGroup(out, place & FIELD_MASK, docs, freqs, 0, 1, scratch);
  };

  return {
    encode(stream, lastPlace, lastFreq) {
      if (stream.length === 0) {
        encodeOne(lastPlace - 1, lastFreq);
        return;
      }
      let count = decode(stream);
      places[count] = lastPlace - 1;
      counted[count++] = lastFreq;
      out.clear();
      sizes.fill(0);
      for (let i = 0; i < count; i++) {
        const field = (places[i] ?? 0) & FIELD_MASK;
        sizes[field] = (sizes[field] ?? 0) + 1;
      }
      for (let field = 0, start = 0; field < MAX_FIELDS; field++) {
        nexts[field] = start;
        start += sizes[field] ?? 0;
      }
      for (let i = 0; i < count; i++) {
        const place = places[i] ?? 0;
        const field = place & FIELD_MASK;
        const to = nexts[field] ?? 0;
        nexts[field] = to + 1;
        docs[to] = renumber[place >>> FIELD_BITS] ?? 0;
        freqs[to] = counted[i] ?? 0;
      }
      for (let field = 0; field < MAX_FIELDS; field++) {
        const to = nexts[field] ?? 0;
        const size = sizes[field] ?? 0;
        if (size > 0) appendGroup(out, field, docs, freqs, to - size, to, scratch);
      }
    },
  };
}
