import type { Disk } from "../../fs/disk.ts";
import { type FieldTable, MAX_FIELDS } from "../ranking/index-schema.ts";
import { type ByteWriter, createByteWriter } from "./bytes.ts";
import type { TermPlace } from "./dictionary.ts";
import { goneTurns, type LiveSegment, type PartialSession } from "./live-segment.ts";
import { appendGroup, createPostingsArena, decodeGroup, type PostingsArena, readGroups } from "./postings.ts";
import type { SegmentDescriptor } from "./segment-writer.ts";
import { createSegmentWriter, type SegmentNumbers } from "./segment-writer.ts";
import type { BlocksWriter, StoredBlocks } from "./stored-blocks.ts";

/**
 * Makes one segment out of several, one after the other, without what is gone. Documents keep their
 * order, so postings are only shifted, and texts are copied as compressed blocks wherever all of a
 * block is still there.
 */
export function mergeSegments(
  disk: Disk,
  folder: string,
  fields: FieldTable,
  inputs: readonly MergedInput[],
): SegmentDescriptor {
  const writer = createSegmentWriter(disk, folder, fields);
  try {
    for (const { segment, sessions, cards, turns } of inputs) {
      copyRecords(writer.digests, segment.digests, sessions, cards);
      copyRecords(writer.cardTexts, segment.cardTexts, sessions, cards);
      copyRecords(writer.turnTexts, segment.turnTexts, turns, turns);
      copyRecords(writer.turnTextsApart, segment.turnTextsApart, turns, turns);
    }
  } catch (error) {
    writer.abandon();
    throw error;
  }
  return writer.finish(gatherNumbers(inputs, fields), livingRows(inputs), (dictionary, out) =>
    mergeTerms(inputs, fields, createByteWriter(64 * 1024), (term, postings) => {
      dictionary.add(term, postings.length);
      out.append(postings);
    }),
  );
}

const NOTHING = new Uint8Array(0);

/** `filled` are those whose record is still of use; of the other ones that have a number an empty one stays. */
function copyRecords(out: BlocksWriter, from: StoredBlocks, numbers: Uint32Array, filled: Uint32Array): void {
  for (const block of from.blocks()) {
    const kept: number[] = [];
    let full = 0;
    for (let i = 0; i < block.count; i++) {
      if (numbers[block.first + i] === GONE) continue;
      kept.push(i);
      if (filled[block.first + i] !== GONE) full++;
    }
    if (kept.length === 0) continue;
    if (full === block.count && block.size >= out.blockSize / 2) {
      out.addBlock(from.compressed(block), block.size, block.count);
      continue;
    }
    const records = full === 0 ? [] : from.records(block);
    for (const i of kept) out.add(filled[block.first + i] === GONE ? NOTHING : (records[i] ?? NOTHING));
  }
}

function* livingRows(inputs: readonly MergedInput[]): Generator<Uint8Array> {
  for (const { segment, sessions, cards } of inputs) {
    for (const block of segment.rows.blocks()) {
      const records = segment.rows.records(block);
      for (let i = 0; i < records.length; i++) {
        if (sessions[block.first + i] === GONE) continue;
        yield cards[block.first + i] === GONE ? NOTHING : (records[i] ?? NOTHING);
      }
    }
  }
}

function gatherNumbers(inputs: readonly MergedInput[], fields: FieldTable): SegmentNumbers {
  const overSessions = <T>(read: (input: MergedInput, session: number) => T): T[] =>
    inputs.flatMap((input) => pickLiving(input.sessions, (session) => read(input, session)));
  const overTurns = <T>(read: (input: MergedInput, turn: number) => T): T[] =>
    inputs.flatMap((input) => pickLiving(input.turns, (turn) => read(input, turn)));
  for (const { segment } of inputs) {
    // Read whole, so that the calls below find them in memory.
    const { turnNumbers, turnFlags, turnIdentities, turnSums, turnTimes, cardTimes } = segment;
    for (const column of [turnNumbers, turnFlags, turnIdentities, turnSums, turnTimes, cardTimes])
      column.all();
    fields.forEach((_, field) => void segment.fieldLengths(field).all());
  }
  const turnStarts = [0];
  overSessions(({ segment, turns }, session) => {
    const starts = segment.turnStarts();
    let next = turnStarts.at(-1) ?? 0;
    for (let turn = starts[session] ?? 0; turn < (starts[session + 1] ?? 0); turn++)
      if (turns[turn] !== GONE) next++;
    turnStarts.push(next);
  });
  return {
    keys: overSessions(({ segment }, session) => segment.keys()[session] ?? ""),
    turnStarts,
    cardTimes: overSessions(({ segment }, session) => segment.cardTimes.at(session)),
    turnTimes: overTurns(({ segment }, turn) => segment.turnTimes.at(turn)),
    turnNumbers: overTurns(({ segment }, turn) => segment.turnNumbers.at(turn)),
    turnFlags: overTurns(({ segment }, turn) => segment.turnFlags.at(turn)),
    turnIdentities: overTurns(({ segment }, turn) => segment.turnIdentities.at(turn)),
    turnSums: overTurns(({ segment }, turn) => segment.turnSums.at(turn)),
    cardSums: fields.map(({ kind }, field) => {
      if (kind !== "card") return [];
      const columns = new Map(inputs.map((input) => [input, input.segment.cardSums(field).all()]));
      return overSessions((input, session) =>
        input.cards[session] === GONE ? 0 : (columns.get(input)?.[session] ?? 0),
      );
    }),
    fieldLengths: fields.map(({ kind }, field) =>
      kind === "card"
        ? overSessions(({ segment, cards }, session) =>
            cards[session] === GONE ? 0 : segment.fieldLengths(field).at(session),
          )
        : overTurns(({ segment }, turn) => segment.fieldLengths(field).at(turn)),
    ),
  };
}

function pickLiving<T>(numbers: Uint32Array, read: (old: number) => T): T[] {
  const picked: T[] = [];
  for (let old = 0; old < numbers.length; old++) if (numbers[old] !== GONE) picked.push(read(old));
  return picked;
}

interface Cursor {
  readonly input: MergedInput;
  readonly terms: Iterator<TermPlace>;
  current: TermPlace | undefined;
}

/** Walks the dictionaries side by side; every term that still has a document comes once, in order. */
function mergeTerms(
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
  const room = createPostingsArena();
  const joined = createPostingsArena();
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
function keepLiving(room: PostingsArena, from: number, numbers: Uint32Array): number {
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

/** A document's number in the merged segment where it has none. */
const GONE = 0xffffffff;

/** A segment that is merged, and the new numbers of what is there. */
interface MergedInput extends LiveSegment {
  /** Remnants have a number, too. */
  readonly sessions: Uint32Array;
  /** The same without remnants: of those no card is left. */
  readonly cards: Uint32Array;
  readonly turns: Uint32Array;
}

/** Numbers what is there in all segments through, one segment after the other. */
export function renumber(segments: readonly LiveSegment[]): MergedInput[] {
  let nextSession = 0;
  let nextTurn = 0;
  return segments.map((live) => {
    const { segment, gone, remnants } = live;
    const left = new Set(remnants.map(({ session }) => session));
    const sessions = new Uint32Array(segment.totals.sessions);
    for (let i = 0; i < sessions.length; i++)
      sessions[i] = gone?.[i] === 1 && !left.has(i) ? GONE : nextSession++;
    const cards = sessions.map((number, i) => (left.has(i) ? GONE : number));
    const goneFlags = goneTurns(live);
    const turns = new Uint32Array(segment.totals.turns);
    for (let i = 0; i < turns.length; i++) turns[i] = goneFlags?.[i] === 1 ? GONE : nextTurn++;
    return { ...live, sessions, cards, turns };
  });
}

/** The remnants of all inputs under their new numbers. */
export function partialSessionsOf(inputs: readonly MergedInput[]): PartialSession[] {
  return inputs.flatMap(({ remnants, sessions }) =>
    remnants.map((remnant) => ({ ...remnant, session: sessions[remnant.session] ?? GONE })),
  );
}
