import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { catchDamage, IndexDamage } from "../../core/search/index-damage.ts";
import type { IndexSchema } from "../../core/search/index-schema.ts";
import type {
  CommitOptions,
  DamagedIndex,
  IndexBatch,
  IndexedSession,
  SearchWriter,
} from "../../core/search/search-engine.ts";
import type { Disk } from "../disk.ts";
import { errorCode, isAbsent } from "../disk-error.ts";
import type { Lock } from "../lock.ts";
import { createBatchBuilder, descriptorOf } from "./batch-builder.ts";
import { liveTotals } from "./live-segment.ts";
import {
  emptyManifest,
  type Manifest,
  type ManifestSegment,
  readManifest,
  writeManifest,
} from "./manifest.ts";
import { type MergePlan, planMerge, type SegmentWeight } from "./merge-policy.ts";
import { mergeSegments } from "./merge-segments.ts";
import { openSegment, type Segment } from "./segment.ts";
import type { SegmentDescriptor } from "./segment-layout.ts";

const SEGMENT_NAME = /^[0-9a-f]{16}\.seg$/;

/** A segment in the making of a manifest. */
interface Candidate {
  readonly segment: Segment;
  readonly gone: Uint8Array;
}

/** Works on the index of a folder; the caller holds its lock until `close`. */
export function createIndexWriter(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
  lock: Lock,
  plan: MergePlan = planMerge,
): SearchWriter {
  const found = readManifest(disk, folder, schema);
  let manifest: Manifest = found.kind === "manifest" ? found.manifest : emptyManifest;
  let base: readonly ManifestSegment[] = manifest.segments;
  const added: SegmentDescriptor[] = [];
  const removed = new Set<string>();
  const builder = createBatchBuilder(disk, folder, schema);
  /** Segments that no manifest will name again. */
  const garbage = new Set(leftOvers(disk, folder, manifest));
  const opened = new Map<string, Segment>();
  /** Set once a manifest was written, or may have been: then nothing may be removed on its behalf. */
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
      if (removed.size > 0) for (const key of open(descriptor).keys()) removed.delete(key);
    }
  };

  /** Makes a manifest the index, and takes away what only the one before it named. */
  const publish = (next: Omit<Manifest, "id">): void => {
    if (!lock.isOurs()) throw new Error("The lock of the index was taken away: nothing was committed");
    disk.fsyncFolder(folder);
    const written = { ...next, id: randomBytes(8).toString("hex") };
    mayBeNamed = true;
    writeManifest(disk, folder, schema, written);
    const named = new Set(next.segments.map(({ descriptor }) => descriptor.file));
    for (const { descriptor } of manifest.segments)
      if (!named.has(descriptor.file)) garbage.add(descriptor.file);
    manifest = written;
    base = written.segments;
    for (const file of garbage) {
      release(file);
      if (removeFile(disk, join(folder, file))) garbage.delete(file);
    }
  };

  const commitSessions = (state: string | undefined): void => {
    for (const batch of builder.finish()) added.push(descriptorOf(batch));
    const candidates = [
      ...base.map((entry) => toCandidate(open(entry.descriptor), entry.gone)),
      ...added.map((descriptor) => toCandidate(open(descriptor), [])),
    ];
    // Where nothing was put or removed, nobody can have replaced anybody.
    const isSame = added.length === 0 && removed.size === 0;
    const changed = isSame ? new Set<Candidate>() : markGone(candidates, removed);
    const segments = candidates.flatMap((candidate, i): ManifestSegment[] => {
      const before = base[i];
      if (before !== undefined && !changed.has(candidate)) return [before];
      return toEntry(candidate, schema);
    });
    publish({ segments, state: state ?? manifest.state });
    for (const { file } of added)
      if (!segments.some(({ descriptor }) => descriptor.file === file)) garbage.add(file);
    added.length = 0;
    removed.clear();
  };

  /** Merges until the policy is content; each merge is a commit of its own. */
  const tidyUp = (tidy: CommitOptions["tidy"]): void => {
    for (;;) {
      const members = plan(base.map(weightOf), tidy);
      if (members.length === 0) return;
      const inputs = members.flatMap((i) => {
        const entry = base[i];
        return entry === undefined ? [] : [toCandidate(open(entry.descriptor), entry.gone)];
      });
      const descriptor = mergeSegments(disk, folder, schema.fields, inputs);
      const merged: ManifestSegment = { descriptor, live: descriptor.totals, gone: [] };
      const rest = base.filter((_, i) => !members.includes(i));
      publish({ segments: [...rest, merged], state: manifest.state });
    }
  };

  return {
    startsEmpty: found.kind === "manifest" ? undefined : found.kind,
    put(session: IndexedSession) {
      removed.delete(session.key);
      builder.put(session);
    },
    remove: (key) => void removed.add(key),
    add,
    clear() {
      base = [];
    },
    commit: async (options): Promise<{ readonly kind: "committed" } | DamagedIndex> =>
      catchDamage(() => {
        commitSessions(options.state);
        tidyUp(options.tidy);
        return { kind: "committed" };
      }),
    async close() {
      try {
        builder.abandon();
        for (const segment of opened.values()) segment.close();
        opened.clear();
        if (!mayBeNamed) for (const { file } of added) removeFile(disk, join(folder, file));
      } finally {
        lock.release();
      }
    },
  };
}

/** Who holds the lock reads the manifest that is: a segment that it names and that is not there is lost. */
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

function toCandidate(segment: Segment, gone: readonly number[]): Candidate {
  const flags = new Uint8Array(segment.totals.sessions);
  for (const session of gone) flags[session] = 1;
  return { segment, gone: flags };
}

/** Of each key the last one stays, unless it is removed. Those of which something went away. */
function markGone(candidates: readonly Candidate[], removed: ReadonlySet<string>): Set<Candidate> {
  const changed = new Set<Candidate>();
  const seen = new Set<string>();
  for (const candidate of candidates.toReversed()) {
    const keys = candidate.segment.keys();
    for (let session = keys.length - 1; session >= 0; session--) {
      if (candidate.gone[session] === 1) continue;
      const key = keys[session] ?? "";
      if (!seen.has(key) && !removed.has(key)) {
        seen.add(key);
        continue;
      }
      candidate.gone[session] = 1;
      changed.add(candidate);
    }
  }
  return changed;
}

/** None where nothing of the segment is left. */
function toEntry({ segment, gone }: Candidate, schema: IndexSchema): ManifestSegment[] {
  const list: number[] = [];
  gone.forEach((flag, session) => {
    if (flag === 1) list.push(session);
  });
  if (list.length === segment.totals.sessions) return [];
  const live = liveTotals({ segment, gone: list.length === 0 ? undefined : gone }, schema.fields);
  return [{ descriptor: segment.descriptor, live, gone: list }];
}

function weightOf({ descriptor, live }: ManifestSegment): SegmentWeight {
  return {
    bytes: descriptor.bytes,
    documents: descriptor.totals.sessions + descriptor.totals.turns,
    living: live.sessions + live.turns,
  };
}

/** Segments that no manifest names: of a writer that was killed. Who holds the lock may remove them. */
function leftOvers(disk: Disk, folder: string, manifest: Manifest): string[] {
  const named = new Set(manifest.segments.map(({ descriptor }) => descriptor.file));
  return disk
    .readdir(folder)
    .filter(({ name }) => SEGMENT_NAME.test(name) && !named.has(name))
    .map(({ name }) => name);
}

/** A file that can't be removed now (a reader has it open, on Windows) is tried again next time. */
function removeFile(disk: Disk, path: string): boolean {
  try {
    disk.unlink(path);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) === "ENOENT";
  }
}
