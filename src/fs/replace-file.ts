import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import { type Disk, type FileMark, type FileStat, type Handle, sameMark } from "./disk.ts";
import { diskError, errorCode, isWithoutLinks, systemError } from "./disk-error.ts";

interface ReplaceOptions {
  /** The exact mode, whatever the umask; 0600 by default. `keep`: mode and owner of the file that is replaced. */
  readonly mode?: number | "keep";
  readonly mtimeMs?: number;
  /**
   * The expected state of the present file at the moment of the rename. A function is called after all content has been
   * written, for content that follows a growing file and knows only then how far it got.
   */
  readonly expect?: FileMark | (() => FileMark);
  /** Never overwrites anything. */
  readonly exclusive?: boolean;
  /** The path of the temp file, from `tempPathFor`, if the caller must know it before it exists. */
  readonly temp?: string;
}

type Replaced =
  /** `file` is the new file. */
  | { readonly kind: "done"; readonly path: string; readonly file: FileStat }
  /** The file is not as expected; nothing was done. */
  | { readonly kind: "changed"; readonly path: string; readonly found: FileStat | undefined }
  /** The file exists, and `exclusive` was set; nothing was done. */
  | { readonly kind: "exists"; readonly path: string };

/**
 * Writes a file; there is no other way in this program. It writes a temp file beside the target, checks its length, calls
 * fsync, renames it, and calls fsync on the folder. At every moment the target is either the whole old file or the whole
 * new one, and when this returns the new one survives a power cut. If the path is a link, the link stays and the file that
 * it points to is replaced. The folder must exist.
 */
export function replaceFile(
  disk: Disk,
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  options: ReplaceOptions = {},
): Replaced {
  let contentFailure: { readonly error: unknown } | undefined;
  const chunks = watched(toChunks(content), (error) => {
    contentFailure = { error };
  });
  try {
    return replace(disk, path, chunks, options);
  } catch (error) {
    // An error in producing the content is not a failure to write this file.
    throw contentFailure?.error === error ? error : diskError("write", path, error);
  }
}

function replace(disk: Disk, path: string, content: Iterable<Uint8Array>, options: ReplaceOptions): Replaced {
  const target = behindLinks(disk, path);
  const present = disk.stat(target);
  if (options.exclusive === true && present !== undefined) return { kind: "exists", path: target };
  if (present?.kind === "folder") throw systemError("EISDIR", target);
  if (present !== undefined && present.kind !== "file") {
    throw new UserError(`Cannot write ${JSON.stringify(path)}: it is not an ordinary file`, {
      exitCode: exitCodes.refused,
    });
  }
  if (typeof options.expect === "object" && !isStill(present, options.expect)) {
    return { kind: "changed", path: target, found: present };
  }

  const keep = options.mode === "keep" ? present : undefined;
  const mode = typeof options.mode === "number" ? options.mode : (keep?.mode ?? 0o600);
  const temp = writeTempFile(disk, target, content, {
    mode,
    mtimeMs: options.mtimeMs,
    ownedLike: keep,
    path: options.temp,
  });
  let outcome: Replaced;
  try {
    outcome = putInPlace(disk, temp.path, target, options);
  } catch (error) {
    temp.discard();
    throw error;
  }
  if (outcome.kind !== "done" || options.exclusive === true) temp.discard();
  if (outcome.kind === "done") disk.fsyncFolder(dirname(target));
  return outcome;
}

function putInPlace(disk: Disk, temp: string, target: string, options: ReplaceOptions): Replaced {
  const file = disk.stat(temp);
  if (file === undefined) throw systemError("ENOENT", temp);
  if (options.exclusive === true) {
    const placed = placeWithoutOverwriting(disk, temp, target);
    return placed ? { kind: "done", path: target, file } : { kind: "exists", path: target };
  }
  if (options.expect !== undefined) {
    const expected = typeof options.expect === "function" ? options.expect() : options.expect;
    // As close to the rename as possible: the system has no rename that checks.
    const found = disk.stat(target);
    if (!isStill(found, expected)) return { kind: "changed", path: target, found };
  }
  disk.rename(temp, target);
  return { kind: "done", path: target, file };
}

function isStill(found: FileStat | undefined, expected: FileMark): boolean {
  return found !== undefined && sameMark(found, expected);
}

function toChunks(content: string | Uint8Array | Iterable<Uint8Array>): Iterable<Uint8Array> {
  if (typeof content === "string") return [Buffer.from(content)];
  return content instanceof Uint8Array ? [content] : content;
}

function* watched(
  chunks: Iterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): Generator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

/** Linux follows as many. */
const MAX_LINKS = 40;

/** Resolves links, even to a file that does not exist yet. */
function behindLinks(disk: Disk, path: string): string {
  let target = resolve(path);
  for (let followed = 0; followed < MAX_LINKS; followed++) {
    if (disk.lstat(target)?.kind !== "link") return target;
    // By realpath, because `..` in a link starts at the real place of its folder.
    target = resolve(disk.realpath(dirname(target)), disk.readlink(target));
  }
  throw systemError("ELOOP", path);
}

/** Returns false if the name is taken. A hard link never overwrites; a rename would. */
function placeWithoutOverwriting(disk: Disk, temp: string, target: string): boolean {
  try {
    disk.link(temp, target);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!isWithoutLinks(error)) throw error;
    return placeOverPlaceholder(disk, temp, target);
  }
}

/**
 * For file systems without hard links: an empty file takes the name, and is then replaced. A crash in between leaves it
 * empty; the other order could overwrite what another process has just written.
 */
function placeOverPlaceholder(disk: Disk, temp: string, target: string): boolean {
  try {
    disk.close(disk.open(target, "create"));
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    disk.rename(temp, target);
  } catch (error) {
    disk.unlink(target);
    throw error;
  }
  return true;
}

/**
 * Makes a path for a temp file, next to its target so that it can be renamed. The name has a constant length, so that
 * targets with long names can be written; it is hidden, and no agent takes it for a log.
 */
export function tempPathFor(target: string): string {
  return join(dirname(target), `.sessions-${randomBytes(8).toString("hex")}.tmp`);
}

export function isTempName(name: string): boolean {
  return /^\.sessions-[0-9a-f]{16}\.tmp$/.test(name);
}

/**
 * Makes a second name for a file that is about to be replaced. It is not the name of a temp file: lines may still be
 * appended to the old file, so the sweep must never remove it.
 */
export function secondNameFor(path: string): string {
  return join(dirname(path), `.sessions-${randomBytes(8).toString("hex")}.old`);
}

/** Includes the second names of earlier versions, which look like temp files. */
export function isSecondName(name: string): boolean {
  return /^\.sessions-[0-9a-f]{16}\.(?:old|tmp)$/.test(name);
}

/** A new file with exactly these bytes, mode and time; durable, except for its name. */
interface TempFile {
  readonly path: string;
  discard(): void;
}

interface TempOptions {
  readonly mode: number;
  readonly mtimeMs?: number | undefined;
  /** The file whose owner it gets. */
  readonly ownedLike?: FileStat | undefined;
  /** Its path, from `tempPathFor`, if the caller must know it before it exists. */
  readonly path?: string | undefined;
}

/** Writes a temp file next to its target. If that fails, nothing is left of it. */
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
      // The sweep will remove it by its name; the first failure is the one to report.
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
    // open() applies the umask to the mode.
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
      if (written <= 0) throw systemError("ENOSPC", "the disk accepts no more bytes");
      rest = rest.subarray(written);
      length += written;
    }
  }
  return length;
}

/**
 * If root rewrites a user's log, the user's agent must still be able to read it. Failing to set the group is not fatal;
 * failing to set the owner is.
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
    // The file is abandoned anyway; the first failure is the one to report.
  }
}
