import type { Disk } from "../../fs/disk.ts";
import { type FieldTable, MAX_FIELDS } from "../ranking/index-schema.ts";
import { type ByteWriter, createByteWriter } from "./bytes.ts";
import type { TermPlace } from "./dictionary.ts";
import { goneTurns, type LiveSegment, type PartialSession } from "./manifest.ts";
import { appendGroup, createPostingsArena, decodeGroup, type PostingsArena, readGroups } from "./postings.ts";
import type { SegmentDescriptor } from "./segment.ts";
import { createSegmentWriter, type SegmentNumbers } from "./segment-writer.ts";
import type { BlocksWriter, StoredBlocks } from "./stored-blocks.ts";

/**
 * Writes one segment with the live documents of several, in order. So postings are only renumbered, and texts are
 * copied as compressed blocks if all of a block is live.
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

/** Copies the records with a number in `numbers`; those without one in `filled` become empty. */
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
    // Reads whole columns, so that the calls below find them in memory.
    const { turnNumbers, turnFlags, turnIdentities, turnFingerprints, turnTimes, cardTimes } = segment;
    for (const column of [turnNumbers, turnFlags, turnIdentities, turnFingerprints, turnTimes, cardTimes])
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
    turnFingerprints: overTurns(({ segment }, turn) => segment.turnFingerprints.at(turn)),
    cardFingerprints: fields.map(({ kind }, field) => {
      if (kind !== "card") return [];
      const columns = new Map(inputs.map((input) => [input, input.segment.cardFingerprints(field).all()]));
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

/** Walks all dictionaries in step and adds every term that still has a document, in order. */
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
  /** Returns the renumbered postings. */
  end(): Uint8Array;
}

interface PostingsRange {
  readonly from: number;
  readonly to: number;
}

function createGroupJoiner(fields: FieldTable, out: ByteWriter): GroupJoiner {
  const arena = createPostingsArena();
  const joined = createPostingsArena();
  const byField: PostingsRange[][] = Array.from({ length: MAX_FIELDS }, () => []);
  /** Bit mask of the term's fields: most terms are in one or two of the sixteen. */
  let used = 0;

  const append = (field: number, ranges: readonly PostingsRange[]): void => {
    const [first] = ranges;
    if (first !== undefined && ranges.length === 1) {
      appendGroup(out, field, arena.docs, arena.freqs, first.from, first.to);
      return;
    }
    if (joined.docs.length < arena.length) {
      joined.docs = new Uint32Array(arena.docs.length);
      joined.freqs = new Uint32Array(arena.docs.length);
    }
    let length = 0;
    for (const { from, to } of ranges) {
      joined.docs.set(arena.docs.subarray(from, to), length);
      joined.freqs.set(arena.freqs.subarray(from, to), length);
      length += to - from;
    }
    appendGroup(out, field, joined.docs, joined.freqs, 0, length);
  };

  return {
    begin() {
      arena.length = 0;
      for (let field = 0; used >>> field !== 0; field++) {
        const ranges = byField[field];
        if (ranges !== undefined && ranges.length > 0) ranges.length = 0;
      }
      used = 0;
    },
    take(input, place) {
      const { segment, cards, turns } = input;
      const bytes = segment.postings(place.offset, place.length);
      for (const group of readGroups(bytes)) {
        const numbers = fields[group.field]?.kind === "card" ? cards : turns;
        const from = arena.length;
        decodeGroup(bytes, group, arena, numbers.length);
        const to = keepLiving(arena, from, numbers);
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

/** Renumbers the postings from `from` on and drops those of deleted documents; returns where they end. */
function keepLiving(arena: PostingsArena, from: number, numbers: Uint32Array): number {
  let kept = from;
  for (let i = from; i < arena.length; i++) {
    const number = numbers[arena.docs[i] ?? 0] ?? GONE;
    if (number === GONE) continue;
    arena.docs[kept] = number;
    arena.freqs[kept++] = arena.freqs[i] ?? 0;
  }
  arena.length = kept;
  return kept;
}

/** Marks a document that the merged segment does not have. */
const GONE = 0xffffffff;

/** A segment to merge, with the new numbers of its live documents. */
interface MergedInput extends LiveSegment {
  /** Includes partial sessions. */
  readonly sessions: Uint32Array;
  /** The same without partial sessions, which have no card any more. */
  readonly cards: Uint32Array;
  readonly turns: Uint32Array;
}

/** Numbers the live documents of all segments consecutively. */
export function renumber(segments: readonly LiveSegment[]): MergedInput[] {
  let nextSession = 0;
  let nextTurn = 0;
  return segments.map((live) => {
    const { segment, gone, partials } = live;
    const left = new Set(partials.map(({ session }) => session));
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

/** The renumbered partial sessions of all inputs. */
export function partialSessionsOf(inputs: readonly MergedInput[]): PartialSession[] {
  return inputs.flatMap(({ partials, sessions }) =>
    partials.map((partial) => ({ ...partial, session: sessions[partial.session] ?? GONE })),
  );
}
