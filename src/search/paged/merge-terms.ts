import { type FieldTable, MAX_FIELDS } from "../ranking/index-fields.ts";
import type { ByteWriter } from "./byte-writer.ts";
import type { TermPlace } from "./dictionary.ts";
import { GONE, type MergedInput } from "./merged-input.ts";
import { appendGroup, createPostingsRoom, decodeGroup, type PostingsRoom, readGroups } from "./postings.ts";

interface Cursor {
  readonly input: MergedInput;
  readonly terms: Iterator<TermPlace>;
  current: TermPlace | undefined;
}

/** Walks the dictionaries side by side; every term that still has a document comes once, in order. */
export function mergeTerms(
  inputs: readonly MergedInput[],
  fields: FieldTable,
  scratch: ByteWriter,
  add: (term: string, postings: Uint8Array) => void,
): void {
  const cursors = inputs.map((input): Cursor => {
    const terms = input.segment.dictionary.all();
    return { input, terms, current: advance(terms) };
  });
  const joiner = createGroupJoiner(fields, scratch);
  for (;;) {
    let least: string | undefined;
    for (const { current } of cursors) {
      if (current !== undefined && (least === undefined || current.term < least)) least = current.term;
    }
    if (least === undefined) return;
    joiner.begin();
    for (const cursor of cursors) {
      if (cursor.current?.term !== least) continue;
      joiner.take(cursor.input, cursor.current);
      cursor.current = advance(cursor.terms);
    }
    const postings = joiner.end();
    if (postings.length > 0) add(least, postings);
  }
}

function advance(terms: Iterator<TermPlace>): TermPlace | undefined {
  const next = terms.next();
  return next.done === true ? undefined : next.value;
}

interface GroupJoiner {
  begin(): void;
  take(input: MergedInput, place: TermPlace): void;
  /** The postings under their new numbers. */
  end(): Uint8Array;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function createGroupJoiner(fields: FieldTable, out: ByteWriter): GroupJoiner {
  const room = createPostingsRoom();
  const joined = createPostingsRoom();
  const byField: Stretch[][] = Array.from({ length: MAX_FIELDS }, () => []);
  /** Fields that the term stands in, as bits: most terms stand in one or two of the sixteen. */
  let used = 0;

  const append = (field: number, stretches: readonly Stretch[]): void => {
    const [first] = stretches;
    if (first !== undefined && stretches.length === 1) {
      appendGroup(out, field, room.docs, room.freqs, first.from, first.to);
      return;
    }
    if (joined.docs.length < room.length) {
      joined.docs = new Uint32Array(room.docs.length);
      joined.freqs = new Uint32Array(room.docs.length);
    }
    let length = 0;
    for (const { from, to } of stretches) {
      joined.docs.set(room.docs.subarray(from, to), length);
      joined.freqs.set(room.freqs.subarray(from, to), length);
      length += to - from;
    }
    appendGroup(out, field, joined.docs, joined.freqs, 0, length);
  };

  return {
    begin() {
      room.length = 0;
      for (let field = 0; used >>> field !== 0; field++) {
        const stretches = byField[field];
        if (stretches !== undefined && stretches.length > 0) stretches.length = 0;
      }
      used = 0;
    },
    take(input, place) {
      const { segment, cards, turns } = input;
      const bytes = segment.postings(place.offset, place.length);
      for (const group of readGroups(bytes)) {
        const numbers = fields[group.field]?.kind === "card" ? cards : turns;
        const from = room.length;
        decodeGroup(bytes, group, room, numbers.length);
        const to = keepLiving(room, from, numbers);
        if (to === from) continue;
        byField[group.field]?.push({ from, to });
        used |= 1 << group.field;
      }
    },
    end() {
      out.clear();
      for (let field = 0; used >>> field !== 0; field++)
        if (((used >>> field) & 1) === 1) append(field, byField[field] ?? []);
      return out.view();
    },
  };
}

/** Moves what is there to the front of the last stretch, under its new numbers; where that ends. */
function keepLiving(room: PostingsRoom, from: number, numbers: Uint32Array): number {
  let kept = from;
  for (let i = from; i < room.length; i++) {
    const number = numbers[room.docs[i] ?? 0] ?? GONE;
    if (number === GONE) continue;
    room.docs[kept] = number;
    room.freqs[kept++] = room.freqs[i] ?? 0;
  }
  room.length = kept;
  return kept;
}
