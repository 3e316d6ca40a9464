import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { agentNames, agents } from "../agents/agents.ts";
import { diskSource } from "../agents/byte-source.ts";
import { belowRoots } from "../agents/find-sessions.ts";
import { UserError } from "../errors.ts";
import type { Disk, FileStat } from "../fs/disk.ts";
import { errorCode, isAbsent } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { removeQuietly } from "../fs/lock.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { rawLines } from "../jsonl/lines.ts";
import { type JournalRecord, readJournals } from "./journal.ts";
import { openSidecar } from "./open-sidecar.ts";
import { createLineMatcher } from "./plan-unflatten.ts";
import { appendAll, readFrom } from "./read-handle.ts";
import { adoptSidecar, pendingPath, removeSidecar } from "./sidecar.ts";

/** Completes rewrites of logs that a killed process began. Requires the store's lock. */
export function recoverShrinking(library: Library): void {
  recoverRewrites(library.disk, library.places.rewrites, (path) => isLog(library, path));
  recoverSidecars(library);
}

/** Below a folder of logs, or by its content: a log that a user named by its path may be anywhere. */
function isLog(library: Library, path: string): boolean {
  if (library.disk.stat(path)?.kind !== "file") return false;
  return belowRoots(library)(path) || agents.some(({ owns }) => owns(diskSource(library.disk).head(path)));
}

/** Records of rewrites that name a file which is no log: they are never completed, and somebody should look at them. */
export function refusedRewrites(library: Library): readonly string[] {
  const { disk, places } = library;
  if (disk.stat(places.rewrites) === undefined) return [];
  return readJournals(disk, places.rewrites).flatMap(({ path, record }) =>
    disk.stat(record.path) !== undefined && !isLog(library, record.path) ? [path] : [],
  );
}

/**
 * Completes what a killed run of an earlier version has begun: that wrote a sidecar as `.flat.new`, replaced the log, and
 * then gave the sidecar its name. It is removed only if it surely is that of nothing. `retrieve` reads it as it is.
 */
function recoverSidecars({ disk, places }: Library): void {
  for (const agent of agentNames()) {
    const folder = join(places.flat, agent);
    for (const name of namesIn(folder)) {
      const path = join(folder, name.slice(0, -".new".length));
      if (name.endsWith(".flat.new")) settle(path);
    }
    // Nobody else writes here.
    sweepTempFiles(disk, folder, { now: Number.POSITIVE_INFINITY });
  }

  function namesIn(folder: string): readonly string[] {
    try {
      return disk.readdir(folder).map(({ name }) => name);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  function settle(path: string): void {
    try {
      const pending = openSidecar(disk, pendingPath(path));
      // One that is damaged is left to people.
      if (pending === undefined || pending.damage !== null) return;
      const { path: log } = pending.index;
      const matcher = createLineMatcher(pending);
      let isNeeded = disk.stat(log) === undefined;
      if (!isNeeded) {
        for (const line of rawLines(disk.readChunks(log))) isNeeded ||= matcher.match(line) !== undefined;
      }
      // It also has what the one before it has: whichever of the two the log needs, this one serves.
      if (disk.stat(path) !== undefined || isNeeded) adoptSidecar(disk, path);
      else removeSidecar(disk, pendingPath(path));
    } catch (error) {
      // What the disk refuses now is tried again by the next run; this one has something else to do.
      if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
    }
  }
}

const LF = 0x0a;

/**
 * Completes what killed processes began: temp files are removed, and lines that had reached an old file only
 * are brought over. `isLog` says of a file whether it may be written to. Requires the store's lock.
 */
export function recoverRewrites(disk: Disk, rewrites: string, isLog: (path: string) => boolean): void {
  if (disk.stat(rewrites) === undefined) return;
  for (const { record, close } of readJournals(disk, rewrites)) {
    // A record may have been tampered with: what is no log of an agent is left alone, and so is the record.
    if (disk.stat(record.path) !== undefined && !isLog(record.path)) continue;
    if (endRewrite(disk, record)) close();
  }
  // Nobody else writes here.
  for (const name of ["open", ...agentNames()])
    sweepTempFiles(disk, join(rewrites, name), { now: Number.POSITIVE_INFINITY });
}

/** False if the log did not hold still: the next run tries again. */
function endRewrite(disk: Disk, record: JournalRecord): boolean {
  const folder = dirname(record.path);
  for (const name of record.temps) removeQuietly(disk, join(folder, name));
  const old = record.old === null ? undefined : join(folder, record.old);
  const oldStat = old === undefined ? undefined : disk.lstat(old);
  if (old !== undefined && oldStat?.kind === "file") {
    const now = disk.stat(record.path);
    // Gone: somebody has deleted it since.
    if (now !== undefined && now.inode !== oldStat.inode && !bringOver(disk, record, old, oldStat, now))
      return false;
    removeQuietly(disk, old);
  }
  try {
    disk.fsyncFolder(folder);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return true;
}

/** Puts lines that only the old file has where they belong in the new one. */
function bringOver(
  disk: Disk,
  record: JournalRecord,
  old: string,
  oldStat: FileStat,
  now: FileStat,
): boolean {
  const { path, plannedTo, made } = record;
  const before = readAll(disk, old, plannedTo, oldStat.size);
  const after = readAll(disk, path, made, now.size);
  if (now.inode !== record.inode) return bringMissing(disk, path, before);
  let same = 0;
  while (same < before.length && same < after.length && before[same] === after[same]) same++;
  if (same === before.length) return true;
  if (same === after.length) {
    appendAll(disk, path, before.subarray(same));
    return true;
  }
  // They part within a line: whole lines are brought over.
  const from = same === 0 ? 0 : before.lastIndexOf(LF, same - 1) + 1;
  const content = function* (): Generator<Uint8Array, void, void> {
    yield* disk.readChunks(path, { to: made + from });
    yield before.subarray(from);
    yield after.subarray(from);
  };
  const temp = join(dirname(path), record.temps[0] ?? "");
  const { mtimeMs } = now;
  return replaceFile(disk, path, content(), { mode: "keep", mtimeMs, expect: now, temp }).kind === "done";
}

/** Somebody else has replaced the log since: what it lacks goes to its end. */
function bringMissing(disk: Disk, path: string, lines: Buffer): boolean {
  const there = readAll(disk, path, 0, disk.stat(path)?.size ?? 0);
  const missing: Buffer[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf(LF, at);
    const line = lines.subarray(at, end === -1 ? lines.length : end + 1);
    if (!there.includes(line)) missing.push(line);
    at += line.length;
  }
  if (missing.length > 0) appendAll(disk, path, Buffer.concat(missing));
  return true;
}

function readAll(disk: Disk, path: string, from: number, to: number): Buffer {
  const handle = disk.open(path, "read");
  try {
    return Buffer.concat([...readFrom(disk, handle, from, to)]);
  } finally {
    disk.close(handle);
  }
}
