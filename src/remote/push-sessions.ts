import { Buffer } from "node:buffer";
import { forgottenFolder, forgottenSessions, openArchive } from "../archive/open-archive.ts";
import type { Progress } from "../archive/progress.ts";
import {
  type Chunk,
  compress,
  hashOf,
  MissingChunk,
  readPackedChunk,
  unpackChunk,
} from "../archive/raw/chunk.ts";
import { foldersOf, generationNumbers, readGeneration } from "../archive/raw/generations.ts";
import { type Manifest, manifestToJson } from "../archive/raw/manifest.ts";
import { chunksOf } from "../archive/raw/tidy-session.ts";
import { readUndone } from "../archive/raw/undone-tombstones.ts";
import type { Problem, UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Library } from "../fs/library.ts";
import { type LogKey, logKey } from "../session/session.ts";
import { inParallel } from "./in-parallel.ts";
import type { MachineName } from "./machine.ts";
import type { MachineManifest, PushedSession, PushedTombstone } from "./machine-manifest.ts";
import { SEAL_BYTES } from "./object-cipher.ts";
import { denied, type ListedObject } from "./object-store.ts";
import type { ManifestPlace, Repository } from "./repository.ts";

export interface PushOptions {
  readonly machine: MachineName;
  readonly recipient: string;
  /** The last manifest of this machine; undefined if there is none. */
  readonly before: MachineManifest | undefined;
  /** The names of all manifests of this machine. */
  readonly places: readonly ManifestPlace[];
  /** Whether the last of them can't be read, so that `before` is an earlier one. */
  readonly isNewestDamaged: boolean;
  readonly dryRun: boolean;
  /** Reads everything that this machine has pushed, and stores damaged objects again. */
  readonly check: boolean;
  readonly onProgress: (done: Progress) => void;
  readonly pause: () => Promise<void>;
}

export interface PushAnswer {
  /** Sessions that are new there, or have changed. */
  readonly sessions: number;
  /** The stored objects, or those that would be stored: chunks and records, encrypted. */
  readonly objects: number;
  readonly bytes: number;
  /** Damaged or missing objects that were stored again. */
  readonly mended: number;
  readonly problems: readonly Problem[];
  /** The manifest of this machine now. */
  readonly manifest: MachineManifest;
  /** The chunks of each record that the archive of this machine has, by their hashes. */
  readonly records: ReadonlyMap<string, readonly string[]>;
}

/** The number of concurrent requests. */
export const REQUESTS = 8;
/**
 * How often the objects of a manifest are checked and completed: another machine may remove garbage at the same time.
 */
const ROUNDS = 3;
/** After so many numbers that the store refuses and does not list, something other than manifests is in their place. */
const MAX_UNLISTED = 3;

/**
 * Pushes the archived sessions of this machine. The order makes it safe: chunks, then the records that name them,
 * then the manifest that names the records. Then all of it is looked up again. Wherever it is interrupted, the next
 * run continues.
 */
export async function pushSessions(
  library: Library,
  repository: Repository,
  options: PushOptions,
): Promise<PushAnswer> {
  const problems: Problem[] = [];
  const own = ownSessions(library, problems);
  let there = await repository.listObjects();
  const jobs = [...jobsOf(repository, own).values()];
  const due = await dueJobs(repository, jobs, there, options);
  const { objects, bytes, failed, ...done } = await store(library, repository, due, options);
  for (const [session, what] of failed) problems.push({ path: session.location, line: 0, what });
  const pushed = own.filter((session) => !failed.has(session));
  const put = options.dryRun ? undefined : await putManifest(library, repository, pushed, options);
  const manifest = put ?? newManifest(library, pushed, options);
  let { mended } = done;
  if (!options.dryRun && (put !== undefined || due.length > 0)) {
    for (let round = 1; ; round++) {
      there = await repository.listObjects();
      const missing = jobs.filter((job) => !there.has(job.name) && isNeeded(job, failed));
      if (missing.length === 0) break;
      if (round === ROUNDS) {
        problems.push(...missing.map((job) => notStored(repository, job)));
        break;
      }
      const again = missing.map((job) => ({ ...job, isDamaged: false }));
      mended += (await store(library, repository, again, options)).objects;
    }
  }
  const known = new Map(options.before?.sessions.map((each) => [logKey(each), JSON.stringify(each)]));
  return {
    sessions: manifest.sessions.filter((each) => known.get(logKey(each)) !== JSON.stringify(each)).length,
    objects,
    bytes,
    mended,
    problems,
    manifest,
    records: new Map(
      own.flatMap(({ generations }) =>
        generations.map((each) => [each.sha256, chunksOf(each.manifest).map(({ sha256 }) => sha256)]),
      ),
    ),
  };
}

function notStored({ store: { place } }: Repository, { name, sources }: Job): Problem {
  return {
    path: sources[0]?.session.location ?? name,
    line: 0,
    what: `${name} can't be stored in ${place}: another file has its name; remove it`,
  };
}

/** A session of this machine, with all its generations. */
interface OwnSession {
  readonly key: LogKey;
  readonly location: string;
  readonly generations: readonly OwnGeneration[];
}

interface OwnGeneration {
  readonly manifest: Manifest;
  readonly record: Buffer;
  readonly sha256: string;
}

/** An object that the repository must have. */
interface Job {
  readonly name: string;
  /** The sessions that need it: copies and forks have chunks in common. */
  readonly sources: Source[];
  readonly content: Content;
}

/** A session that has the content of an object, and where. */
interface Source {
  readonly session: OwnSession;
  readonly content: Content;
}

type Content =
  | { readonly kind: "chunk"; readonly chunk: Chunk }
  | { readonly kind: "record"; readonly generation: OwnGeneration };

interface Stored {
  readonly objects: number;
  readonly bytes: number;
  readonly mended: number;
  /** Sessions whose bytes could not be read, and the reasons. */
  readonly failed: ReadonlyMap<OwnSession, string>;
}

/** The archived sessions of this machine. Damaged generations are left out, and reported. */
function ownSessions(library: Library, problems: Problem[]): readonly OwnSession[] {
  const { disk } = library;
  const forgotten = forgottenSessions(library);
  const { sessions } = openArchive(library).list();
  return sessions.flatMap(({ agent, id, copy, location, origin }): OwnSession[] => {
    const key = { agent, id, copy };
    if (origin !== null || forgotten.has(key)) return [];
    const generations = generationNumbers(disk, location).flatMap((number): OwnGeneration[] => {
      const found = readGeneration(disk, location, number, key);
      if (found.kind === "good") return [ownGeneration(found.manifest)];
      problems.push({ path: location, line: 0, what: `generation ${number}: ${found.what}` });
      return [];
    });
    return generations.length === 0 ? [] : [{ key, location, generations }];
  });
}

function ownGeneration(manifest: Manifest): OwnGeneration {
  // The name of the readable copy matters only on this machine.
  const record = Buffer.from(JSON.stringify(manifestToJson({ ...manifest, markdown: null })));
  return { manifest, record, sha256: hashOf(record) };
}

/** All objects that the repository must have for these sessions, by name: chunks first. */
function jobsOf(repository: Repository, sessions: readonly OwnSession[]): ReadonlyMap<string, Job> {
  const jobs = new Map<string, Job>();
  const add = (sha256: string, session: OwnSession, content: Content): void => {
    const name = repository.objectName(sha256);
    const job = jobs.get(name);
    if (job === undefined) jobs.set(name, { name, sources: [{ session, content }], content });
    else job.sources.push({ session, content });
  };
  for (const session of sessions) {
    for (const { manifest } of session.generations)
      for (const chunk of chunksOf(manifest)) add(chunk.sha256, session, { kind: "chunk", chunk });
  }
  for (const session of sessions) {
    for (const generation of session.generations)
      add(generation.sha256, session, { kind: "record", generation });
  }
  return jobs;
}

interface DueJob extends Job {
  /** An object of that name exists, but is damaged. */
  readonly isDamaged: boolean;
}

/** Objects that are missing or half written; with `check`, also those with wrong bytes. */
async function dueJobs(
  repository: Repository,
  jobs: readonly Job[],
  there: ReadonlyMap<string, ListedObject>,
  { check, pause }: PushOptions,
): Promise<readonly DueJob[]> {
  const suspects = jobs.filter(({ name, content }) => {
    const found = there.get(name);
    return found !== undefined && (check || found.bytes !== SEAL_BYTES + packedBytes(content));
  });
  const damaged = new Set<string>();
  await inParallel(suspects, REQUESTS, async (job) => {
    await pause();
    try {
      // The same content may have been compressed differently, by another runtime.
      if (job.content.kind === "record") await repository.getRecord(job.content.generation.sha256);
      else unpackChunk(await repository.getPacked(job.content.chunk.sha256), job.content.chunk);
    } catch (error) {
      if (!(error instanceof ArchiveDamage)) throw error;
      damaged.add(job.name);
    }
  });
  return jobs
    .filter(({ name }) => !there.has(name) || damaged.has(name))
    .map((job) => ({ ...job, isDamaged: damaged.has(job.name) }));
}

function packedBytes(content: Content): number {
  return content.kind === "chunk" ? content.chunk.stored : compress(content.generation.record).length;
}

/** Stores objects: all chunks before the first record. */
async function store(
  library: Library,
  repository: Repository,
  due: readonly DueJob[],
  { dryRun, onProgress, pause }: PushOptions,
): Promise<Stored> {
  const failed = new Map<OwnSession, string>();
  const sizes = due.map(({ content }) => packedBytes(content) + SEAL_BYTES);
  const bytesTotal = sizes.reduce((sum, size) => sum + size, 0);
  const progress = { files: 0, filesTotal: due.length, bytes: 0, bytesTotal };
  if (dryRun) {
    const mended = due.filter(({ isDamaged }) => isDamaged).length;
    return { objects: due.length - mended, bytes: bytesTotal, mended, failed };
  }
  let objects = 0;
  let bytes = 0;
  let mended = 0;
  const put = async (job: DueJob): Promise<void> => {
    await pause();
    const packed = isNeeded(job, failed) ? readAny(job) : undefined;
    if (packed === undefined) return;
    if (job.isDamaged) await repository.store.delete(job.name);
    await repository.putPacked(sha256Of(job.content), packed);
    if (job.isDamaged) mended++;
    else objects++;
    bytes += packed.length + SEAL_BYTES;
    progress.files++;
    progress.bytes += packed.length + SEAL_BYTES;
    onProgress({ ...progress });
  };
  /** Reads the content from any session that has it. If none has, those that need it are not pushed. */
  const readAny = ({ sources }: DueJob): Buffer | undefined => {
    const damages: (readonly [OwnSession, ArchiveDamage])[] = [];
    for (const source of sources) {
      try {
        return readOwn(library, source);
      } catch (error) {
        if (!(error instanceof ArchiveDamage)) throw error;
        damages.push([source.session, error]);
      }
    }
    for (const [session, error] of damages) {
      // It grew while this was running: the next run has it.
      const hasGrown = error instanceof MissingChunk && hasChanged(library, session);
      failed.set(session, hasGrown ? "it changed meanwhile, and is left to the next run" : error.what);
    }
    return undefined;
  };
  await inParallel(
    due.filter(({ content }) => content.kind === "chunk"),
    REQUESTS,
    put,
  );
  await inParallel(
    due.filter(({ content }) => content.kind === "record"),
    REQUESTS,
    put,
  );
  return { objects, bytes, mended, failed };
}

/** Whether any session that is pushed has this object. */
function isNeeded({ sources }: Job, failed: ReadonlyMap<OwnSession, string>): boolean {
  return sources.some(({ session }) => !failed.has(session));
}

function readOwn({ disk }: Library, { session, content }: Source): Buffer {
  if (content.kind === "record") return compress(content.generation.record);
  return readPackedChunk(disk, foldersOf(session.location)(content.chunk.generation), content.chunk);
}

function sha256Of(content: Content): string {
  return content.kind === "record" ? content.generation.sha256 : content.chunk.sha256;
}

/** Whether the archive now has other generations of a session. */
function hasChanged({ disk }: Library, { key, location, generations }: OwnSession): boolean {
  return generations.some(({ manifest, sha256 }) => {
    const found = readGeneration(disk, location, manifest.generation, key);
    return found.kind === "good" && ownGeneration(found.manifest).sha256 !== sha256;
  });
}

function entryOf({ key, generations }: OwnSession): PushedSession {
  return {
    ...key,
    generations: generations.map(({ manifest, sha256 }) => ({
      generation: manifest.generation,
      record: sha256,
    })),
  };
}

/**
 * The manifest of this machine with these sessions. Sessions that were pushed before stay, even if this store no
 * longer has them, unless they were forgotten.
 */
function newManifest(
  library: Library,
  sessions: readonly OwnSession[],
  options: PushOptions,
): MachineManifest {
  const { machine, recipient, before } = options;
  const forgotten = forgottenSessions(library);
  const entries = new Map(
    (before?.sessions ?? []).filter((each) => !forgotten.has(each)).map((each) => [logKey(each), each]),
  );
  for (const session of sessions) {
    const key = logKey(session.key);
    entries.set(key, withEarlier(entryOf(session), entries.get(key)));
  }
  const stones = forgotten.stones.flatMap((stone): PushedTombstone[] => {
    if (stone.by !== null || stone.phase === "undoing") return [];
    const { agent, id, at } = stone;
    const place = stone.origin ?? { machine: machine.id, copy: stone.copy };
    return [{ agent, id, copy: place.copy, machine: place.machine, at }];
  });
  return {
    machine,
    home: library.environment.home,
    recipient,
    sessions: [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry),
    forgotten: stones,
    undone: readUndone(library.disk, forgottenFolder(library)).flatMap(({ agent, id, copy, until }) =>
      until === null ? [] : [{ agent, id, copy, until }],
    ),
  };
}

/** Keeps generations that were pushed before and that the archive here can no longer read. */
function withEarlier(session: PushedSession, before: PushedSession | undefined): PushedSession {
  const here = new Set(session.generations.map(({ generation }) => generation));
  const lost = (before?.generations ?? []).filter(({ generation }) => !here.has(generation));
  const generations = [...session.generations, ...lost].sort((a, b) => a.generation - b.generation);
  return { ...session, generations };
}

/**
 * Stores the manifest under the next number, if it differs from the last one or that is damaged. Returns it; undefined
 * if it was not stored.
 */
async function putManifest(
  library: Library,
  repository: Repository,
  sessions: readonly OwnSession[],
  options: PushOptions,
): Promise<MachineManifest | undefined> {
  const { before, isNewestDamaged, machine, pause, places } = options;
  let manifest = newManifest(library, sessions, options);
  if (isSame(before, manifest) && !isNewestDamaged) return undefined;
  let number = places.reduce((highest, place) => Math.max(highest, place.number), 0) + 1;
  let unlisted = 0;
  while (!(await repository.putManifest(number, manifest))) {
    await pause();
    const listed = await repository.listManifests();
    const place = listed.find((each) => each.machine === machine.id && each.number === number);
    // Something else has its name, or another process is storing it at this moment.
    if (place === undefined && ++unlisted === MAX_UNLISTED) throw notAccepted(repository, machine.id);
    // Taken by a clone of this machine, whose sessions must not be lost; or it was stored, and the answer was lost.
    const taken = place && (await readableManifest(repository, place));
    if (isSame(taken, manifest)) break;
    manifest = newManifest(library, sessions, { ...options, before: taken ?? before });
    number++;
  }
  return manifest;
}

/** The error if the store refuses numbers that it does not list: trying further ones would never end. */
function notAccepted({ store: { place } }: Repository, machine: string): UserError {
  return denied(
    place,
    `no manifest can be stored in manifests/${machine}`,
    "remove what is in its place there, such as a link, and run this again",
  );
}

/** undefined if it can't be read. */
async function readableManifest(
  repository: Repository,
  place: ManifestPlace,
): Promise<MachineManifest | undefined> {
  try {
    return await repository.getManifest(place);
  } catch (error) {
    if (error instanceof ArchiveDamage) return undefined;
    throw error;
  }
}

function isSame(one: MachineManifest | undefined, other: MachineManifest): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}
