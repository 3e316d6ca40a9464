import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk } from "../../fs/disk.ts";
import { errorCode } from "../../fs/disk-error.ts";
import { makeFolders, namesIn } from "../../fs/folders.ts";
import type { SessionName } from "../../session/session.ts";

/** The folder of an index's checkpoints, which are part of that cache. */
export function checkpointFolder(index: string): string {
  return join(index, "tails");
}

/** A checkpoint belongs to one file of one session. */
export function checkpointName(session: SessionName, path: string): string {
  return `${sessionPart(session)}-${hash(path)}.tail`;
}

function sessionPart({ agent, id }: SessionName): string {
  return hash(`${agent} ${id}`);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

const CHECKPOINT_NAME = /^([0-9a-f]{16})-[0-9a-f]{16}\.tail$/;

export interface CheckpointEntry {
  readonly path: string;
  readonly session: string;
  readonly size: number;
  readonly mtimeMs: number;
}

function listCheckpoints(disk: Disk, index: string): readonly CheckpointEntry[] {
  const folder = checkpointFolder(index);
  return namesIn(disk, folder).flatMap((name) => {
    const session = CHECKPOINT_NAME.exec(name)?.[1];
    const path = join(folder, name);
    const stat = session === undefined ? undefined : disk.stat(path);
    if (session === undefined || stat === undefined) return [];
    return [{ path, session, size: stat.size, mtimeMs: stat.mtimeMs }];
  });
}

/** Makes room for so many bytes by removing the oldest checkpoints. Returns false if that is not enough. */
export function evictCheckpoints(
  disk: Disk,
  index: string,
  bytes: number,
  room: number,
  except: string,
): boolean {
  if (bytes > room) return false;
  makeFolders(disk, checkpointFolder(index));
  const others = listCheckpoints(disk, index)
    .filter(({ path }) => path !== except)
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  let left = room - bytes;
  for (const { path, size } of others) {
    left -= size;
    if (left < 0) removeCheckpoint(disk, path);
  }
  return true;
}

/** Removes checkpoints that have not been used for long, and those of the given sessions. */
export function sweepCheckpoints(
  disk: Disk,
  index: string,
  olderThanMs: number,
  forgotten: Iterable<SessionName>,
): void {
  const checkpoints = listCheckpoints(disk, index);
  if (checkpoints.length === 0) return;
  const gone = new Set(Array.from(forgotten, sessionPart));
  for (const { path, session, mtimeMs } of checkpoints)
    if (mtimeMs < olderThanMs || gone.has(session)) removeCheckpoint(disk, path);
}

export function forgetCheckpoints(disk: Disk, index: string, session: SessionName): void {
  sweepCheckpoints(disk, index, Number.NEGATIVE_INFINITY, [session]);
}

function removeCheckpoint(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
