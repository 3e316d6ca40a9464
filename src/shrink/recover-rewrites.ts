import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { agentNames } from "../agents/agent-name.ts";
import type { Disk, FileStat } from "../fs/disk.ts";
import { isAbsent } from "../fs/disk-error.ts";
import { removeQuietly } from "../fs/lock-record.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { type JournalRecord, readJournals } from "./journal.ts";
import { appendAll, readFrom } from "./read-handle.ts";

const LF = 0x0a;

/**
 * Ends what killed processes began: temp files are removed, and lines that had reached an old file only
 * are brought over. `isLog` says of a file whether it may be written to. To be called with the store's lock held.
 */
export function recoverRewrites(disk: Disk, rewrites: string, isLog: (path: string) => boolean): void {
  if (disk.stat(rewrites) === undefined) return;
  for (const { record, close } of readJournals(disk, rewrites)) {
    // A record may have been tampered with: what is no log of an agent is left alone, and so is the record.
    if (disk.stat(record.path) !== undefined && !isLog(record.path)) continue;
    if (endRewrite(disk, record)) close();
  }
  // Nobody else writes here.
  for (const name of ["open", ...agentNames])
    sweepTempFiles(disk, join(rewrites, name), { now: Number.POSITIVE_INFINITY });
}

/** False where the log did not hold still: the next run tries again. */
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
