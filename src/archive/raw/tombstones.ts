import { basename, dirname, join } from "node:path";
import { agentNames, isAgent } from "../../agents/agents.ts";
import { ArchiveDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { errorCode } from "../../fs/disk-error.ts";
import { entriesIn, type FolderMark, makeFolders, markOfPaths, removeTree } from "../../fs/folders.ts";
import { removeQuietly } from "../../fs/lock.ts";
import { isTempName, replaceFile } from "../../fs/replace-file.ts";
import type { LogKey, SessionName } from "../../session/session.ts";
import { copiesNamed, folderNameOf } from "./generations.ts";
import { invalidRecord, readFields, sealJson, unsealJson } from "./sealed-json.ts";

/*
 *   forgotten/<agent>/<session>/tombstone.json    says that it is forgotten, and since when
 *   forgotten/<agent>/<session>/…                 its data, until it is purged
 */

/** The state of a tombstone. If a killed run left it at `forgetting` or `undoing`, the next run completes it. */
export type ForgetPhase = "forgetting" | "forgotten" | "undoing" | "purged";

export interface Tombstone extends LogKey {
  /** Where the log was, and its inode; null if there was none, or if version 1 of the store wrote this. */
  readonly path: string | null;
  readonly inode: number | null;
  /** When it was forgotten, in milliseconds since 1970. */
  readonly at: number;
  readonly phase: ForgetPhase;
  /** Set if it is a session of another machine: the machine, and `copy` of the session there. */
  readonly origin: TombstoneOrigin | null;
  /** The id of the machine on which it was forgotten; null: this one. */
  readonly by: string | null;
  /** The repository with that tombstone: only there can the machine say that it brought the session back. */
  readonly via: string | null;
}

export interface TombstoneOrigin {
  readonly machine: string;
  readonly copy: string | null;
}

const FILE_NAME = "tombstone.json";
const MAX_BYTES = 1024 * 1024;

/** The folder with the data of a forgotten session. */
export function trashFolder(forgotten: string, session: LogKey): string {
  return join(forgotten, session.agent, folderNameOf(session));
}

/** A tombstone that can't be read still counts: a flipped bit must not bring a forgotten session back. */
export interface Tombstones {
  readonly stones: readonly Tombstone[];
  has(log: LogKey): boolean;
  /** Whether any log with this id was forgotten, whichever agent it belongs to. */
  hasSession(session: Pick<SessionName, "id">): boolean;
}

export function readTombstones(disk: Disk, forgotten: string): Tombstones {
  const stones: Tombstone[] = [];
  const folders = new Set<string>();
  /** Tombstones without a file cover every log with their id. */
  const wholeSessions = new Set<string>();
  for (const agent of agentNames()) {
    for (const { name } of entriesIn(disk, join(forgotten, agent))) {
      const folder = join(forgotten, agent, name);
      const found = readTombstone(disk, folder);
      if (found === undefined) continue;
      folders.add(folder);
      if (found !== "damaged") stones.push(found);
      if (found === "damaged" || found.path === null) wholeSessions.add(folder);
    }
  }
  const namesOf = (agent: string): readonly string[] =>
    [...folders].flatMap((folder) => (basename(dirname(folder)) === agent ? [basename(folder)] : []));
  const isWhole = ({ agent, id }: SessionName): boolean =>
    wholeSessions.has(trashFolder(forgotten, { agent, id, copy: null }));
  return {
    stones,
    has: (log) => folders.size > 0 && (folders.has(trashFolder(forgotten, log)) || isWhole(log)),
    hasSession: ({ id }) =>
      folders.size > 0 && agentNames().some((agent) => copiesNamed({ agent, id }, namesOf(agent)).length > 0),
  };
}

/** Returns a value that changes when a tombstone is set, changed or removed. */
export function tombstonesMark(disk: Disk, forgotten: string): FolderMark {
  const agents = agentNames().map((agent) => join(forgotten, agent));
  // Every search calls this, and most people forget nothing: one check here is cheaper than an error per folder.
  const isEmpty = disk.stat(forgotten) === undefined;
  const folders = isEmpty
    ? []
    : agents.flatMap((folder) => entriesIn(disk, folder).map(({ name }) => join(folder, name)));
  return markOfPaths(disk, [...agents, ...folders]);
}

/** Durable when it returns. */
export function writeTombstone(disk: Disk, forgotten: string, stone: Tombstone): void {
  const folder = trashFolder(forgotten, stone);
  makeFolders(disk, folder);
  const { agent, id, copy, path, inode, at, phase, origin, by, via } = stone;
  const json = {
    version: 1,
    agent,
    id,
    ...(copy === null ? {} : { copy }),
    path,
    inode,
    at,
    phase,
    ...(origin === null ? {} : { origin }),
    ...(by === null ? {} : { by }),
    ...(via === null ? {} : { via }),
  };
  replaceFile(disk, join(folder, FILE_NAME), sealJson(json));
}

export function removeTombstone(disk: Disk, forgotten: string, session: LogKey): void {
  const folder = trashFolder(forgotten, session);
  removeQuietly(disk, join(folder, FILE_NAME));
  disk.fsyncFolder(folder);
  removeIfEmpty(disk, folder);
}

/** Removes everything of a forgotten session except its tombstone. */
export function emptyTrash(disk: Disk, forgotten: string, session: LogKey): void {
  const folder = trashFolder(forgotten, session);
  for (const { name } of entriesIn(disk, folder))
    if (name !== FILE_NAME) removeTree(disk, join(folder, name));
}

/**
 * Removes leftovers of killed runs: half-written tombstones, and folders without one. Nobody else writes here while
 * the store's lock is held.
 */
export function sweepTrash(disk: Disk, forgotten: string): void {
  for (const agent of agentNames()) {
    for (const { name, kind } of entriesIn(disk, join(forgotten, agent))) {
      if (kind !== "folder") continue;
      const folder = join(forgotten, agent, name);
      for (const entry of entriesIn(disk, folder)) {
        if (isTempName(entry.name)) removeQuietly(disk, join(folder, entry.name));
      }
      if (readTombstone(disk, folder) === undefined) removeIfEmpty(disk, folder);
    }
  }
}

/** Removes a folder if it is empty; one with unknown files stays. */
function removeIfEmpty(disk: Disk, folder: string): void {
  if (entriesIn(disk, folder).every(({ name }) => isTempName(name))) removeTree(disk, folder);
}

/** undefined if there is none. */
function readTombstone(disk: Disk, folder: string): Tombstone | "damaged" | undefined {
  try {
    const bytes = disk.readFile(join(folder, FILE_NAME), MAX_BYTES);
    if (bytes === undefined) return undefined;
    const read = readFields(unsealJson(bytes));
    const name = read.text("agent");
    const agent = isAgent(name) ? name : invalidRecord("agent");
    const id = read.text("id");
    // It must name the session of this folder, because data is moved by that name.
    const copy = read.has("copy") ? read.text("copy") : null;
    if (basename(folder) !== folderNameOf({ agent, id, copy })) return "damaged";
    if (basename(dirname(folder)) !== agent) return "damaged";
    return {
      agent,
      id,
      copy,
      path: read.has("path") ? read.textOrNull("path") : null,
      inode: read.has("inode") ? read.numberOrNull("inode") : null,
      at: read.number("at"),
      phase: asPhase(read.text("phase")),
      origin: read.has("origin") ? originOf(read.record("origin")) : null,
      by: read.has("by") ? read.textOrNull("by") : null,
      via: read.has("via") ? read.textOrNull("via") : null,
    };
  } catch (error) {
    if (error instanceof ArchiveDamage || errorCode(error) !== undefined) return "damaged";
    throw error;
  }
}

function originOf(value: unknown): TombstoneOrigin {
  const read = readFields(value);
  return { machine: read.text("machine"), copy: read.textOrNull("copy") };
}

function asPhase(word: string): ForgetPhase {
  switch (word) {
    case "forgetting":
    case "forgotten":
    case "undoing":
    case "purged":
      return word;
    default:
      return invalidRecord("phase");
  }
}
