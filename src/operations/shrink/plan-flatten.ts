import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { ArchiveDamage } from "../../core/archive/archive-damage.ts";
import { type Edit, planEdits, type RewritePlan } from "../../core/shrink/rewrite-plan.ts";
import type { RawLine } from "../../formats/raw-lines.ts";
import type { BulkyFinder, BulkyOptions } from "../../formats/shrink/bulky-block.ts";
import { flattenLine, type MovedPart } from "../../formats/shrink/flatten-line.ts";
import type { Sidecar } from "../../store/flat/open-sidecar.ts";
import {
  createSidecar,
  type FlatBlock,
  type SidecarBuilder,
  type SidecarIndex,
  type SidecarLine,
} from "../../store/flat/sidecar.ts";
import { createLineMatcher, hashOfLine, restoredLine } from "./flat-lines.ts";

export interface FlattenPlan {
  readonly plan: RewritePlan;
  readonly builder: SidecarBuilder;
  readonly original: SidecarIndex["original"];
  readonly rule: BulkyOptions;
  /** Blocks that were not moved before; copies are not counted. */
  readonly blocks: number;
}

/** What was moved once stays moved: the smaller of the two sizes counts. */
export function ruleFor(sidecar: Sidecar | undefined, wish: BulkyOptions): BulkyOptions {
  if (sidecar === undefined) return wish;
  const { minBytes, copies } = sidecar.index;
  return { minBytes: Math.min(minBytes, wish.minBytes), copies: copies || wish.copies };
}

/**
 * Plans what is moved out of a log. Each line is first taken as it was before it was ever flattened, so that
 * flattening twice is the same as once, and a sidecar never holds a marker of its own.
 */
export function planFlatten(
  lines: Iterable<RawLine>,
  size: number,
  session: string,
  sidecar: Sidecar | undefined,
  finder: BulkyFinder,
  rule: BulkyOptions,
): FlattenPlan {
  const matcher = createLineMatcher(sidecar);
  const builder = createSidecar();
  const edits: Edit[] = [];
  const hash = createHash("sha256");
  let originalSize = 0;
  let grownBy = 0;
  let blocks = 0;
  for (const line of lines) {
    const { bytes, offset, ended } = line;
    const known = matcher.match(line);
    const restored =
      known === undefined || sidecar === undefined ? bytes : restoredIfWhole(sidecar, bytes, known);
    const original = restored ?? bytes;
    hash.update(original);
    if (ended) hash.update("\n");
    originalSize += original.length + Number(ended);
    const found = finder(original);
    // More may still be written to a line that has no end.
    if (!ended) continue;
    if (restored === undefined) {
      // A block of it is damaged: the line stays as it is, and so does what there is of it.
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
      const numbers = flat.moved.map((part) => addPart(builder, part));
      builder.line(sidecarLine(flat.bytes, flat.moved, numbers, offset + grownBy));
      blocks += flat.moved.filter(({ isCopy }) => !isCopy).length;
      // Killed before the log is replaced, it still has the line as it is now.
      if (known !== undefined && sidecar !== undefined)
        builder.line(takeLine(builder, sidecar, known, offset));
    }
    if (isSame) continue;
    edits.push({ from: offset, to: offset + bytes.length, with: Buffer.from(flat.bytes) });
    grownBy += flat.bytes.length - bytes.length;
  }
  if (sidecar !== undefined) carryOver(builder, sidecar, matcher.unused());
  const original = { size: originalSize, sha256: hash.digest("hex") };
  return { plan: planEdits(edits, size), builder, original, rule, blocks };
}

function addPart(builder: SidecarBuilder, { raw, isCopy, content }: MovedPart): number {
  const { toolUseId, tool, file, kind, mediaType, bytes, lines, number } = content;
  const about = { toolUseId, tool, file: file ?? null, kind, mediaType, bytes, lines, number };
  return builder.add(raw, { ...about, isCopy });
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
 * Takes entries over that no line of this log matched: the line was changed, or another copy of the log has it. Nobody
 * else may have their blocks. A block that the new sidecar has already is not stored twice.
 */
function carryOver(builder: SidecarBuilder, sidecar: Sidecar, entries: readonly SidecarLine[]): void {
  if (entries.length === 0) return;
  const identityOf = ({ toolUseId, number, isCopy, sha256 }: FlatBlock): string =>
    JSON.stringify([toolUseId, number, isCopy, sha256]);
  const numbers = new Map(builder.blocks.map((block, number) => [identityOf(block), number]));
  const entryOf = (line: SidecarLine, blocks: readonly FlatBlock[]): string =>
    JSON.stringify([line.sha256, ...line.spans.map(({ block }) => blocks[block]?.sha256)]);
  const lines = new Set(builder.lines.map((line) => entryOf(line, builder.blocks)));
  const take = (block: FlatBlock): number => {
    const identity = identityOf(block);
    const number = numbers.get(identity) ?? builder.take(sidecar.packed(block), block);
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

/** An entry of the sidecar that there is, with its blocks as they are packed. */
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
      return { ...span, block: block === undefined ? -1 : builder.take(sidecar.packed(block), block) };
    }),
  };
}
