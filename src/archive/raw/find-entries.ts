import { join } from "node:path";
import { agentNames } from "../../agents/agents.ts";
import type { Disk } from "../../fs/disk.ts";
import { isAbsent } from "../../fs/disk-error.ts";
import type { AgentName } from "../../session/entry.ts";
import type { LogKey } from "../../session/session.ts";
import type { ListedFile, ListedSession, UnlistedSession } from "../archive-store.ts";
import { type CatalogEntry, catalogKey, type FolderTimes, readCatalog } from "./catalog.ts";
import { folderNameOf, foldersOf, generationNumbers, newestManifest, readGeneration } from "./generations.ts";
import { contentState, type Manifest, ownFiles, type StoredFile } from "./manifest.ts";
import { chunksOf } from "./tidy-session.ts";

export interface FoundEntries {
  /** By agent and the name of the session's folder. */
  readonly entries: ReadonlyMap<string, CatalogEntry>;
  readonly unreadable: readonly UnlistedSession[];
  /** Session folders that differ from the catalog: a run may have been killed there. */
  readonly unexpected: readonly string[];
  /** Whether the catalog differs from the folders. */
  readonly isStale: boolean;
}

/** Finds all sessions: from the catalog if it is up to date, otherwise from their manifests. */
export function findEntries(disk: Disk, raw: string): FoundEntries {
  const { catalog, writtenAtMs } = readCatalog(disk, raw);
  const entries = new Map<string, CatalogEntry>();
  const unreadable: UnlistedSession[] = [];
  const unexpected: string[] = [];
  for (const { agent, name } of sessionFolders(disk, raw)) {
    const folder = join(raw, agent, name);
    const key = catalogKey(agent, name);
    const known = catalog.get(key);
    if (known !== undefined && isUpToDate(disk, folder, known, writtenAtMs)) {
      entries.set(key, known);
      continue;
    }
    const found = readEntry(disk, folder, agent, name);
    if (found.kind === "unreadable") unreadable.push({ location: folder, what: found.what });
    if (found.kind === "listed") entries.set(key, withNoteOf(known, found.entry));
    const isExpected =
      found.kind === "listed" && known?.times.every((time, at) => time === found.entry.times[at]) === true;
    if (!isExpected) unexpected.push(folder);
  }
  const isStale = unexpected.length > 0 || entries.size !== catalog.size;
  return { entries, unreadable, unexpected, isStale };
}

/** The folders of sessions below the folders of agents. */
function* sessionFolders(disk: Disk, raw: string): Generator<{ agent: AgentName; name: string }> {
  for (const agent of agentNames()) {
    try {
      for (const { name, kind } of disk.readdir(join(raw, agent))) {
        if (kind === "folder") yield { agent, name };
      }
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
}

type FoundEntry =
  | { readonly kind: "listed"; readonly entry: CatalogEntry }
  | { readonly kind: "unfinished" }
  | { readonly kind: "unreadable"; readonly what: string };

/** Reads the manifests of one session. */
export function readEntry(disk: Disk, folder: string, agent: AgentName, folderName: string): FoundEntry {
  // Taken before reading, so that a write in the meantime makes the entry stale.
  const newest = generationNumbers(disk, folder).at(-1) ?? 0;
  const times = timesOf(disk, folder, newest);
  const found = findListed(disk, folder, { agent, folderName });
  if (found.kind !== "listed") return found;
  const { session } = found;
  // If the newest generation was put aside, an earlier one counts, which no longer changes.
  const counted: FolderTimes =
    session.generation === newest ? times : [times[0], timesOf(disk, folder, session.generation)[1]];
  return { kind: "listed", entry: { session, folderName, times: counted } };
}

/** Notes are only in the catalog. */
export function withNoteOf(known: CatalogEntry | undefined, entry: CatalogEntry): CatalogEntry {
  return { ...entry, session: { ...entry.session, note: known?.session.note ?? null } };
}

/** A new generation changes the time of the session's folder; a new manifest, that of its generation's folder. */
function timesOf(disk: Disk, sessionFolder: string, generation: number): FolderTimes {
  const inside = foldersOf(sessionFolder)(generation);
  return [disk.stat(sessionFolder)?.mtimeMs ?? 0, disk.stat(inside)?.mtimeMs ?? 0];
}

/**
 * Clocks of file systems tick every few milliseconds: a folder that changed right before the catalog may change again
 * without a new time.
 */
const TICK_MS = 20;

function isUpToDate(disk: Disk, folder: string, known: CatalogEntry, writtenAtMs: number): boolean {
  const now = timesOf(disk, folder, known.session.generation);
  return known.times.every((time, at) => time === now[at] && time < writtenAtMs - TICK_MS);
}

/** The result of reading the manifests of a session's folder. */
type FoundManifests =
  | { readonly kind: "listed"; readonly session: ListedSession }
  /** Folders of unfinished generations, without a manifest. */
  | { readonly kind: "unfinished" }
  | { readonly kind: "unreadable"; readonly what: string };

/** Reads the manifests of a session. Its newest generation counts; damaged ones are skipped, and `verify` reports them. */
function findListed(disk: Disk, sessionFolder: string, expected: Expected): FoundManifests {
  const numbers = generationNumbers(disk, sessionFolder);
  const manifests: Manifest[] = [];
  let manifestBytes = 0;
  let what = "";
  for (const number of numbers) {
    const found = readGeneration(disk, sessionFolder, number);
    if (found.kind === "damaged") what = found.what;
    else if (isIn(found.manifest, expected)) {
      manifests.push(found.manifest);
      manifestBytes += found.bytes;
    } else what = "its record is that of another session";
  }
  const newest = newestManifest(manifests);
  if (newest !== undefined) {
    const storedBytes = manifestBytes + chunkBytes(manifests);
    return { kind: "listed", session: toListed(newest, manifests, storedBytes, sessionFolder) };
  }
  return numbers.length === 0 ? { kind: "unfinished" } : { kind: "unreadable", what };
}

/** The folder that a session must be in: a folder that was renamed by hand is not another session. */
interface Expected {
  readonly agent: string;
  readonly folderName: string;
}

function isIn(session: LogKey, { agent, folderName }: Expected): boolean {
  return session.agent === agent && folderNameOf(session) === folderName;
}

/** Generations share chunks; each is counted once. */
function chunkBytes(manifests: readonly Manifest[]): number {
  const stored = new Map<string, number>();
  for (const { generation, sha256, stored: size } of manifests.flatMap(chunksOf))
    stored.set(`${generation}/${sha256}`, size);
  return [...stored.values()].reduce((sum, size) => sum + size, 0);
}

function toListed(
  newest: Manifest,
  manifests: readonly Manifest[],
  storedBytes: number,
  sessionFolder: string,
): ListedSession {
  const { agent, id, copy, generation, markdown, origin } = newest;
  const files = ownFiles(newest);
  return {
    agent,
    id,
    copy,
    generation,
    origin,
    markdown,
    files: files.map(toListedFile),
    aside: manifests.filter(({ isAside }) => isAside).flatMap((each) => each.files.map(toListedFile)),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    storedBytes,
    state: contentState({ generation, files, origin }),
    note: null,
    location: sessionFolder,
  };
}

function toListedFile({ path, role, size, mtimeMs, inode }: StoredFile): ListedFile {
  return { path, role, size, mtimeMs, inode };
}
