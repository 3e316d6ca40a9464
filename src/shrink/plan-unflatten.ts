import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { actionsOf } from "../agents/actions.ts";
import { type Fitting, findMarkers, fitOriginal, resultPlaces } from "../agents/flattened-line.ts";
import type { LogSnapshot } from "../agents/log-snapshot.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { type JsonSpan, lengthOf } from "../jsonl/json-spans.ts";
import { type RawLine, rawLines } from "../jsonl/lines.ts";
import {
  type Edit,
  planEdits,
  type ReadRecord,
  type RewritePlan,
  rewrittenBytes,
} from "../jsonl/rewrite-plan.ts";
import type { AgentName } from "../session/entry.ts";
import { type FlatMarker, fitsMarker } from "../session/flat-marker.ts";
import { isReadable, type Sidecar } from "./open-sidecar.ts";
import type { PastLog } from "./past-logs.ts";
import type { FlatBlock, SidecarLine } from "./sidecar.ts";
import { createLineMatcher, hashOfLine } from "./sidecar-lines.ts";

export interface UnflattenPlan {
  readonly plan: RewritePlan;
  /** Blocks that are put back; copies are not counted. */
  readonly blocks: number;
  /** How many of them, including copies, come from the archive. */
  readonly fromArchive: number;
  /** Whether the log will have everything again, byte for byte, that it had when it was flattened. */
  readonly isExact: boolean;
  /** Blocks of the sidecar that are not put back, and that the log does not have either. */
  readonly left: readonly FlatBlock[];
  /** Markers that stay, because their block was not found. */
  readonly missing: readonly FlatMarker[];
  /** Blocks of the sidecar that can't be read. */
  readonly damaged: number;
}

type NewBytes = Exclude<Edit["with"], Uint8Array>;

interface BlockSources {
  readonly sidecar: Sidecar | undefined;
  /** It is another log's sidecar: blocks that this log has no place for are ignored. */
  readonly isLent?: boolean;
  /** Archived states of the log, newest first; read only if the sidecar lacks something. */
  readonly archived: () => Iterable<PastLog>;
}

/** Where a value is to be put back. Offsets count from the start of the log. */
interface Place {
  readonly from: number;
  readonly to: number;
  readonly isCopy: boolean;
}

/** A value to put back that was not found yet. */
interface Gap extends Place {
  /** null: an empty list, whose block in the sidecar is damaged. */
  readonly marker: FlatMarker | null;
  /** Hash of the bytes that belong there; null if unknown. */
  readonly sha256: string | null;
}

/** A line that may lack something: an empty list does not show whether it was always empty. */
interface OpenLine {
  readonly offset: number;
  readonly length: number;
  /** By where they begin. */
  readonly gaps: Map<number, Gap>;
}

/** The log to fill; a plan reads it more than once. */
type FlatLog = Pick<LogSnapshot, "chunks" | "mark" | "range">;

/** The state of a plan that is being made: every step adds to it. */
interface PlanState {
  readonly agent: AgentName;
  readonly log: FlatLog;
  readonly sidecar: Sidecar | undefined;
  readonly edits: Edit[];
  /** Places that are already filled, so that nothing is put there twice. */
  readonly taken: Set<number>;
  /** Identities of the blocks that are put back. */
  readonly placed: Set<string>;
  readonly damaged: Set<FlatBlock>;
  blocks: number;
  fromArchive: number;
  /** The archive showed where they belong; their bytes are in the sidecar. */
  placedByArchive: number;
  isEachExact: boolean;
  /** The blocks of the sidecar by size, and the identities of all; made when they are first needed. */
  bySize: ReadonlyMap<number, readonly FlatBlock[]> | undefined;
  known: ReadonlySet<string> | undefined;
}

/**
 * Plans how everything that was moved out of a log is put back: from the sidecar, matching lines by their bytes, or
 * for changed lines by their markers; otherwise from the archive. Lines appended later are left alone.
 */
export function planUnflatten(
  agent: AgentName,
  log: FlatLog,
  { sidecar, isLent, archived }: BlockSources,
): UnflattenPlan {
  const state = newState(agent, log, sidecar);
  const open = matchLines(state);
  fillFromSidecar(state, open);
  let plan = planOf(state);
  let left = leftOver(state, plan);
  if (left.length > 0 || open.some(({ gaps }) => gaps.size > 0) || (sidecar?.damage ?? null) !== null) {
    fillFromArchive(state, open, archived);
    if (state.fromArchive + state.placedByArchive > 0) {
      plan = planOf(state);
      left = leftOver(state, plan);
    }
  }
  const missing = open.flatMap(({ gaps }) => [...gaps.values()].flatMap(({ marker }) => marker ?? []));
  const isComplete = state.isEachExact && missing.length === 0 && (isLent === true || left.length === 0);
  const isExact =
    sidecar?.damage === null ? isOriginal(plan, log, sidecar) || (isLent === true && isComplete) : isComplete;
  return {
    plan,
    blocks: state.blocks,
    fromArchive: state.fromArchive,
    isExact,
    left: isLent === true ? [] : left,
    missing,
    damaged: state.damaged.size,
  };
}

function newState(agent: AgentName, log: FlatLog, sidecar: Sidecar | undefined): PlanState {
  return {
    agent,
    log,
    sidecar,
    edits: [],
    taken: new Set(),
    placed: new Set(),
    damaged: new Set(),
    blocks: 0,
    fromArchive: 0,
    placedByArchive: 0,
    isEachExact: true,
    bySize: undefined,
    known: undefined,
  };
}

function planOf({ edits, log, sidecar }: PlanState): RewritePlan {
  return planEdits(
    edits.toSorted((a, b) => a.from - b.from),
    log.mark.size,
    "carry",
    sidecar && blockReader(sidecar),
  );
}

/** Blocks of the sidecar that are not put back, and that the log does not have. */
function leftOver({ agent, log, sidecar, placed }: PlanState, plan: RewritePlan): readonly FlatBlock[] {
  const rest = (sidecar?.index.blocks ?? []).filter((block) => !placed.has(identityOf(block)));
  return rest.length === 0 ? [] : notAmong(agent, rawLines(rewrittenBytes(plan, log.chunks())), rest);
}

function put(state: PlanState, { from, to, isCopy }: Place, by: NewBytes): void {
  state.edits.push({ from, to, with: by });
  state.taken.add(from);
  if (!isCopy) state.blocks++;
}

function canRead({ sidecar, damaged }: PlanState, block: FlatBlock): boolean {
  if (sidecar !== undefined && isReadable(sidecar, block)) return true;
  damaged.add(block);
  return false;
}

/** Puts back what belongs into lines that have not changed since they were flattened. Returns lines with gaps. */
function matchLines(state: PlanState): readonly OpenLine[] {
  const matcher = createLineMatcher(state.sidecar);
  const open: OpenLine[] = [];
  for (const line of rawLines(state.log.chunks())) {
    const entry = matcher.match(line);
    const damagedSpans = entry === undefined ? [] : putSpans(state, line, entry);
    const gaps = new Map(damagedSpans.map((gap) => [gap.from, gap]));
    // A matching line may also have markers that another store's flatten left.
    for (const gap of markerGaps(state.agent, line)) {
      if (!state.taken.has(gap.from))
        gaps.set(gap.from, { ...gap, sha256: gaps.get(gap.from)?.sha256 ?? null });
    }
    if (gaps.size > 0) open.push({ offset: line.offset, length: line.bytes.length, gaps });
  }
  return open;
}

/** Puts blocks back into one line. Returns the places whose block can't be read. */
function putSpans(state: PlanState, line: RawLine, { spans }: SidecarLine): readonly Gap[] {
  return spans.flatMap(({ at, length, block: number }): Gap[] => {
    const block = state.sidecar?.index.blocks[number];
    if (block === undefined) return [];
    const from = line.offset + at;
    const place = { from, to: from + length, isCopy: block.isCopy };
    if (!canRead(state, block)) return [{ ...place, marker: null, sha256: block.sha256 }];
    put(state, place, fetchBlock(block));
    state.placed.add(identityOf(block));
    return [];
  });
}

/** Puts blocks back into lines that were changed: their markers still identify them. */
function fillFromSidecar(state: PlanState, open: readonly OpenLine[]): void {
  for (const { gaps } of open) {
    for (const gap of Array.from(gaps.values())) {
      const fitting = blocksFor(state, gap);
      const [block] = fitting;
      // The marker fits two blocks; the archive shows which one it was.
      if (block === undefined || fitting.some(({ sha256 }) => sha256 !== block.sha256)) continue;
      const readable = fitting.find((each) => canRead(state, each));
      if (readable === undefined) gaps.set(gap.from, { ...gap, sha256: block.sha256 });
      else {
        put(state, gap, fetchBlock(readable));
        state.placed.add(identityOf(readable));
        gaps.delete(gap.from);
        state.isEachExact = false;
      }
    }
  }
}

/** If the hash of the bytes is known, any block with that hash will do. */
function blocksFor(state: PlanState, { marker, isCopy, sha256 }: Gap): readonly FlatBlock[] {
  const { sidecar } = state;
  if (sidecar === undefined) return [];
  if (sha256 !== null) return sidecar.index.blocks.filter((block) => block.sha256 === sha256);
  if (marker === null) return [];
  state.bySize ??= groupBySize(sidecar.index.blocks);
  return (state.bySize.get(marker.bytes) ?? []).filter(
    (block) => block.isCopy === isCopy && fitsMarker(marker, block),
  );
}

/** Fills what is still open, and empty lists that were long ones, from archived states of the log. */
function fillFromArchive(
  state: PlanState,
  open: readonly OpenLine[],
  archived: BlockSources["archived"],
): void {
  const { agent } = state;
  const wanted = linesToFill(state, open);
  const { flattening } = actionsOf(agent);
  if (wanted.size === 0 || flattening === undefined) return;
  for (const kept of archived()) {
    try {
      fillFromLog(state, kept, wanted, flattening.finder({ minBytes: -1, copies: false }));
    } catch (error) {
      // `verify` reports the damage; another generation may have the block.
      if (!(error instanceof ArchiveDamage)) throw error;
    }
  }
}

type LinesByCalls = ReadonlyMap<string, readonly OpenLine[]>;

/** The open lines, and those with an empty list, by the calls that connect them with their originals. */
function linesToFill({ agent, log, sidecar }: PlanState, open: readonly OpenLine[]): LinesByCalls {
  const wanted = new Map<string, OpenLine[]>();
  const want = (line: OpenLine, bytes: Buffer): void => {
    const key = callsOf(agent, bytes);
    const others = wanted.get(key);
    if (others === undefined) wanted.set(key, [line]);
    else others.push(line);
  };
  const opened = new Map(open.map((line) => [line.offset, line]));
  const matcher = createLineMatcher(sidecar);
  for (const line of rawLines(log.chunks())) {
    const known = opened.get(line.offset);
    if (known !== undefined) want(known, line.bytes);
    else if (matcher.match(line) === undefined && hasEmptyList(agent, line.bytes))
      want({ offset: line.offset, length: line.bytes.length, gaps: new Map() }, line.bytes);
  }
  return wanted;
}

function fillFromLog(
  state: PlanState,
  kept: PastLog,
  wanted: LinesByCalls,
  finder: (bytes: Buffer) => readonly { span: { start: number }; content: { number: number } }[],
): void {
  const { agent } = state;
  for (const original of rawLines(kept.chunks())) {
    const { bytes } = original;
    const numbers = new Map(finder(bytes).map(({ span, content }) => [span.start, content.number]));
    for (const line of wanted.get(callsOf(agent, bytes)) ?? []) {
      const flat = state.log.range(line.offset, line.offset + line.length);
      const fitting = fitOriginal(agent, flat, bytes, (start) => numbers.get(start));
      if (fitting !== undefined) putParts(state, line, fitting, kept, original);
    }
  }
}

/** Puts the values of an original line back into the flattened one. */
function putParts(
  state: PlanState,
  line: OpenLine,
  fitting: Fitting,
  kept: PastLog,
  { bytes, offset }: RawLine,
): void {
  const isSameLine = fitting.isExact || fitting.markers > 0;
  for (const { from, to, at, length, toolUseId, isCopy, isList } of fitting.parts) {
    const begin = line.offset + from;
    const sha256 = hashOfLine(bytes.subarray(at, at + length));
    if (state.taken.has(begin) || (line.gaps.get(begin)?.sha256 ?? sha256) !== sha256) continue;
    // An empty list alone proves nothing, unless the sidecar has exactly this list.
    if (isList && !isSameLine && !isInSidecar(state, { toolUseId, sha256 })) continue;
    if (!fitting.isExact) state.isEachExact = false;
    const own = state.sidecar?.index.blocks.find((block) => block.sha256 === sha256 && canRead(state, block));
    if (own === undefined) state.fromArchive++;
    else state.placedByArchive++;
    const by = own === undefined ? fetchPart(kept, offset + at, length) : fetchBlock(own);
    put(state, { from: begin, to: line.offset + to, isCopy }, by);
    state.placed.add(identityOf({ toolUseId, sha256 }));
    line.gaps.delete(begin);
  }
}

function isInSidecar(state: PlanState, block: Pick<FlatBlock, "toolUseId" | "sha256">): boolean {
  state.known ??= new Set((state.sidecar?.index.blocks ?? []).map(identityOf));
  return state.known.has(identityOf(block));
}

/*
 * Separate functions, so that a plan keeps nothing else alive: the data used for planning does not fit into memory
 * beside the session of a long log.
 */

/** Everything needed to read a block when it is written. */
function fetchBlock({ offset, stored, pieces, length, sha256 }: FlatBlock): NewBytes {
  return { length, record: JSON.stringify({ offset, stored, pieces, length, sha256 }) };
}

function blockReader({ chunks }: Sidecar): ReadRecord {
  return (record) => chunks(JSON.parse(record));
}

function fetchPart({ parts }: PastLog, from: number, length: number): NewBytes {
  return { length, read: () => parts(from, length) };
}

function markerGaps(agent: AgentName, { bytes, offset }: RawLine): readonly Gap[] {
  return findMarkers(agent, bytes).map(({ start, end, marker, isCopy }) => ({
    from: offset + start,
    to: offset + end,
    isCopy,
    marker,
    sha256: null,
  }));
}

const EMPTY_LIST = "[]";

/** Whether there is an empty list in a copy of a result. It may have been a long one. */
function hasEmptyList(agent: AgentName, bytes: Buffer): boolean {
  if (!bytes.includes(EMPTY_LIST)) return false;
  return resultPlaces(agent, bytes).some(
    ({ span, isCopy }) => isCopy && bytes.subarray(span.start, span.end).includes(EMPTY_LIST),
  );
}

/** Lists the calls whose results a line has; they connect a flattened line with its original. */
function callsOf(agent: AgentName, bytes: Buffer): string {
  return resultPlaces(agent, bytes)
    .map(({ toolUseId }) => toolUseId)
    .join("\n");
}

function identityOf({ toolUseId, sha256 }: Pick<FlatBlock, "toolUseId" | "sha256">): string {
  return `${toolUseId}\n${sha256}`;
}

function groupBySize(blocks: readonly FlatBlock[]): ReadonlyMap<number, readonly FlatBlock[]> {
  const groups = new Map<number, FlatBlock[]>();
  for (const block of blocks) {
    const group = groups.get(block.bytes);
    if (group === undefined) groups.set(block.bytes, [block]);
    else group.push(block);
  }
  return groups;
}

/** Leaves out blocks that are a value in a result of their call, on any of the lines. */
function notAmong(
  agent: AgentName,
  lines: Iterable<RawLine>,
  blocks: readonly FlatBlock[],
): readonly FlatBlock[] {
  const left = new Set(blocks);
  const byCall = new Map<string, FlatBlock[]>();
  for (const block of blocks) {
    const same = byCall.get(block.toolUseId);
    if (same === undefined) byCall.set(block.toolUseId, [block]);
    else same.push(block);
  }
  for (const { bytes } of lines) {
    for (const { toolUseId, span } of resultPlaces(agent, bytes)) {
      const wanted = byCall.get(toolUseId);
      if (wanted !== undefined) removeFound(bytes, span, wanted, left);
    }
  }
  return [...left];
}

function removeFound(
  bytes: Buffer,
  span: JsonSpan,
  wanted: readonly FlatBlock[],
  left: Set<FlatBlock>,
): void {
  const same = wanted.filter(({ length }) => length === lengthOf(span));
  if (same.length > 0) {
    const sha256 = hashOfLine(bytes.subarray(span.start, span.end));
    for (const block of same) if (block.sha256 === sha256) left.delete(block);
  }
  if (span.kind === "array") for (const item of span.items) removeFound(bytes, item, wanted, left);
  if (span.kind === "object") for (const { value } of span.members) removeFound(bytes, value, wanted, left);
}

function isOriginal(plan: RewritePlan, log: Pick<LogSnapshot, "chunks">, { index }: Sidecar): boolean {
  const hash = createHash("sha256");
  let left = index.original.size;
  for (const part of rewrittenBytes(plan, log.chunks())) {
    hash.update(part.subarray(0, Math.min(left, part.length)));
    left -= Math.min(left, part.length);
    if (left === 0) break;
  }
  return left === 0 && hash.digest("hex") === index.original.sha256;
}
