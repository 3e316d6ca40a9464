import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { BulkyFinder, BulkyOptions } from "../agents/bulky-block.ts";
import { flattenLine, type MovedPart } from "../agents/bulky-block.ts";
import type { LogSnapshot } from "../agents/log-snapshot.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { FileMark } from "../fs/disk.ts";
import { type RawLine, rawLines } from "../jsonl/lines.ts";
import { createEditList, type Edit, type RewritePlan } from "../jsonl/rewrite-plan.ts";
import type { Sidecar } from "./open-sidecar.ts";
import {
  type BlockSource,
  createSidecar,
  type FlatBlock,
  type NewBlock,
  type SidecarBuilder,
  type SidecarIndex,
  type SidecarLine,
} from "./sidecar.ts";
import { createLineMatcher, hashOfLine, restoredLine } from "./sidecar-lines.ts";

/** A log to flatten, or a draft of one. */
export type FlattenSource = Pick<LogSnapshot, "chunks" | "range" | "parts"> & {
  readonly mark: Pick<FileMark, "size">;
};

export interface FlattenPlan {
  readonly plan: RewritePlan;
  readonly builder: SidecarBuilder;
  readonly original: SidecarIndex["original"];
  readonly rule: BulkyOptions;
  /** Blocks that were not moved before; copies are not counted. */
  readonly blocks: number;
}

/**
 * Combines the requested rule with the sidecar's: blocks that were moved once stay moved, so the smaller size counts.
 */
export function ruleFor(sidecar: Sidecar | undefined, requested: BulkyOptions): BulkyOptions {
  if (sidecar === undefined) return requested;
  const { minBytes, copies } = sidecar.index;
  return { minBytes: Math.min(minBytes, requested.minBytes), copies: copies || requested.copies };
}

/**
 * Plans which blocks are moved out of a log. Each line is first restored to its original form, so that flattening
 * twice has the same result as once, and a sidecar never contains a marker of its own.
 */
export function planFlatten(
  log: FlattenSource,
  session: string,
  sidecar: Sidecar | undefined,
  makeFinder: (rule: BulkyOptions) => BulkyFinder,
  rule: BulkyOptions,
): FlattenPlan {
  // It holds every call of the log, and is freed when this function returns.
  const finder = makeFinder(rule);
  const matcher = createLineMatcher(sidecar);
  const builder = createSidecar(log.parts);
  const edits = createEditList();
  const hash = createHash("sha256");
  let originalSize = 0;
  let grownBy = 0;
  let blocks = 0;
  for (const line of rawLines(log.chunks())) {
    const { bytes, offset, ended } = line;
    const known = matcher.match(line);
    const restored =
      known === undefined || sidecar === undefined ? bytes : restoredIfWhole(sidecar, bytes, known);
    const original = restored ?? bytes;
    hash.update(original);
    if (ended) hash.update("\n");
    originalSize += original.length + Number(ended);
    const found = finder(original);
    // The agent may still be writing a line without a line break.
    if (!ended) continue;
    if (restored === undefined) {
      // One of its blocks is damaged, so the line and its entry are left alone.
      if (known !== undefined && sidecar !== undefined)
        builder.line(takeLine(builder, sidecar, known, offset + grownBy));
      continue;
    }
    const flat = flattenLine(original, found, session);
    if (flat.moved.length === 0) continue;
    const isSame = flat.bytes.equals(bytes);
    if (isSame && known !== undefined && sidecar !== undefined)
      builder.line(takeLine(builder, sidecar, known, offset + grownBy));
    else {
      const source = sourceOf(log, line, sidecar, known);
      const numbers = flat.moved.map((part) => addPart(builder, part, source(part)));
      builder.line(sidecarLine(flat.bytes, flat.moved, numbers, offset + grownBy));
      blocks += flat.moved.filter(({ isCopy }) => !isCopy).length;
      // If the run is killed before the log is replaced, the log still has the line in its present form.
      if (known !== undefined && sidecar !== undefined)
        builder.line(takeLine(builder, sidecar, known, offset));
    }
    if (isSame) continue;
    // Of most lines only the markers are kept: the rest of a long log would not fit into memory.
    if (known === undefined) for (const part of flat.moved) edits.add(editOf(part, offset));
    else edits.add({ from: offset, to: offset + bytes.length, with: flat.bytes });
    grownBy += flat.bytes.length - bytes.length;
  }
  if (sidecar !== undefined) carryOver(builder, sidecar, matcher.unused());
  const original = { size: originalSize, sha256: hash.digest("hex") };
  return { plan: edits.plan(log.mark.size), builder, original, rule, blocks };
}

function editOf({ start, end, by }: MovedPart, offset: number): Edit {
  return { from: offset + start, to: offset + end, with: by };
}

/** The place of a line's original form. */
function sourceOf(
  log: FlattenSource,
  { offset, bytes: { length } }: RawLine,
  sidecar: Sidecar | undefined,
  known: SidecarLine | undefined,
): (part: MovedPart) => BlockSource {
  if (known === undefined || sidecar === undefined)
    return ({ start, end }) => ({ from: offset + start, to: offset + end });
  return ({ start, end }) =>
    () => [restoredLine(sidecar, log.range(offset, offset + length), known).subarray(start, end)];
}

function addPart(builder: SidecarBuilder, part: MovedPart, source: BlockSource): number {
  const { raw, isCopy } = part;
  const { toolUseId, tool, file, kind, mediaType, bytes, lines, number } = part.content;
  const about = { toolUseId, tool, file: file ?? null, kind, mediaType, bytes, lines, number, isCopy };
  return builder.add({ ...about, length: raw.length, sha256: hashOfLine(raw) }, source);
}

function sidecarLine(
  bytes: Buffer,
  moved: readonly MovedPart[],
  numbers: readonly number[],
  offset: number,
): SidecarLine {
  const spans = moved.map(({ at, length }, index) => ({ at, length, block: numbers[index] ?? 0 }));
  return { offset, sha256: hashOfLine(bytes), spans };
}

function restoredIfWhole(sidecar: Sidecar, bytes: Buffer, known: SidecarLine): Buffer | undefined {
  try {
    return restoredLine(sidecar, bytes, known);
  } catch (error) {
    if (error instanceof ArchiveDamage) return undefined;
    throw error;
  }
}

/**
 * Carries over entries that no line of this log matched: the line was changed, or another copy of the log has it. This
 * may be the only place that has their blocks. A block that the new sidecar already has is not stored twice.
 */
export function carryOver(builder: SidecarBuilder, sidecar: Sidecar, entries: readonly SidecarLine[]): void {
  if (entries.length === 0) return;
  const identityOf = ({ toolUseId, number, isCopy, sha256 }: NewBlock): string =>
    JSON.stringify([toolUseId, number, isCopy, sha256]);
  const added = builder.blocks();
  const numbers = new Map(added.map((block, number) => [identityOf(block), number]));
  const entryOf = (line: SidecarLine, blocks: readonly NewBlock[]): string =>
    JSON.stringify([line.sha256, ...line.spans.map(({ block }) => blocks[block]?.sha256)]);
  const lines = new Set(builder.lines().map((line) => entryOf(line, added)));
  const take = (block: FlatBlock): number => {
    const identity = identityOf(block);
    const number = numbers.get(identity) ?? builder.take(block, () => sidecar.packed(block));
    numbers.set(identity, number);
    return number;
  };
  for (const line of entries) {
    if (lines.has(entryOf(line, sidecar.index.blocks))) continue;
    builder.line({
      ...line,
      spans: line.spans.map((span) => {
        const block = sidecar.index.blocks[span.block];
        return { ...span, block: block === undefined ? -1 : take(block) };
      }),
    });
  }
}

/** An entry of the existing sidecar, with its blocks still packed. */
function takeLine(
  builder: SidecarBuilder,
  sidecar: Sidecar,
  { sha256, spans }: SidecarLine,
  offset: number,
): SidecarLine {
  return {
    offset,
    sha256,
    spans: spans.map((span) => {
      const block = sidecar.index.blocks[span.block];
      return { ...span, block: block === undefined ? -1 : builder.take(block, () => sidecar.packed(block)) };
    }),
  };
}
