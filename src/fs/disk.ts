import { Buffer } from "node:buffer";
import { exitCodes, UserError } from "../errors.ts";
import { isAbsent } from "./disk-error.ts";

/** A pipe may also be a socket; `null` is /dev/null. */
export type FileKind = "file" | "folder" | "link" | "pipe" | "null" | "other";

/** Identifies one state of a file. Not by ctime: runtimes disagree on it by up to a second. */
export interface FileMark {
  readonly size: number;
  /** Whole milliseconds: runtimes differ in the fraction. */
  readonly mtimeMs: number;
  readonly inode: number;
}

export interface FileStat extends FileMark {
  readonly kind: FileKind;
  /** Permission bits only. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly atimeMs: number;
  /** When it was created here or last changed, by the clock of this disk; programs can't set it. Whole seconds on some runtimes. */
  readonly ctimeMs: number;
}

export interface FolderEntry {
  readonly name: string;
  /** A link is reported as a link, whatever it points to. */
  readonly kind: FileKind;
}

/** The number of an open file. */
export type Handle = number;

/** `create` fails if anything has that name already; `append` creates a missing file. */
export type OpenFor = "read" | "create" | "append";

/**
 * The system calls that a disk implements. They are synchronous, which is twice as fast as promises for thousands of
 * files. Errors are those of the system, with its `code`; absence is `undefined` if a call says so. A disk for tests (one
 * that fails, one that is full) implements these calls, and `diskFrom` adds the rest.
 */
export interface DiskCalls {
  /** Follows links. undefined if nothing is there, or if a link points to nothing. */
  stat(path: string): FileStat | undefined;
  lstat(path: string): FileStat | undefined;
  /** In no order. */
  readdir(folder: string): readonly FolderEntry[];
  realpath(path: string): string;
  /** The target of a link as it is written: it may be relative, or not exist. */
  readlink(path: string): string;

  open(path: string, how: OpenFor, mode?: number): Handle;
  fstat(handle: Handle): FileStat;
  /** Reads into `into` and returns how many bytes it got; 0 at the end of the file. */
  read(handle: Handle, into: Uint8Array, position: number): number;
  /** Writes at the end and returns how many bytes were written, which may be fewer than given. */
  write(handle: Handle, bytes: Uint8Array): number;
  fsync(handle: Handle): void;
  close(handle: Handle): void;

  /** Makes one folder with mode 0700; its parent must exist. */
  mkdir(folder: string): void;
  rename(from: string, to: string): void;
  /** Removes a name of a file or a link, never a folder. */
  unlink(path: string): void;
  /** Gives a file a second name; fails if that name is taken. */
  link(from: string, to: string): void;
  rmdir(folder: string): void;
  chmod(path: string, mode: number): void;
  chown(path: string, uid: number, gid: number): void;
  utimes(path: string, atimeMs: number, mtimeMs: number): void;
  /** Makes the names in a folder durable, as far as the system can. */
  fsyncFolder(folder: string): void;
}

export interface ChunkOptions {
  readonly from?: number;
  /** Where to stop, exclusive; a file that ends earlier is not an error. */
  readonly to?: number;
  readonly chunkSize?: number;
  /** A buffer to reuse instead of a new one; its length is the size of the chunks. */
  readonly buffer?: Buffer;
}

/** The file system. Everything that this program does to files goes through it. */
export interface Disk extends DiskCalls {
  /** Yields the bytes of a file. Each chunk is valid only until the next is read: they share one buffer. */
  readChunks(path: string, options?: ChunkOptions): Generator<Buffer, void, void>;
  /** Reads a small file whole; undefined if there is none. More than `maxBytes` is a UserError. */
  readFile(path: string, maxBytes: number): Buffer | undefined;
  /** Reads the first bytes of a file, at most `bytes`. */
  readHead(path: string, bytes: number): Buffer;
}

/** Larger chunks are not faster; much smaller ones are slower. */
const CHUNK_SIZE = 256 * 1024;

/** Makes a disk from its system calls. */
export function diskFrom(calls: DiskCalls): Disk {
  return {
    ...calls,
    readChunks: (path, options) => readChunks(calls, path, options ?? {}),
    readFile: (path, maxBytes) => readFile(calls, path, maxBytes),
    readHead: (path, bytes) => withHandle(calls, path, (handle) => readUpTo(calls, handle, bytes)),
  };
}

export function sameMark(a: FileMark, b: FileMark): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.inode === b.inode;
}

function* readChunks(calls: DiskCalls, path: string, options: ChunkOptions): Generator<Buffer, void, void> {
  const to = options.to ?? Number.POSITIVE_INFINITY;
  let at = options.from ?? 0;
  if (at >= to) return;
  const handle = calls.open(path, "read");
  try {
    const length = Math.min(options.chunkSize ?? CHUNK_SIZE, to - at);
    const buffer = options.buffer ?? Buffer.allocUnsafeSlow(length);
    while (at < to) {
      const into = to - at < buffer.length ? buffer.subarray(0, to - at) : buffer;
      const got = calls.read(handle, into, at);
      if (got === 0) return;
      at += got;
      yield got === buffer.length ? buffer : buffer.subarray(0, got);
    }
  } finally {
    calls.close(handle);
  }
}

function readFile(calls: DiskCalls, path: string, maxBytes: number): Buffer | undefined {
  try {
    return withHandle(calls, path, (handle) => {
      // One byte more than allowed tells "exactly full" from "too large".
      const bytes = readUpTo(calls, handle, maxBytes + 1);
      if (bytes.length <= maxBytes) return bytes;
      throw new UserError(`Cannot read ${JSON.stringify(path)}: it is larger than ${maxBytes} bytes`, {
        exitCode: exitCodes.broken,
      });
    });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function withHandle<T>(calls: DiskCalls, path: string, use: (handle: Handle) => T): T {
  const handle = calls.open(path, "read");
  try {
    return use(handle);
  } finally {
    calls.close(handle);
  }
}

/** The size is only a guess: files below /proc report 0, and logs grow meanwhile. */
function readUpTo(calls: DiskCalls, handle: Handle, bytes: number): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(bytes, calls.fstat(handle).size + 1));
  let length = 0;
  for (;;) {
    if (length === buffer.length) {
      if (length === bytes) break;
      const larger = Buffer.allocUnsafe(Math.min(bytes, length * 2 + 4096));
      buffer.copy(larger);
      buffer = larger;
    }
    const got = calls.read(handle, buffer.subarray(length), length);
    if (got === 0) break;
    length += got;
  }
  return buffer.subarray(0, length);
}
