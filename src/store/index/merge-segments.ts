import { createByteWriter } from "../../core/search/byte-writer.ts";
import type { FieldTable } from "../../core/search/index-fields.ts";
import type { Disk } from "../disk.ts";
import type { LiveSegment } from "./live-segment.ts";
import { mergeTerms } from "./merge-terms.ts";
import { GONE, type MergedInput, renumber } from "./merged-input.ts";
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
  segments: readonly LiveSegment[],
): SegmentDescriptor {
  const inputs = renumber(segments);
  const writer = createSegmentWriter(disk, folder, fields);
  try {
    for (const { segment, sessions, turns } of inputs) {
      copyRecords(writer.digests, segment.digests, sessions);
      copyRecords(writer.cardTexts, segment.cardTexts, sessions);
      copyRecords(writer.turnTexts, segment.turnTexts, turns);
    }
  } catch (error) {
    writer.abandon();
    throw error;
  }
  return writer.finish(gatherNumbers(inputs, fields), livingRows(inputs), (add) =>
    mergeTerms(inputs, fields, createByteWriter(64 * 1024), add),
  );
}

function copyRecords(out: BlocksWriter, from: StoredBlocks, numbers: Uint32Array): void {
  for (const block of from.blocks()) {
    const kept: number[] = [];
    for (let i = 0; i < block.count; i++) if (numbers[block.first + i] !== GONE) kept.push(i);
    if (kept.length === 0) continue;
    if (kept.length === block.count && block.size >= out.blockSize / 2) {
      out.addBlock(from.compressed(block), block.size, block.count);
      continue;
    }
    const records = from.records(block);
    for (const i of kept) out.add(records[i] ?? new Uint8Array(0));
  }
}

function* livingRows(inputs: readonly MergedInput[]): Generator<Uint8Array> {
  for (const { segment, sessions } of inputs) {
    for (const block of segment.rows.blocks()) {
      const records = segment.rows.records(block);
      for (let i = 0; i < records.length; i++) {
        if (sessions[block.first + i] !== GONE) yield records[i] ?? new Uint8Array(0);
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
    const { turnNumbers, turnFlags, turnIdentities, turnTimes, cardTimes } = segment;
    for (const column of [turnNumbers, turnFlags, turnIdentities, turnTimes, cardTimes]) column.all();
    fields.forEach((_, field) => void segment.fieldLengths(field).all());
  }
  const turnStarts = [0];
  overSessions(({ segment }, session) => {
    const starts = segment.turnStarts();
    turnStarts.push((turnStarts.at(-1) ?? 0) + (starts[session + 1] ?? 0) - (starts[session] ?? 0));
  });
  return {
    keys: overSessions(({ segment }, session) => segment.keys()[session] ?? ""),
    turnStarts,
    cardTimes: overSessions(({ segment }, session) => segment.cardTimes.at(session)),
    turnTimes: overTurns(({ segment }, turn) => segment.turnTimes.at(turn)),
    turnNumbers: overTurns(({ segment }, turn) => segment.turnNumbers.at(turn)),
    turnFlags: overTurns(({ segment }, turn) => segment.turnFlags.at(turn)),
    turnIdentities: overTurns(({ segment }, turn) => segment.turnIdentities.at(turn)),
    fieldLengths: fields.map(({ kind }, field) =>
      kind === "card"
        ? overSessions(({ segment }, session) => segment.fieldLengths(field).at(session))
        : overTurns(({ segment }, turn) => segment.fieldLengths(field).at(turn)),
    ),
  };
}

function pickLiving<T>(numbers: Uint32Array, read: (old: number) => T): T[] {
  const picked: T[] = [];
  for (let old = 0; old < numbers.length; old++) if (numbers[old] !== GONE) picked.push(read(old));
  return picked;
}
