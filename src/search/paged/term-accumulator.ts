import { MAX_FIELDS } from "../ranking/index-fields.ts";
import type { TermSink } from "../ranking/term-sink.ts";
import { createByteWriter } from "./byte-writer.ts";
import type { DictionaryWriter } from "./dictionary-writer.ts";
import { createPostingsEncoder } from "./encode-postings.ts";
import type { PagedWriter } from "./paged-writer.ts";
import { createPostingsLog } from "./postings-log.ts";
import { createTermTable } from "./term-table.ts";

/** Gathers terms and postings while documents come in. */
export interface TermAccumulator extends TermSink {
  /** Documents come in the order of their numbers; a document's field comes once. */
  beginField(document: number, field: number): void;
  /** A term that occurs so often in the field; it comes once. */
  addTimes(term: string, count: number): void;
  /** How many different terms the field had. */
  endField(): number;
  /** About how much memory is in use; to write it all takes up to twice what the postings take. */
  readonly bytes: number;
  /**
   * Writes all terms, in order, and their postings; nothing can be added after that. `renumber` says which number
   * each document has there; among those of one field, the order is the same.
   */
  drain(
    renumber: Uint32Array,
    dictionary: Pick<DictionaryWriter, "addBytes">,
    out: Pick<PagedWriter, "append">,
  ): void;
}

/**
 * Per term: document and field where it was last (from 1; 0 is nowhere), how often it is there, and how many postings
 * it has; when all are written, where the next of them goes. Close together, since every word looks here.
 */
const PLACE = 0;
const FREQ = 1;
const COUNT = 2;
const NEXT: number = PLACE;
/** A power of two: none stands in two lines of the processor's cache. */
const STATE = 4;

/** Postings that go to the file at once. */
const WRITTEN_BYTES: number = 64 * 1024;

export function createTermAccumulator(): TermAccumulator {
  const terms = createTermTable();
  const log = createPostingsLog();
  let states = new Uint32Array(STATE * 2_048);
  /** The terms of the field. */
  let found = new Uint32Array(2_048);
  let different = 0;
  let place = 0;

  /** Makes room for the state of a term. */
  const withState = (number: number): number => {
    if ((number + 1) * STATE > states.length) states = enlarged(states, states.length * 2);
    return number;
  };

  const take: TermAccumulator["take"] = (codes, count) => {
    if (different + count > found.length)
      found = enlarged(found, Math.max(found.length * 2, different + count));
    different = countTerms(codes, count, place, states, found, different);
  };

  const one = new Uint32Array(1);

  return {
    numberOf: (term) => withState(terms.numberOf(term)),
    numberOfLetters: (letters, length) => withState(terms.numberOfLetters(letters, length)),
    beginField(document, field) {
      place = document * MAX_FIELDS + field + 1;
      different = 0;
    },
    take,
    addTimes(term, count) {
      const number = withState(terms.numberOf(term));
      one[0] = number * 2;
      take(one, 1);
      states[number * STATE + FREQ] = count;
    },
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
        // Asked for its number, and then not found in any text.
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

/** Says where the postings of each term go if they stand in this order, and where they end; how many there are. */
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

/** Counts terms of a field, and adds those that it has not had yet to `found`; how many there are then. */
function countTerms(
  codes: Uint32Array,
  count: number,
  place: number,
  states: Uint32Array,
  found: Uint32Array,
  different: number,
): number {
  let next = different;
  for (let index = 0; index < count; index++) {
    const code = codes[index] ?? 0;
    const at = (code >>> 1) * STATE;
    if (states[at + PLACE] !== place) {
      states[at + PLACE] = place;
      states[at + FREQ] = 1;
      states[at + COUNT] = (states[at + COUNT] ?? 0) + 1;
      found[next++] = code >>> 1;
    } else if ((code & 1) === 0) states[at + FREQ] = (states[at + FREQ] ?? 0) + 1;
  }
  return next;
}

function enlarged(from: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(size);
  to.set(from);
  return to;
}
