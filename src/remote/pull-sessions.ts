import { join } from "node:path";
import type { MachineOrigin } from "../archive/archive-store.ts";
import { keepSession, type MarkdownWriter } from "../archive/keep-session.ts";
import { forgottenSessions, openArchive } from "../archive/open-archive.ts";
import type { Progress } from "../archive/progress.ts";
import { type Chunk, MAX_STORED, unpackChunk } from "../archive/raw/chunk.ts";
import { type Manifest, manifestFromJson } from "../archive/raw/manifest.ts";
import {
  hasMirroredChunk,
  mirroredGenerations,
  mirrorKey,
  mirrorSession,
} from "../archive/raw/mirror-session.ts";
import { chunksOf } from "../archive/raw/tidy-session.ts";
import type { Problem } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { isAbsent } from "../fs/disk-error.ts";
import { makeFolders, removeTree } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { type Locking, withStore } from "../fs/store.ts";
import { type LogKey, logKey } from "../session/session.ts";
import { inParallel } from "./in-parallel.ts";
import type { MachineManifest, PushedSession } from "./machine-manifest.ts";
import { REQUESTS } from "./push-sessions.ts";
import type { Repository } from "./repository.ts";

export interface PullOptions {
  /** The manifests of the other machines. */
  readonly machines: readonly MachineManifest[];
  /** Whether a session of a machine was forgotten anywhere. */
  readonly isForgotten: (machine: string, session: LogKey) => boolean;
  readonly markdown: MarkdownWriter;
  readonly locking: Locking;
  readonly dryRun: boolean;
  /** Reads everything that was pulled, and fetches damaged parts again. */
  readonly check: boolean;
  readonly onProgress: (done: Progress) => void;
  readonly pause: () => Promise<void>;
}

export interface PullAnswer {
  /** Sessions that are new here, or have changed. */
  readonly sessions: number;
  readonly objects: number;
  readonly bytes: number;
  readonly problems: readonly Problem[];
}

/** A session whose state here differs from its machine's. */
interface DueSession {
  readonly key: LogKey;
  readonly machine: MachineManifest;
  readonly session: PushedSession;
  /** Those of its generations that are new or have changed. */
  readonly generations: PushedSession["generations"];
  readonly markdown: string | null;
}

/** A log that claims to be larger, by repeating a few chunks, is an attack on this machine. */
const MAX_SESSION_BYTES: number = 8 * 1024 ** 3;
/** Permission bits: no others are accepted from another machine. */
const PERMISSIONS = 0o777;

/** The store is released after writing this many bytes. */
const BATCH_BYTES = 16 * 1024 * 1024;
const BATCH_SESSIONS = 50;

/**
 * Pulls sessions that other machines have pushed. Chunks are fetched and verified first, into a separate folder,
 * without holding the store; then complete sessions are put into the archive. Chunks fetched before an interruption
 * are not fetched again.
 */
export async function pullSessions(
  library: Library,
  repository: Repository,
  options: PullOptions,
): Promise<PullAnswer> {
  const problems: Problem[] = [];
  const due = dueSessions(library, options);
  const staging = join(library.places.home, "incoming");
  const progress = { files: 0, filesTotal: due.length, bytes: 0, bytesTotal: 0 };
  let objects = 0;
  let bytes = 0;
  let sessions = 0;
  let batch: Manifest[][] = [];
  let batchBytes = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) problems.push(...(await takeOver(library, staging, batch, options)));
    sessions += batch.length;
    batch = [];
    batchBytes = 0;
  };
  for (const each of due) {
    await options.pause();
    progress.files++;
    try {
      const manifests = await fetchRecords(repository, each);
      objects += manifests.length;
      const fetched = await fetchChunks(library, repository, staging, manifests, options);
      objects += fetched.objects;
      bytes += fetched.bytes;
      progress.bytes += fetched.bytes;
      progress.bytesTotal = Math.max(progress.bytes, progress.bytesTotal);
      options.onProgress({ ...progress });
      batch.push(fetched.manifests);
      batchBytes += fetched.bytes;
    } catch (error) {
      if (!(error instanceof ArchiveDamage)) throw error;
      problems.push({ path: `${each.machine.machine.name}:${each.session.id}`, line: 0, what: error.what });
    }
    if (!options.dryRun && (batchBytes >= BATCH_BYTES || batch.length >= BATCH_SESSIONS)) await flush();
  }
  if (options.dryRun) return { sessions: batch.length, objects, bytes, problems };
  await flush();
  const left = withoutCopy(library);
  if (left.length > 0) {
    const { locking } = options;
    problems.push(...(await withStore(library, locking, () => writeCopies(library, left, options))));
  }
  removeTree(library.disk, staging);
  return { sessions, objects, bytes, problems };
}

/** Compares the sessions of the other machines with those that are here. */
function dueSessions(library: Library, { machines, isForgotten, check }: PullOptions): readonly DueSession[] {
  const { disk, places } = library;
  const tombstones = forgottenSessions(library);
  return machines.flatMap((machine) =>
    machine.sessions.flatMap((session): DueSession[] => {
      const key = mirrorKey(session, machine.machine.id, session.copy);
      if (tombstones.has(key) || isForgotten(machine.machine.id, session)) return [];
      const here = mirroredGenerations(disk, places.raw, key);
      const isHere = ({ generation, record }: PushedSession["generations"][number]): boolean => {
        const manifest = here.get(generation);
        const origin = manifest?.origin;
        return (
          (!check || (manifest !== undefined && isWhole(library, manifest))) &&
          origin?.record === record &&
          origin.name === machine.machine.name &&
          origin.home === machine.home
        );
      };
      const generations = session.generations.filter((generation) => !isHere(generation));
      const markdown = [...here.values()].find((manifest) => manifest.markdown !== null)?.markdown ?? null;
      return generations.length === 0 ? [] : [{ key, machine, session, generations, markdown }];
    }),
  );
}

function isWhole({ disk, places }: Library, manifest: Manifest): boolean {
  return chunksOf(manifest).every((chunk) => hasMirroredChunk(disk, places.raw, manifest, chunk));
}

/** Fetches the records of a session, as manifests of this store. Throws `ArchiveDamage`. */
async function fetchRecords(
  repository: Repository,
  { key, machine, session, generations, markdown }: DueSession,
): Promise<readonly Manifest[]> {
  return inParallel(generations, REQUESTS, async ({ generation, record }) => {
    const found = manifestFromJson(await repository.getRecord(record));
    if (logKey(found) !== logKey(session) || found.generation !== generation || found.origin !== null) {
      throw new ArchiveDamage("its record is that of another session or generation");
    }
    const bytes = [...found.files, ...found.earlier].reduce((sum, { size }) => sum + size, 0);
    if (bytes > MAX_SESSION_BYTES) throw new ArchiveDamage("it claims to be larger than any session is");
    const origin: MachineOrigin = {
      machine: machine.machine.id,
      name: machine.machine.name,
      home: machine.home,
      copy: session.copy,
      record,
    };
    const files = found.files.map((file) => ({ ...file, mode: file.mode & PERMISSIONS }));
    return { ...found, ...key, files, markdown, origin };
  });
}

interface Fetched {
  /** With the sizes of the chunk files that are here. */
  readonly manifests: Manifest[];
  readonly objects: number;
  readonly bytes: number;
}

/** Fetches missing chunks, each verified by its hash. Throws `ArchiveDamage`. */
async function fetchChunks(
  library: Library,
  repository: Repository,
  staging: string,
  manifests: readonly Manifest[],
  { dryRun, pause }: PullOptions,
): Promise<Fetched> {
  const { disk, places } = library;
  const sizes = new Map<string, number>();
  const missing = new Map<string, Chunk>();
  for (const manifest of manifests) {
    for (const chunk of chunksOf(manifest))
      if (!hasMirroredChunk(disk, places.raw, manifest, chunk)) missing.set(chunk.sha256, chunk);
  }
  if (dryRun) {
    const bytes = [...missing.values()].reduce((sum, { stored }) => sum + stored, 0);
    return { manifests: [...manifests], objects: missing.size, bytes };
  }
  makeFolders(disk, staging);
  let bytes = 0;
  let objects = 0;
  await inParallel([...missing.values()], REQUESTS, async (chunk) => {
    await pause();
    const path = stagedPath(staging, chunk);
    const known = readStaged(library, path, chunk);
    if (known !== undefined) {
      sizes.set(chunk.sha256, known);
      return;
    }
    const packed = await repository.getPacked(chunk.sha256);
    unpackChunk(packed, chunk);
    replaceFile(disk, path, packed);
    sizes.set(chunk.sha256, packed.length);
    objects++;
    bytes += packed.length;
  });
  const sized = <T extends { readonly chunks: readonly Chunk[] }>(file: T): T => ({
    ...file,
    chunks: file.chunks.map((chunk) => ({ ...chunk, stored: sizes.get(chunk.sha256) ?? chunk.stored })),
  });
  const here = manifests.map((manifest) => ({
    ...manifest,
    files: manifest.files.map(sized),
    earlier: manifest.earlier.map(sized),
  }));
  return { manifests: here, objects, bytes };
}

function stagedPath(staging: string, { sha256 }: Chunk): string {
  return join(staging, `${sha256}.br`);
}

/** The size of a chunk that an interrupted run fetched; undefined if there is none, or it is damaged. */
function readStaged({ disk }: Library, path: string, chunk: Chunk): number | undefined {
  try {
    const packed = disk.readHead(path, MAX_STORED + 1);
    unpackChunk(packed, chunk);
    return packed.length;
  } catch (error) {
    if (isAbsent(error) || error instanceof ArchiveDamage) return undefined;
    throw error;
  }
}

/** Puts complete sessions into the archive, and writes their readable copies. */
async function takeOver(
  library: Library,
  staging: string,
  sessions: readonly (readonly Manifest[])[],
  options: PullOptions,
): Promise<readonly Problem[]> {
  const { disk, places } = library;
  return withStore(library, options.locking, () => {
    // Some may have been forgotten here since they were fetched.
    const tombstones = forgottenSessions(library);
    const kept = sessions.filter(([first]) => first !== undefined && !tombstones.has(first));
    for (const manifests of kept)
      mirrorSession(disk, places.raw, manifests, (chunk) => stagedPath(staging, chunk));
    return writeCopies(
      library,
      kept.flatMap(([first]) => first ?? []),
      options,
    );
  });
}

/** Writes the readable copies of sessions that were pulled. Requires the store's lock. */
async function writeCopies(
  library: Library,
  sessions: readonly LogKey[],
  { markdown, pause }: PullOptions,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const archive = openArchive(library);
  const names = new Set(archive.list().sessions.flatMap((each) => each.markdown?.toLowerCase() ?? []));
  for (const { agent, id, copy } of sessions) {
    await pause();
    const isTaken = (name: string): boolean => names.has(name.toLowerCase());
    const kept = keepSession(library, archive, { agent, id, copy, files: [] }, { markdown, isTaken });
    const { session } = kept.outcome;
    if (session?.markdown) names.add(session.markdown.toLowerCase());
    problems.push(...kept.problems);
  }
  archive.close();
  return problems;
}

/** Sessions that a killed run put into the archive without a readable copy. Fragments have none. */
function withoutCopy(library: Library): readonly LogKey[] {
  const { sessions } = openArchive(library).list();
  return sessions.filter(
    ({ origin, markdown, files }) => origin !== null && markdown === null && files[0]?.role === "main",
  );
}
