import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import { type Disk, type FileMark, type FileStat, type Handle, sameMark } from "./disk.ts";
import { diskError, errorCode, isWithoutLinks, systemError } from "./disk-error.ts";

interface ReplaceOptions {
  /** Exact, whatever the umask; 0600 by default. `keep`: mode and owner of the file that is replaced. */
  readonly mode?: number | "keep";
  readonly mtimeMs?: number;
  /**
   * What the present file must still be at the moment of the rename. As a function it is asked when
   * all content is written, so that content which reads on while the file grows can say how far it got.
   */
  readonly expect?: FileMark | (() => FileMark);
  /** Never over anything that exists. */
  readonly exclusive?: boolean;
  /** The temp file's path, from `tempPathFor` of the file itself, where somebody must know it before it exists. */
  readonly temp?: string;
}

type Replaced =
  /** `file` is what now stands there. */
  | { readonly kind: "done"; readonly path: string; readonly file: FileStat }
  /** Not what was expected; nothing was done. */
  | { readonly kind: "changed"; readonly path: string; readonly found: FileStat | undefined }
  /** Something is there, and `exclusive` was asked for; nothing was done. */
  | { readonly kind: "exists"; readonly path: string };

/**
 * The one way to write a file: a temp file beside the target, its length checked, fsync, rename,
 * fsync of the folder. At every moment the target is the whole old or the whole new file, and when
 * this returns the new one survives a power cut. A link stays; the file that it points to is
 * replaced. The folder must exist.
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
    // What goes wrong where the content comes from is no failure to write this file.
    throw contentFailure?.error === error ? error : diskError("write", path, error);
  }
}

function replace(disk: Disk, path: string, content: Iterable<Uint8Array>, options: ReplaceOptions): Replaced {
  const target = behindLinks(disk, path);
  const present = disk.stat(target);
  if (options.exclusive === true && present !== undefined) return { kind: "exists", path: target };
  if (present?.kind === "folder") throw systemError("EISDIR", target);
  if (present !== undefined && present.kind !== "file") {
    throw new UserError(`Cannot write ${JSON.stringify(path)}: it is no ordinary file`, {
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
    // As near to the rename as can be: the system has no rename that checks.
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

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** The path of the file itself where `path` is a link to it, also where it does not exist yet. */
function behindLinks(disk: Disk, path: string): string {
  let target = resolve(path);
  for (let followed = 0; followed < MAX_LINKS; followed++) {
    if (disk.lstat(target)?.kind !== "link") return target;
    // Through realpath: `..` in a link counts from where its folder really is.
    target = resolve(disk.realpath(dirname(target)), disk.readlink(target));
  }
  throw systemError("ELOOP", path);
}

/** False where something has that name. A hard link never overwrites; a rename would. */
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
 * Where there are no hard links: an empty file takes the name, and is then replaced. A crash between
 * the two leaves it empty; the other order could overwrite what somebody else has just written.
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
interface TempFile {
  readonly path: string;
  discard(): void;
}

interface TempOptions {
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
