import { Buffer } from "node:buffer";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Damaged } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import type { FieldTable, IndexSchema } from "../ranking/index-schema.ts";
import { describeFields } from "../ranking/index-schema.ts";
import { INDEX_FORMAT, type Segment, type SegmentDescriptor, type SegmentTotals } from "./segment.ts";

/** Names the segments of the index and their live parts. Replaced as a whole, so a reader sees one state. */
export interface IndexManifest {
  /** New with every commit. */
  readonly id: string;
  /** Oldest first. */
  readonly segments: readonly ManifestSegment[];
  /** The caller's own data, opaque to the engine. */
  readonly state: string;
}

export interface ManifestSegment {
  readonly descriptor: SegmentDescriptor;
  /** The share of its live sessions in the statistics. */
  readonly live: SegmentTotals;
  /** Sessions of the segment that were removed or replaced, in order. */
  readonly gone: readonly number[];
  readonly partials: readonly PartialSession[];
}

/**
 * The first turns of a session that has grown since. They have not changed and stay where they are; everything else
 * that the segment has of the session is replaced by a later segment.
 */
export interface PartialSession {
  /** Its number in this segment. */
  readonly session: number;
  /** How many of its turns are still valid. */
  readonly turns: number;
  /** How many turns of the session come before them, in other partial sessions. */
  readonly from: number;
  /** Where the session continues. */
  readonly head: SessionSlot;
}

/** Where the card, the row and the last turns of a session are. */
export interface SessionSlot {
  readonly file: string;
  /** Its number in that segment. */
  readonly session: number;
}

export const emptyManifest: IndexManifest = { id: "", segments: [], state: "" };

export type ManifestFound =
  | { readonly kind: "manifest"; readonly manifest: IndexManifest }
  | { readonly kind: "absent" }
  | { readonly kind: "version"; readonly what: string }
  | Damaged;

export const MANIFEST_FILE = "manifest";

const MAGIC = "sessions index manifest";
const HEAD = new RegExp(`^${MAGIC} (\\d+) ([0-9a-f]{8})$`);
/** No manifest is longer: there are few segments, and their lists are bounded. */
const MAX_BYTES = 64 * 1024 * 1024;

interface ManifestBody extends IndexManifest {
  readonly analysis: string;
  readonly fields: string;
}

export function readIndexManifest(disk: Disk, folder: string, schema: IndexSchema): ManifestFound {
  const bytes = disk.readFile(join(folder, MANIFEST_FILE), MAX_BYTES);
  if (bytes === undefined) return { kind: "absent" };
  const headEnd = bytes.indexOf(0x0a);
  const head = HEAD.exec(bytes.toString("latin1", 0, Math.max(0, headEnd)));
  if (head === null)
    return { kind: "damaged", what: `${MANIFEST_FILE}: its first line is not that of a manifest` };
  const [, format, sum] = head;
  if (Number(format) !== INDEX_FORMAT) return { kind: "version", what: `format ${format}` };
  const body = bytes.subarray(headEnd + 1);
  if (crc32(body) !== Number.parseInt(sum ?? "", 16)) {
    return { kind: "damaged", what: `${MANIFEST_FILE}: its checksum is wrong` };
  }
  // The checksum is right, so writeIndexManifest() wrote this.
  const manifest: ManifestBody = JSON.parse(body.toString("utf8"));
  if (manifest.analysis !== schema.analysisVersion) {
    return { kind: "version", what: `analysis ${manifest.analysis}` };
  }
  if (manifest.fields !== describeFields(schema.fields)) return { kind: "version", what: "other fields" };
  return { kind: "manifest", manifest };
}

export function writeIndexManifest(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
  manifest: IndexManifest,
): void {
  const content: ManifestBody = {
    ...manifest,
    analysis: schema.analysisVersion,
    fields: describeFields(schema.fields),
  };
  const body = Buffer.from(JSON.stringify(content));
  const sum = crc32(body).toString(16).padStart(8, "0");
  replaceFile(disk, join(folder, MANIFEST_FILE), [Buffer.from(`${MAGIC} ${INDEX_FORMAT} ${sum}\n`), body]);
}

/** Returns 1 for each session that is gone or only partial; undefined if all are live. */
export function goneFlags({ descriptor, gone, partials }: ManifestSegment): Uint8Array | undefined {
  if (gone.length === 0 && partials.length === 0) return undefined;
  const flags = new Uint8Array(descriptor.totals.sessions);
  for (const session of gone) flags[session] = 1;
  for (const { session } of partials) flags[session] = 1;
  return flags;
}

/** An open segment and its live parts. */
export interface LiveSegment {
  readonly segment: Segment;
  /** As `goneFlags` returns them. */
  readonly gone: Uint8Array | undefined;
  readonly partials: readonly PartialSession[];
}

/** Returns 1 for each turn that is gone; undefined if all are live. */
export function goneTurns({ segment, gone, partials }: LiveSegment): Uint8Array | undefined {
  if (gone === undefined) return undefined;
  const starts = segment.turnStarts();
  const flags = new Uint8Array(segment.totals.turns);
  gone.forEach((isGone, session) => {
    if (isGone === 1) flags.fill(1, starts[session], starts[session + 1]);
  });
  for (const { session, turns } of partials) {
    const from = starts[session] ?? 0;
    flags.fill(0, from, from + turns);
  }
  return flags;
}

/** Computes the share of a segment's live sessions in the statistics. */
export function liveTotals(live: LiveSegment, fields: FieldTable): SegmentTotals {
  const { segment, gone, partials } = live;
  const { copies } = segment.totals;
  let { sessions, turns } = segment.totals;
  const lengths = [...segment.totals.lengths];
  if (gone === undefined) return { sessions, turns, copies, lengths };
  const starts = segment.turnStarts();
  const left = new Map(partials.map((partial) => [partial.session, partial.turns]));
  gone.forEach((isGone, session) => {
    if (isGone === 0) return;
    const from = (starts[session] ?? 0) + (left.get(session) ?? 0);
    const to = starts[session + 1] ?? 0;
    sessions--;
    turns -= to - from;
    fields.forEach((field, place) => {
      const column = segment.fieldLengths(place).all();
      const [first, last] = field.kind === "card" ? [session, session + 1] : [from, to];
      for (let doc = first; doc < last; doc++) lengths[place] = (lengths[place] ?? 0) - (column[doc] ?? 0);
    });
  });
  return { sessions, turns, copies, lengths };
}

export function addTotals(a: SegmentTotals, b: SegmentTotals): SegmentTotals {
  return {
    sessions: a.sessions + b.sessions,
    turns: a.turns + b.turns,
    copies: a.copies + b.copies,
    lengths: b.lengths.map((length, field) => length + (a.lengths[field] ?? 0)),
  };
}

export const noTotals: SegmentTotals = { sessions: 0, turns: 0, copies: 0, lengths: [] };
