import { dirname, join } from "node:path";
import type { SessionFile } from "./agents/agent.ts";
import { forgetCheckpoints } from "./agents/checkpoints/checkpoint-folder.ts";
import { takeSnapshot } from "./agents/log-snapshot.ts";
import { markdownPath } from "./archive/archived-sessions.ts";
import { notesPath } from "./archive/compaction-notes.ts";
import type { MarkdownWriter } from "./archive/keep-session.ts";
import { identifyAgain } from "./archive/log-identity.ts";
import { forgottenFolder, forgottenSessions, openArchive } from "./archive/open-archive.ts";
import { sessionFolder } from "./archive/raw/generations.ts";
import { splitRecords } from "./archive/raw/split-records.ts";
import {
  emptyTrash,
  removeTombstone,
  sweepTrash,
  type Tombstone,
  trashFolder,
  writeTombstone,
} from "./archive/raw/tombstones.ts";
import { noteUndone } from "./archive/raw/undone-tombstones.ts";
import { removeImports } from "./archive/restore-imports.ts";
import { exitCodes, UserError } from "./errors.ts";
import { errorCode } from "./fs/disk-error.ts";
import { moveEntry } from "./fs/folders.ts";
import type { Library } from "./fs/library.ts";
import { insideOf } from "./fs/places.ts";
import { type Locking, withStore } from "./fs/store.ts";
import { type LogKey, logKey } from "./session/session.ts";
import { giveOwnSidecar } from "./shrink/own-sidecar.ts";
import { recoverShrinking } from "./shrink/recover.ts";
import { dependentLogs } from "./shrink/relatives.ts";
import { damagedPath, pendingPath, sidecarPath } from "./shrink/sidecar.ts";

/**
 * How one kind of stored data of a session is forgotten and brought back. It may be called again for the same session
 * after a run was killed, and then completes it.
 */
interface Remover {
  /** Moves what an undo needs into `trash`, the session's own folder of forgotten data. */
  forget(session: LogKey, trash: string): void;
  undo(session: LogKey, trash: string): void;
}

export interface ForgetOptions {
  readonly locking: Locking;
  /** For the readable copies of logs that are archived on the way. */
  readonly markdown?: MarkdownWriter;
  /** The id of another machine on which it was forgotten, and the repository with its tombstone. */
  readonly by?: { readonly machine: string; readonly via: string };
  /** For an undo: set if the machine that forgot it brought it back, so that its tombstone is gone. */
  readonly isUndoneThere?: boolean;
}

/** How long forgetting can be undone. */
export const UNDO_DAYS = 7;
const UNDO_MS = UNDO_DAYS * 24 * 60 * 60 * 1000;

export interface Forgotten extends LogKey {
  /** False if it was already forgotten. */
  readonly isNew: boolean;
  /** When it can no longer be undone. */
  readonly undoUntil: number;
}

/**
 * Forgets a session: writes the tombstone first, so that the session is gone for every reader at once and does not come
 * back from its log; then moves all stored data into its trash. The agent's own file is not touched.
 */
export function forgetSession(
  library: Library,
  target: ForgetTarget,
  options: ForgetOptions,
): Promise<Forgotten> {
  return withStore(library, options.locking, () => {
    finishForgetting(library);
    const log =
      target.files === undefined ? target : identifyAgain(library, { ...target, files: target.files });
    const key = nameOf(log);
    const before = stoneOf(library, key);
    if (before !== undefined) return { ...key, isNew: false, undoUntil: before.at + UNDO_MS };
    refuseShared(library, key);
    const kept = openArchive(library).get(key);
    const file = target.files?.[0] ?? kept?.files[0];
    const place = { path: file?.path ?? null, inode: file?.inode ?? null };
    const stone: Tombstone = {
      ...key,
      ...place,
      at: library.now(),
      phase: "forgetting",
      origin: kept?.origin ? { machine: kept.origin.machine, copy: kept.origin.copy } : null,
      by: options.by?.machine ?? null,
      via: options.by?.via ?? null,
    };
    writeTombstone(library.disk, forgottenFolder(library), stone);
    takeAway(library, stone);
    return { ...key, isNew: true, undoUntil: stone.at + UNDO_MS };
  });
}

/** The log to forget, with its files if it has any. */
export interface ForgetTarget extends LogKey {
  readonly files?: readonly SessionFile[];
}

/**
 * Refuses to forget a log whose bytes are also in the record of another one: version 1 of the store kept logs with
 * one id together, so they would stay.
 */
function refuseShared(library: Library, key: LogKey): void {
  if (key.copy === null) return;
  const archive = openArchive(library);
  const path = archive.get(key)?.files[0]?.path;
  const first = { ...key, copy: null };
  const newest = archive.get(first);
  const isShared = newest?.generations.some((generation) =>
    archive.get(first, generation)?.others.some((file) => file.path === path),
  );
  if (isShared !== true) return;
  throw new UserError(
    `Cannot forget this copy of session ${key.id} alone: an earlier version archived it together with ${JSON.stringify(newest?.files[0]?.path)}`,
    { exitCode: exitCodes.refused, hint: "forget that one first, or both with --all-copies" },
  );
}

export interface Remembered extends LogKey {
  /** False if its data was already purged: only the tombstone could be removed. */
  readonly broughtBack: boolean;
}

/** Brings back a forgotten session. */
export function undoForget(library: Library, session: LogKey, options: ForgetOptions): Promise<Remembered> {
  // Before the lock is taken: taking it completes an undo that was killed.
  const before = stoneOf(library, session);
  return withStore(library, options.locking, () => {
    finishForgetting(library);
    const stone = stoneOf(library, session);
    // A run that was killed in the middle of this very undoing has just been completed.
    if (stone === undefined && before?.phase === "undoing") return { ...nameOf(before), broughtBack: true };
    if (stone === undefined) {
      throw new UserError(`Cannot undo: session ${session.id} was not forgotten`, {
        exitCode: exitCodes.nothingFound,
      });
    }
    // The tombstone of the other machine must not remove it again.
    if (stone.by !== null && options.isUndoneThere !== true)
      noteUndone(library.disk, forgottenFolder(library), stone);
    if (stone.phase === "purged") {
      removeTombstone(library.disk, forgottenFolder(library), stone);
      return { ...nameOf(stone), broughtBack: false };
    }
    const undoing: Tombstone = { ...stone, phase: "undoing" };
    writeTombstone(library.disk, forgottenFolder(library), undoing);
    bringBack(library, undoing);
    // It may have been forgotten before the store was migrated, with several logs in its record.
    splitRecords.run(library.disk, library.places);
    return { ...nameOf(stone), broughtBack: true };
  });
}

/** Everything that the holder of the store's lock needs to complete killed runs. */
export const storeUpkeep: Pick<Locking, "recover" | "migrations"> = {
  recover: recoverStore,
  migrations: [splitRecords],
};

/** Completes whatever a killed process began in the store. Called when the store's lock is taken. */
function recoverStore(library: Library): void {
  finishForgetting(library);
  recoverShrinking(library);
}

/**
 * Completes what a killed run left, and purges what was forgotten a week ago. To be called with
 * the store's lock held.
 */
export function finishForgetting(library: Library): void {
  const folder = forgottenFolder(library);
  for (const stone of forgottenSessions(library).stones) {
    if (stone.phase === "forgetting") takeAway(library, stone);
    else if (stone.phase === "undoing") bringBack(library, stone);
    else if (stone.phase === "forgotten" && library.now() - stone.at > UNDO_MS) {
      emptyTrash(library.disk, folder, stone);
      writeTombstone(library.disk, folder, { ...stone, phase: "purged" });
    }
  }
  sweepTrash(library.disk, folder);
}

function takeAway(library: Library, stone: Tombstone): void {
  const trash = trashFolder(forgottenFolder(library), stone);
  for (const remover of removersOf(library, stone)) remover.forget(stone, trash);
  writeTombstone(library.disk, forgottenFolder(library), { ...stone, phase: "forgotten" });
}

function bringBack(library: Library, stone: Tombstone): void {
  const trash = trashFolder(forgottenFolder(library), stone);
  for (const remover of removersOf(library, stone).toReversed()) remover.undo(stone, trash);
  removeTombstone(library.disk, forgottenFolder(library), stone);
}

/** A session's sidecar in its trash, and what killed runs or damage may have left next to it. */
const SIDECARS = [
  ["sidecar.flat", ""],
  ["sidecar.flat.new", pendingPath("")],
  ["sidecar.flat.damaged", damagedPath("")],
] as const;

/**
 * The files that were made from a session which its agent keeps in a database: name in the trash, and path. The
 * mirror skips sessions with a tombstone, so these are not made again.
 */
function madeFiles({ places }: Library, { path }: Tombstone): readonly (readonly [string, string])[] {
  if (path === null || !path.endsWith(".jsonl") || !insideOf(places.cache, path)) return [];
  const base = path.slice(0, -".jsonl".length);
  return [
    ["copy.jsonl", path],
    ["copy.json", `${base}.json`],
    ["copy", base],
  ];
}

/** Moves the readable copy before the bytes, whose record has its name; an undo goes in the opposite order. */
function removersOf(library: Library, stone: Tombstone): readonly Remover[] {
  const { disk, places } = library;
  const archive = openArchive(library);
  const readable = (session: LogKey): string | null => {
    const kept = archive.get(session);
    return kept === undefined ? null : markdownPath(library, kept);
  };
  const copyIn = (trash: string): string => join(trash, "readable.md");
  return [
    {
      // The checkpoints of its log: they are rebuilt from the log, if ever.
      forget: (session) => forgetCheckpoints(disk, places.index, session),
      undo: () => {},
    },
    {
      forget: (_, trash) => {
        for (const [name, path] of madeFiles(library, stone)) moveEntry(disk, path, join(trash, name));
      },
      undo: (_, trash) => {
        for (const [name, path] of madeFiles(library, stone)) moveEntry(disk, join(trash, name), path);
      },
    },
    {
      // They are no longer needed: a restore writes them again.
      forget: (session) => {
        const kept = archive.get(session);
        if (kept !== undefined) removeImports(library, kept);
      },
      undo: () => {},
    },
    {
      forget: (session, trash) => {
        moveEntry(disk, notesPath(library, session), join(trash, "notes.json"));
      },
      undo: (session, trash) => {
        moveEntry(disk, join(trash, "notes.json"), notesPath(library, session));
      },
    },
    {
      forget(session, trash) {
        const path = readable(session);
        if (path === null || !moveEntry(disk, path, copyIn(trash))) return;
        removeIfEmpty(library, dirname(path));
      },
      undo(session, trash) {
        const path = readable(session);
        if (path !== null) moveEntry(disk, copyIn(trash), path);
      },
    },
    {
      forget: (session, trash) => {
        const path = sidecarPath(places.flat, session);
        for (const [name, ending] of SIDECARS) moveEntry(disk, `${path}${ending}`, join(trash, name));
      },
      undo: (session, trash) => {
        const path = sidecarPath(places.flat, session);
        for (const [name, ending] of SIDECARS) moveEntry(disk, join(trash, name), `${path}${ending}`);
      },
    },
    {
      forget: (session, trash) => {
        moveEntry(disk, sessionFolder(places.raw, session), join(trash, "raw"));
      },
      undo: (session, trash) => {
        moveEntry(disk, join(trash, "raw"), sessionFolder(places.raw, session));
      },
    },
  ];
}

function removeIfEmpty({ disk }: Library, folder: string): void {
  try {
    if (disk.readdir(folder).length === 0) disk.rmdir(folder);
  } catch (error) {
    // An empty folder that stays does no harm.
    if (errorCode(error) === undefined) throw error;
  }
}

function stoneOf(library: Library, key: LogKey): Tombstone | undefined {
  return forgottenSessions(library).stones.find((stone) => logKey(stone) === logKey(key));
}

function nameOf({ agent, id, copy }: LogKey): LogKey {
  return { agent, id, copy };
}

/** A log that stays, and how many markers it has. */
export interface MarkedLog {
  readonly path: string;
  readonly markers: number;
}

/** The outcome for logs that stay and have markers of a forgotten session. */
export interface ForgottenLogs {
  /** Until when all can be brought back. */
  readonly undoUntil: number;
  /** Copies and forks that got their own sidecar, with the results of their markers. */
  readonly provided: readonly MarkedLog[];
  /** Copies and forks with markers whose results were not found. */
  readonly unprovided: readonly MarkedLog[];
}

/**
 * Forgets several logs of one session. Copies and forks that depend on the removed data get their own sidecar first.
 */
export async function forgetLogs(
  library: Library,
  logs: readonly ForgetTarget[],
  options: ForgetOptions,
): Promise<ForgottenLogs> {
  const others = await withStore(library, options.locking, () => provideDependents(library, logs, options));
  let undoUntil = 0;
  // The first log of an id before the others: data that an earlier version archived together goes with it.
  for (const log of logs.toSorted((a, b) => Number(b.copy === null) - Number(a.copy === null)))
    ({ undoUntil } = await forgetSession(library, log, options));
  return { undoUntil, ...others };
}

/** Gives copies and forks their own sidecars: their results would be lost with the forgotten log's sidecar and archive. */
async function provideDependents(
  library: Library,
  logs: readonly ForgetTarget[],
  { markdown }: ForgetOptions,
): Promise<Pick<ForgottenLogs, "provided" | "unprovided">> {
  const [session] = logs;
  const provided: MarkedLog[] = [];
  const unprovided: MarkedLog[] = [];
  if (session === undefined) return { provided, unprovided };
  const going = logs.flatMap(({ files }) => files?.map(({ path }) => path) ?? []);
  for (const { files, path, markers } of dependentLogs(library, session, going)) {
    let missing = markers;
    try {
      ({ missing } = await giveOwnSidecar(library, files, takeSnapshot(library, path), { markdown }));
    } catch (error) {
      // It can't be read, or not be archived.
      if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
    }
    if (missing === 0) provided.push({ path, markers });
    else unprovided.push({ path, markers: missing });
  }
  return { provided, unprovided };
}

/** Brings several logs back. */
export async function undoForgetLogs(
  library: Library,
  [first, ...others]: readonly [LogKey, ...LogKey[]],
  options: ForgetOptions,
): Promise<Remembered> {
  let done = await undoForget(library, first, options);
  for (const log of others) {
    const { broughtBack } = await undoForget(library, log, options);
    done = { ...done, broughtBack: done.broughtBack && broughtBack };
  }
  return done;
}
