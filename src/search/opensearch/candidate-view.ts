import { Buffer } from "node:buffer";
import { brotliDecompressSync, inflateRawSync } from "node:zlib";
import { createMemoryDisk } from "../../fs/memory-disk.ts";
import type { IndexDocument } from "../engine.ts";
import { openSegment, type SegmentDescriptor } from "../paged/segment.ts";
import { type CountedSegment, createSegmentsView } from "../paged/segments-view.ts";
import { contextOf, type FieldTable, type IndexSchema, isCopied } from "../ranking/index-schema.ts";
import type { IndexStatistics, IndexView } from "../ranking/index-view.ts";
import { numberIn, textIn, valueIn } from "./cluster.ts";
import type { ReceivedSession, SessionTexts } from "./session-documents.ts";

/** Sums over all sessions that the reader may see. */
export interface IndexTotals {
  readonly sessions: number;
  readonly turns: number;
  /** By field, the sum of its lengths. */
  readonly lengths: readonly number[];
}

/** Texts of the fetched sessions, by id. Records which others were requested. */
export interface FetchedTexts {
  readonly known: ReadonlyMap<string, SessionTexts>;
  readonly missing: Set<string>;
}

/** Shows the segments of some sessions as an index with the statistics of the whole one, for ranking. */
export function createCandidateView(
  sessions: readonly ReceivedSession[],
  { fields }: IndexSchema,
  totals: IndexTotals,
  statistics: IndexStatistics,
  texts: FetchedTexts = { known: new Map(), missing: new Set() },
): IndexView {
  const view = createSegmentsView(
    sessions.map((session) => openReceived(session, fields)),
    fields,
  );
  const shown = {
    card: namesOf(fields, "card", true),
    turn: namesOf(fields, "turn", true),
    apart: namesOf(fields, "turn", "apart"),
  };
  const sessionOf = view.sessionsOfTurns();
  const textsOf = (session: number): SessionTexts | undefined => {
    const id = sessions[session]?.id ?? "";
    const known = texts.known.get(id);
    if (known === undefined) texts.missing.add(id);
    return known;
  };
  const ofTurn = (turn: number, names: ReadonlySet<string>): Readonly<Record<string, string>> => {
    const session = sessionOf[turn] ?? 0;
    const [[first] = [0]] = view.turnsOf(session);
    return pick(textsOf(session)?.turns[turn - first]?.fields, names);
  };
  return {
    ...view,
    documents: { card: totals.sessions, turn: totals.turns },
    averageLengths: fields.map(({ kind }, field) => {
      const documents = kind === "card" ? totals.sessions : totals.turns;
      return documents === 0 ? 0 : (totals.lengths[field] ?? 0) / documents;
    }),
    statistics,
    sourceOf: (session) => sessions[session]?.source ?? { machine: "", owner: "" },
    row: (session) => sessions[session]?.row ?? "",
    cardTexts: (session) => pick(textsOf(session)?.card, shown.card),
    turnTexts: (turn) => ofTurn(turn, shown.turn),
    turnTextsApart: (turn) => ofTurn(turn, shown.apart),
  };
}

/** Reassembles the documents of a session: its turns from the segment, and their texts. */
export function documentsOf(
  session: ReceivedSession,
  texts: SessionTexts,
  { fields }: IndexSchema,
): readonly IndexDocument[] {
  const view = createSegmentsView([openReceived(session, fields)], fields);
  const active = view.sessionTimes()[0] ?? Number.NaN;
  const flags = view.turnFlags();
  const turns = texts.turns.map(({ fields: own, identity }, turn): IndexDocument => {
    const { number, at: time } = view.turn(turn);
    const flag = flags[turn] ?? 0;
    return {
      turn: number,
      at: time,
      context: contextOf(flag),
      ...(isCopied(flag) ? { copied: true } : {}),
      ...(identity === undefined ? {} : { identity }),
      fields: own,
    };
  });
  const at = Number.isNaN(active) ? null : active;
  return [{ turn: 0, at, context: "current", fields: texts.card }, ...turns];
}

function openReceived({ descriptor, segment: bytes }: ReceivedSession, fields: FieldTable): CountedSegment {
  const disk = createMemoryDisk(() => 0);
  const handle = disk.open(`/${descriptor.file}`, "create");
  disk.write(handle, bytes);
  disk.close(handle);
  const segment = openSegment(disk, "/", descriptor, fields);
  return { segment, gone: undefined, partials: [], live: segment.totals };
}

function namesOf(fields: FieldTable, kind: "card" | "turn", stored: true | "apart"): ReadonlySet<string> {
  return new Set(
    fields.flatMap((field) => (field.kind === kind && field.stored === stored ? [field.name] : [])),
  );
}

function pick(
  texts: Readonly<Record<string, string>> = {},
  names: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => names.has(name)));
}

/** The maximum number of turns: a session document with more is an attempt to fill this machine's memory. */
const MOST_TURNS = 1_000_000;

/** Reads a session document. Returns undefined if this program did not write it: others may write to a cluster too. */
export function receiveSession(hit: unknown): ReceivedSession | undefined {
  const body = valueIn(hit, "_source");
  const segment = inflate(textIn(body, "segment"), inflateRawSync, MOST_SEGMENT_BYTES);
  if (segment === undefined) return undefined;
  const totals = valueIn(body, "descriptor", "totals");
  const turns = numberIn(totals, "turns");
  const lengths = valueIn(totals, "lengths");
  const descriptor: SegmentDescriptor = {
    file: "segment",
    bytes: segment.length,
    directoryOffset: numberIn(body, "descriptor", "directoryOffset"),
    directorySum: numberIn(body, "descriptor", "directorySum"),
    totals: {
      sessions: numberIn(totals, "sessions"),
      turns,
      copies: numberIn(totals, "copies"),
      lengths: Array.isArray(lengths) ? lengths.map(Number) : [],
    },
  };
  const visibility = textIn(body, "visibility");
  if (descriptor.totals.sessions !== 1 || turns > MOST_TURNS) return undefined;
  if (visibility !== "private" && visibility !== "team") return undefined;
  return {
    id: textIn(hit, "_id"),
    key: textIn(body, "key"),
    source: { owner: textIn(body, "owner"), machine: textIn(body, "machine") },
    visibility,
    row: textIn(body, "row"),
    turns,
    descriptor,
    segment,
  };
}

/** Reads the texts of a session document; undefined if this program did not write them. */
export function receiveTexts(hit: unknown): SessionTexts | undefined {
  const bytes = inflate(textIn(hit, "_source", "texts"), brotliDecompressSync, MOST_TEXT_BYTES);
  try {
    const texts: unknown = JSON.parse(bytes?.toString("utf8") ?? "");
    return isTexts(texts) ? texts : undefined;
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is SessionTexts {
  const turns = valueIn(value, "turns");
  const isFields = (fields: unknown): boolean =>
    typeof fields === "object" &&
    fields !== null &&
    Object.values(fields).every((text) => typeof text === "string");
  return (
    typeof valueIn(value, "digest") === "string" &&
    isFields(valueIn(value, "card")) &&
    Array.isArray(turns) &&
    turns.every((turn) => isFields(valueIn(turn, "fields")))
  );
}

/** Texts that unpack to more than this were not written by this program. */
const MOST_SEGMENT_BYTES: number = 128 * 1024 * 1024;
const MOST_TEXT_BYTES: number = 512 * 1024 * 1024;

function inflate(
  base64: string,
  unpack: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer,
  maxOutputLength: number,
): Buffer | undefined {
  try {
    return unpack(Buffer.from(base64, "base64"), { maxOutputLength });
  } catch {
    return undefined;
  }
}
