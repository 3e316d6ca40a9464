import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { Disk, FileStat, Handle } from "./disk.ts";
import { errorCode, systemError } from "./disk-error.ts";

/**
 * A name for a file that is being written, beside its target so that a rename can put it there. It
 * has a constant length (a long target name stays writable), is hidden, and no agent takes it for a
 * log of its own.
 */
export function tempPathFor(target: string): string {
  return join(dirname(target), `.sessions-${randomBytes(8).toString("hex")}.tmp`);
}

export function isTempName(name: string): boolean {
  return /^\.sessions-[0-9a-f]{16}\.tmp$/.test(name);
}

/**
 * A second name for a file that is about to be replaced. Not one of a temp file: lines may still reach the old file,
 * so only whoever knows what became of it may remove it, never the sweep.
 */
export function secondNameFor(path: string): string {
  return join(dirname(path), `.sessions-${randomBytes(8).toString("hex")}.old`);
}

/** Also those that were given out before second names had an ending of their own. */
export function isSecondName(name: string): boolean {
  return /^\.sessions-[0-9a-f]{16}\.(?:old|tmp)$/.test(name);
}

/** A new file with exactly these bytes, mode and time, durable but for its name. */
export interface TempFile {
  readonly path: string;
  discard(): void;
}

export interface TempOptions {
  readonly mode: number;
  readonly mtimeMs?: number | undefined;
  /** The file whose owner is to be kept. */
  readonly ownedLike?: FileStat | undefined;
  /** Its path, from `tempPathFor`, where somebody must know it before it exists. */
  readonly path?: string | undefined;
}

/** Writes a temp file beside its target. Where that fails, nothing of it remains. */
export function writeTempFile(
  disk: Disk,
  target: string,
  content: Iterable<Uint8Array>,
  options: TempOptions,
): TempFile {
  const path = options.path ?? tempPathFor(target);
  const handle = disk.open(path, "create", 0o600);
  const discard = (): void => {
    try {
      disk.unlink(path);
    } catch {
      // It is litter with a name that the sweep knows; the failure that led here is what counts.
    }
  };
  let closed = false;
  try {
    const length = writeAll(disk, handle, content);
    const made = disk.fstat(handle);
    if (made.size !== length) {
      throw systemError("EIO", `wrote ${length} bytes, but the file has ${made.size}`);
    }
    if (options.ownedLike !== undefined) keepOwner(disk, path, made, options.ownedLike);
    // The mode that open() was given went through the umask.
    if (made.mode !== options.mode) disk.chmod(path, options.mode);
    if (options.mtimeMs !== undefined) disk.utimes(path, made.atimeMs, options.mtimeMs);
    disk.fsync(handle);
    closed = true;
    disk.close(handle);
    return { path, discard };
  } catch (error) {
    if (!closed) closeQuietly(disk, handle);
    discard();
    throw error;
  }
}

function writeAll(disk: Disk, handle: Handle, content: Iterable<Uint8Array>): number {
  let length = 0;
  for (const chunk of content) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (rest.length > 0) {
      const written = disk.write(handle, rest);
      if (written <= 0) throw systemError("ENOSPC", "the disk takes no more bytes");
      rest = rest.subarray(written);
      length += written;
    }
  }
  return length;
}

/**
 * Root that rewrites the log of a user must not make it unreadable for that user's agent. Another
 * group is no reason to give up; another owner is.
 */
function keepOwner(disk: Disk, path: string, made: FileStat, wanted: FileStat): void {
  if (made.uid === wanted.uid && made.gid === wanted.gid) return;
  try {
    disk.chown(path, wanted.uid, wanted.gid);
  } catch (error) {
    if (errorCode(error) !== "EPERM" || made.uid !== wanted.uid) throw error;
  }
}

function closeQuietly(disk: Disk, handle: Handle): void {
  try {
    disk.close(handle);
  } catch {
    // Whatever close says, the file is given up; the first failure is the one to report.
  }
}
