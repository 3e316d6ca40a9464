import type { Disk } from "../../fs/disk.ts";
import type { FieldTable } from "../ranking/index-fields.ts";
import { createByteWriter } from "./byte-writer.ts";
import { mergeTerms } from "./merge-terms.ts";
import { GONE, type MergedInput } from "./merged-input.ts";
import type { SegmentDescriptor } from "./segment-layout.ts";
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
