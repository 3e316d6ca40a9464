import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { catchDamage, IndexDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { errorCode, isAbsent } from "../../fs/disk-error.ts";
import type { Lock } from "../../fs/lock.ts";
import type { CommitOptions, DamagedIndex, IndexBatch, IndexedSession, SearchWriter } from "../engine.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import { type Candidate, piecesByKey, resolveLiveSessions } from "./live-sessions.ts";
import type { PartialSession } from "./manifest.ts";
import {
  emptyManifest,
  goneFlags,
  type IndexManifest,
  type ManifestSegment,
  readIndexManifest,
  writeIndexManifest,
} from "./manifest.ts";
import { type MergePolicy, planMerge, type SegmentWeight } from "./merge-policy.ts";
import { mergeSegments, partialSessionsOf, renumber } from "./merge-segments.ts";
import {
  type Piece,
  planReuse,
  type ReusedCardFields,
  type ReusePolicy,
  reuseCardTerms,
  reuseTurns,
} from "./reuse-turns.ts";
import type { SegmentDescriptor } from "./segment.ts";
import { openSegment, type Segment } from "./segment.ts";
import { createBatchBuilder, descriptorOf } from "./segment-builder.ts";

const SEGMENT_NAME = /^[0-9a-f]{16}\.seg$/;

/** When segments are merged and turns reused; tests use other policies. */
export interface WriterPolicies {
  readonly merge?: MergePolicy;
  readonly reuse?: ReusePolicy;
}

/** Writes to the index in a folder. Holds the given lock until `close`. */
export function createIndexWriter(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
  lock: Lock,
  { merge = planMerge, reuse = planReuse }: WriterPolicies = {},
): SearchWriter {
  const found = readIndexManifest(disk, folder, schema);
  let manifest: IndexManifest = found.kind === "manifest" ? found.manifest : emptyManifest;
  let base: readonly ManifestSegment[] = manifest.segments;
  const added: SegmentDescriptor[] = [];
  const removed = new Set<string>();
  /** By key of the sessions that were put: where the index already has their first turns. */
  const kept = new Map<string, readonly Piece[]>();
  let pieces: ReadonlyMap<string, readonly Piece[]> | undefined;
  const builder = createBatchBuilder(disk, folder, schema);
  /** Segments that no manifest names any more. */
  const garbage = new Set(leftOvers(disk, folder, manifest));
  const opened = new Map<string, Segment>();
  /** Set once a manifest may have been written: then `close` must not remove the segments it names. */
  let mayBeNamed = false;

  const open = (descriptor: SegmentDescriptor): Segment => {
    let segment = opened.get(descriptor.file);
    if (segment === undefined) {
      segment = openOrDamage(disk, folder, descriptor, schema);
      opened.set(descriptor.file, segment);
    }
    return segment;
  };
  const release = (file: string): void => {
    opened.get(file)?.close();
    opened.delete(file);
  };

  const add = (batches: readonly IndexBatch[]): void => {
    for (const batch of batches) {
      const descriptor = descriptorOf(batch);
      garbage.delete(descriptor.file);
      added.push(descriptor);
      if (removed.size === 0 && kept.size === 0) continue;
      for (const key of open(descriptor).keys()) {
        removed.delete(key);
        kept.delete(key);
      }
    }
  };

  /** Writes a manifest, then removes the segments that only the previous one named. */
  const publish = (next: Omit<IndexManifest, "id">): void => {
    if (!lock.isOurs()) throw new Error("Lost the lock of the index; nothing was committed");
    disk.fsyncFolder(folder);
    const written = { ...next, id: randomBytes(8).toString("hex") };
    mayBeNamed = true;
    writeIndexManifest(disk, folder, schema, written);
    const named = new Set(next.segments.map(({ descriptor }) => descriptor.file));
    for (const { descriptor } of manifest.segments)
      if (!named.has(descriptor.file)) garbage.add(descriptor.file);
    manifest = written;
    base = written.segments;
    pieces = undefined;
    for (const file of garbage) {
      release(file);
      if (removeFile(disk, join(folder, file))) garbage.delete(file);
    }
  };

  const toCandidate = (descriptor: SegmentDescriptor, before?: ManifestSegment): Candidate => ({
    segment: open(descriptor),
    before,
  });
  const baseCandidates = (): Candidate[] => base.map((entry) => toCandidate(entry.descriptor, entry));

  /** Puts the part of a session that the index does not have yet. If it is damaged, the commit reports it. */
  const putNew = (session: IndexedSession): void => {
    kept.delete(session.key);
    let rest = session;
    let cardTerms: ReusedCardFields | undefined;
    try {
      if (base.length > 0) pieces ??= piecesByKey(baseCandidates());
      const own = pieces?.get(session.key) ?? [];
      const head = own.at(-1);
      if (head !== undefined) {
        const found = reuseTurns(session, own, openNamed, reuse);
        cardTerms = reuseCardTerms(session, head.session, openNamed(head.file), schema.fields);
        if (found.kept.length > 0) kept.set(session.key, found.kept);
        rest = found.rest;
      }
    } catch (error) {
      if (!(error instanceof IndexDamage)) throw error;
    }
    builder.put(rest, cardTerms);
  };
  const openNamed = (file: string): Segment => {
    const segment = opened.get(file);
    if (segment === undefined) throw new IndexDamage(`${file}: it is missing`);
    return segment;
  };

  const commitSessions = (state: string | undefined): void => {
    for (const batch of builder.finish()) added.push(descriptorOf(batch));
    // If nothing was put or removed, no session can have replaced another.
    const isSame = added.length === 0 && removed.size === 0;
    const isWritten = found.kind === "manifest" && base === manifest.segments;
    if (isSame && isWritten && state === undefined) return;
    const candidates = [...baseCandidates(), ...added.map((descriptor) => toCandidate(descriptor))];
    const segments = isSame ? base : resolveLiveSessions(candidates, { removed, kept }, schema.fields);
    publish({ segments, state: state ?? manifest.state });
    for (const { file } of added)
      if (!segments.some(({ descriptor }) => descriptor.file === file)) garbage.add(file);
    added.length = 0;
    removed.clear();
    kept.clear();
  };

  /** Merges until the policy has nothing to merge; each merge is a commit. */
  const tidyUp = (tidy: CommitOptions["tidy"]): void => {
    for (;;) {
      const members = merge(base.map(weightOf), tidy);
      if (members.length === 0) return;
      const inputs = renumber(
        members.flatMap((i) => {
          const entry = base[i];
          if (entry === undefined) return [];
          const { descriptor, partials } = entry;
          return [{ segment: open(descriptor), gone: goneFlags(entry), partials }];
        }),
      );
      const descriptor = mergeSegments(disk, folder, schema.fields, inputs);
      const moved = (partials: readonly PartialSession[]): PartialSession[] =>
        partials.map((partial) => {
          const from = inputs.find(({ segment }) => segment.descriptor.file === partial.head.file);
          if (from === undefined) return partial;
          const session = from.sessions[partial.head.session] ?? 0;
          return { ...partial, head: { file: descriptor.file, session } };
        });
      const partials = moved(partialSessionsOf(inputs));
      const live = { ...descriptor.totals, sessions: descriptor.totals.sessions - partials.length };
      const merged: ManifestSegment = { descriptor, live, gone: [], partials };
      const rest = base
        .filter((_, i) => !members.includes(i))
        .map((entry) =>
          entry.partials.length === 0 ? entry : { ...entry, partials: moved(entry.partials) },
        );
      publish({ segments: [...rest, merged], state: manifest.state });
    }
  };

  return {
    get index() {
      return manifest.id;
    },
    async put(session: IndexedSession) {
      removed.delete(session.key);
      putNew(session);
    },
    remove: (key) => void removed.add(key),
    add,
    clear() {
      base = [];
      pieces = undefined;
      kept.clear();
    },
    async commit(options): Promise<{ readonly kind: "committed" } | DamagedIndex> {
      options.signal?.throwIfAborted();
      return catchDamage(() => {
        commitSessions(options.state);
        tidyUp(options.tidy);
        return { kind: "committed" };
      });
    },
    async close() {
      try {
        builder.abandon();
        for (const segment of opened.values()) segment.close();
        opened.clear();
        // Includes segments that threads built and nobody added, which would fill the disk.
        if (!mayBeNamed && lock.isOurs())
          for (const file of leftOvers(disk, folder, manifest)) removeFile(disk, join(folder, file));
      } catch (error) {
        // The reason for closing matters more than a file that could not be removed.
        if (errorCode(error) === undefined) throw error;
      } finally {
        lock.release();
      }
    },
  };
}

/** Opens a segment. Under the lock, a missing segment is lost, not replaced. */
function openOrDamage(
  disk: Disk,
  folder: string,
  descriptor: SegmentDescriptor,
  schema: IndexSchema,
): Segment {
  try {
    return openSegment(disk, folder, descriptor, schema.fields);
  } catch (error) {
    if (isAbsent(error)) throw new IndexDamage(`${descriptor.file}: it is missing`);
    throw error;
  }
}

/** A partial session counts as one: merging keeps it. */
function weightOf({ descriptor, live, partials }: ManifestSegment): SegmentWeight {
  return {
    bytes: descriptor.bytes,
    documents: descriptor.totals.sessions + descriptor.totals.turns,
    living: live.sessions + partials.length + live.turns,
  };
}

/** Lists segments that the manifest does not name: left behind by a killed writer, removed under the lock. */
function leftOvers(disk: Disk, folder: string, manifest: IndexManifest): string[] {
  const named = new Set(manifest.segments.map(({ descriptor }) => descriptor.file));
  return disk
    .readdir(folder)
    .filter(({ name }) => SEGMENT_NAME.test(name) && !named.has(name))
    .map(({ name }) => name);
}

/** Returns false if a file cannot be removed now (on Windows, while a reader has it open); the next writer tries again. */
function removeFile(disk: Disk, path: string): boolean {
  try {
    disk.unlink(path);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) === "ENOENT";
  }
}
