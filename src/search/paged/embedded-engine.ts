import { Buffer } from "node:buffer";
import { join } from "node:path";
import { catchDamage, type Damaged, IndexDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { isAbsent } from "../../fs/disk-error.ts";
import { makeFolders } from "../../fs/folders.ts";
import { type Lock, tryLock } from "../../fs/lock.ts";
import type { Processes } from "../../fs/processes.ts";
import {
  type DamagedIndex,
  type IndexDocument,
  localSource,
  type OpenedReader,
  type RowsPage,
  type RowsRequest,
  type SearchEngine,
  type SearchReader,
  type StoredRow,
  type StoredSession,
} from "../engine.ts";
import { type IndexSchema, isCopied } from "../ranking/index-schema.ts";
import type { IndexView } from "../ranking/index-view.ts";
import { searchIndex } from "../ranking/search-index.ts";
import type { SessionSource } from "../session-condition.ts";
import { createIndexWriter, type WriterPolicies } from "./index-writer.ts";
import { goneFlags, type IndexManifest, type ManifestFound, readIndexManifest } from "./manifest.ts";
import { openSegment, type Segment } from "./segment.ts";
import { type CountedSegment, createSegmentsView } from "./segments-view.ts";

const LOCK_FILE = "lock";

/** The full-text engine of one machine: an index in a folder. */
export function createEmbeddedEngine(
  disk: Disk,
  folder: string,
  processes: Processes,
  schema: IndexSchema,
  policies: WriterPolicies = {},
): SearchEngine {
  const open = (lock: Lock) => {
    try {
      return { kind: "open", writer: createIndexWriter(disk, folder, schema, lock, policies) } as const;
    } catch (error) {
      lock.release();
      throw error;
    }
  };
  return {
    source: localSource,
    async read(options) {
      options?.signal?.throwIfAborted();
      return openIndexReader(disk, folder, schema);
    },
    async write(options) {
      options?.signal?.throwIfAborted();
      makeFolders(disk, folder);
      const attempt = tryLock(disk, join(folder, LOCK_FILE), processes);
      if (attempt.kind === "locked") return open(attempt.lock);
      const { owner } = attempt.by;
      return { kind: "locked", by: owner === undefined ? "an unknown process" : `process ${owner.pid}` };
    },
  };
}

/** Opens the index in its present state, without a lock. */
export function openIndexReader(disk: Disk, folder: string, schema: IndexSchema): OpenedReader {
  const opened = openSegments(disk, folder, schema);
  if (opened.kind !== "open") return opened;
  return { kind: "open", reader: createReader(opened, schema) };
}

function createReader(opened: OpenSegments, schema: IndexSchema): SearchReader {
  const { segments, manifest } = opened;
  const view = createSegmentsView(segments, schema.fields);
  let numbers: ReadonlyMap<string, number> | undefined;
  let rows: readonly StoredRow[] | undefined;

  const find = (key: string): number | undefined => {
    numbers ??= liveSessions(segments);
    return numbers.get(key);
  };

  return {
    id: manifest.id,
    state: manifest.state,
    async search(plan, options) {
      options?.signal?.throwIfAborted();
      return catchDamage(() => searchIndex(view, plan));
    },
    async rows(request, options): Promise<RowsPage | DamagedIndex> {
      options?.signal?.throwIfAborted();
      return catchDamage(() => {
        rows ??= readRows(view, segments);
        return pageOf(view, rows, request);
      });
    },
    async session(key, options) {
      options?.signal?.throwIfAborted();
      if (options?.source !== undefined && !isSameSource(options.source, localSource)) return undefined;
      return catchDamage(() => {
        const session = find(key);
        return session === undefined ? undefined : readSession(view, segments, key, session);
      });
    },
    close: async () => opened.close(),
  };
}

function isSameSource(a: SessionSource, b: SessionSource): boolean {
  return a.machine === b.machine && a.owner === b.owner;
}

/** `next` is the number of rows before it. */
function pageOf(view: IndexView, rows: readonly StoredRow[], { after, limit }: RowsRequest): RowsPage {
  const from = after === undefined ? 0 : Number(after);
  const to = Math.min(rows.length, from + limit);
  return {
    kind: "rows",
    sessions: view.documents.card,
    turns: view.documents.turn,
    rows: from === 0 && to === rows.length ? rows : rows.slice(from, to),
    next: to < rows.length ? String(to) : undefined,
  };
}

function liveSessions(segments: readonly CountedSegment[]): Map<string, number> {
  const numbers = new Map<string, number>();
  let first = 0;
  for (const { segment, gone } of segments) {
    segment.keys().forEach((key, i) => {
      if (gone?.[i] !== 1) numbers.set(key, first + i);
    });
    first += segment.totals.sessions;
  }
  return numbers;
}

/** Reads all rows at once, because damage must show before the first row is used. */
function readRows(view: IndexView, segments: readonly CountedSegment[]): StoredRow[] {
  const rows: StoredRow[] = [];
  const hasPartials = segments.some(({ partials }) => partials.length > 0);
  let first = 0;
  for (const { segment, gone } of segments) {
    const keys = segment.keys();
    const starts = segment.turnStarts();
    const before = first;
    for (const block of segment.rows.blocks()) {
      segment.rows.records(block).forEach((record, i) => {
        const session = block.first + i;
        if (gone?.[session] === 1) return;
        rows.push({
          key: keys[session] ?? "",
          source: localSource,
          row: toText(record),
          turns: hasPartials
            ? view.turnsOf(before + session).reduce((sum, [from, to]) => sum + to - from, 0)
            : (starts[session + 1] ?? 0) - (starts[session] ?? 0),
        });
      });
    }
    first += segment.totals.sessions;
  }
  return rows;
}

function readSession(
  view: IndexView,
  segments: readonly CountedSegment[],
  key: string,
  session: number,
): StoredSession {
  let own = session;
  const at = segments.find(({ segment }) => {
    if (own < segment.totals.sessions) return true;
    own -= segment.totals.sessions;
    return false;
  });
  const digest = at === undefined ? "" : toText(at.segment.digests.record(own));
  const documents = async (): Promise<readonly IndexDocument[]> => readDocuments(view, session);
  return { kind: "session", key, source: localSource, row: view.row(session), digest, documents };
}

function readDocuments(view: IndexView, session: number): readonly IndexDocument[] {
  const cardAt = view.sessionTimes()[session] ?? Number.NaN;
  const documents: IndexDocument[] = [
    {
      turn: 0,
      at: Number.isNaN(cardAt) ? null : cardAt,
      context: "current",
      fields: view.cardTexts(session),
    },
  ];
  const flags = view.turnFlags();
  for (const [from, to] of view.turnsOf(session)) {
    for (let turn = from; turn < to; turn++) {
      const place = view.turn(turn);
      documents.push({
        turn: place.number,
        at: place.at,
        context: place.context,
        ...(isCopied(flags[turn] ?? 0) ? { copied: true } : {}),
        fields: { ...view.turnTexts(turn), ...view.turnTextsApart(turn) },
      });
    }
  }
  return documents;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

interface OpenSegments {
  readonly kind: "open";
  readonly manifest: IndexManifest;
  readonly segments: readonly CountedSegment[];
  close(): void;
}

/** Segments that were replaced this often while they were being opened would never stop changing. */
const MAX_ROUNDS = 20;

/**
 * Opens the segments that the manifest names. A missing one was merged into another since the manifest was read: then
 * the manifest is read again. Open files stay readable although they are removed, so a reader needs no lock.
 */
export function openSegments(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
): OpenSegments | Exclude<ManifestFound, { readonly kind: "manifest" }> {
  let missing: { readonly id: string; readonly what: string } | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = readIndexManifest(disk, folder, schema);
    if (found.kind !== "manifest") return found;
    const { manifest } = found;
    // The same manifest again: no writer is replacing segments, so the file is lost.
    if (missing?.id === manifest.id) break;
    const opened = openAll(disk, folder, schema, manifest);
    if (opened.kind !== "missing") return opened;
    missing = { id: manifest.id, what: opened.what };
  }
  return { kind: "damaged", what: missing?.what ?? "its segments keep changing" };
}

function openAll(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
  manifest: IndexManifest,
): OpenSegments | Damaged | { readonly kind: "missing"; readonly what: string } {
  const segments: CountedSegment[] = [];
  const close = (): void => {
    for (const { segment } of segments) segment.close();
  };
  for (const entry of manifest.segments) {
    let segment: Segment;
    try {
      segment = openSegment(disk, folder, entry.descriptor, schema.fields);
    } catch (error) {
      close();
      if (error instanceof IndexDamage) return { kind: "damaged", what: error.message };
      if (isAbsent(error)) return { kind: "missing", what: `${entry.descriptor.file}: it is missing` };
      throw error;
    }
    segments.push({ segment, gone: goneFlags(entry), partials: entry.partials, live: entry.live });
  }
  return { kind: "open", manifest, segments, close };
}
