import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { agentNames, agents } from "../agents/agents.ts";
import { diskSource } from "../agents/byte-source.ts";
import { belowRoots } from "../agents/find-sessions.ts";
import { UserError } from "../errors.ts";
import type { Disk, FileStat } from "../fs/disk.ts";
import { errorCode, isAbsent } from "../fs/disk-error.ts";
import { namesIn } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { removeQuietly } from "../fs/lock.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { rawLines } from "../jsonl/lines.ts";
import { type JournalRecord, readJournals } from "./journal.ts";
import { openSidecar } from "./open-sidecar.ts";
import { appendAll, readFrom } from "./read-handle.ts";
import { adoptSidecar, pendingPath, removeSidecar } from "./sidecar.ts";
import { createLineMatcher } from "./sidecar-lines.ts";

/** Completes rewrites of logs that a killed process began. Requires the store's lock. */
export function recoverShrinking(library: Library): void {
  recoverRewrites(library.disk, library.places.rewrites, (path) => isLog(library, path));
  recoverSidecars(library);
}

/** Whether a file is a log: by its folder, or by its content, because a user may name a log anywhere. */
function isLog(library: Library, path: string): boolean {
  if (library.disk.stat(path)?.kind !== "file") return false;
  return belowRoots(library)(path) || agents.some(({ owns }) => owns(diskSource(library.disk).head(path)));
}

/** Lists journals that name a file that is not a log: they are never completed, and `doctor` reports them. */
export function refusedRewrites(library: Library): readonly string[] {
  const { disk, places } = library;
  if (disk.stat(places.rewrites) === undefined) return [];
  return readJournals(disk, places.rewrites).flatMap(({ path, record }) =>
    disk.stat(record.path) !== undefined && !isLog(library, record.path) ? [path] : [],
  );
}

/**
 * Completes what a killed run of an earlier version began: it wrote a sidecar as `.flat.new`, replaced the log, and then
 * renamed the sidecar. The file is removed only if no log can need it. `retrieve` reads it as it is.
 */
function recoverSidecars({ disk, places }: Library): void {
  for (const agent of agentNames()) {
    const folder = join(places.flat, agent);
    for (const name of namesIn(disk, folder)) {
      const path = join(folder, name.slice(0, -".new".length));
      if (name.endsWith(".flat.new")) resolvePending(path);
    }
    // Under the store's lock, every temp file here is a leftover.
    sweepTempFiles(disk, folder, { now: Number.POSITIVE_INFINITY });
  }

  function resolvePending(path: string): void {
    try {
      const pending = openSidecar(disk, pendingPath(path));
      // A damaged one is left alone.
      if (pending === undefined || pending.damage !== null) return;
      const { path: log } = pending.index;
      const matcher = createLineMatcher(pending);
      let isNeeded = disk.stat(log) === undefined;
      if (!isNeeded) {
        for (const line of rawLines(disk.readChunks(log))) isNeeded ||= matcher.match(line) !== undefined;
      }
      // It contains everything that its predecessor has, so it fits the log in either state.
      if (disk.stat(path) !== undefined || isNeeded) adoptSidecar(disk, path);
      else removeSidecar(disk, pendingPath(path));
    } catch (error) {
      // A system error: the next run tries again.
      if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
    }
  }
}

const LF = 0x0a;

/**
 * Completes rewrites of killed processes: removes temp files, and carries over lines that only the old file has.
 * `isLog` says whether a file may be written to. Requires the store's lock.
 */
export function recoverRewrites(disk: Disk, rewrites: string, isLog: (path: string) => boolean): void {
  if (disk.stat(rewrites) === undefined) return;
  for (const { record, close } of readJournals(disk, rewrites)) {
    // A journal may have been tampered with: if it names no agent's log, file and journal are left alone.
    if (disk.stat(record.path) !== undefined && !isLog(record.path)) continue;
    if (endRewrite(disk, record)) close();
  }
  // Under the store's lock, every temp file here is a leftover.
  for (const name of ["open", ...agentNames()])
    sweepTempFiles(disk, join(rewrites, name), { now: Number.POSITIVE_INFINITY });
}

/** Returns false if the log kept changing: the next run tries again. */
function endRewrite(disk: Disk, record: JournalRecord): boolean {
  const folder = dirname(record.path);
  for (const name of record.temps) removeQuietly(disk, join(folder, name));
  const old = record.old === null ? undefined : join(folder, record.old);
  const oldStat = old === undefined ? undefined : disk.lstat(old);
  if (old !== undefined && oldStat?.kind === "file") {
    const now = disk.stat(record.path);
    // The log was deleted meanwhile.
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

/** Inserts lines that only the old file has at their place in the new one. */
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
  // The files diverge within a line: whole lines are carried over.
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

/** Appends what the log lacks: another program has replaced it meanwhile. */
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
