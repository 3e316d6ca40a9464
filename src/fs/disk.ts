import { Buffer } from "node:buffer";
import { exitCodes, UserError } from "../errors.ts";
import { isAbsent } from "./disk-error.ts";

/** A pipe may also be a socket; `null` is /dev/null. */
export type FileKind = "file" | "folder" | "link" | "pipe" | "null" | "other";

/** What tells one state of a file from another. Never ctime: runtimes disagree on it by a second. */
export interface FileMark {
  readonly size: number;
  /** Whole milliseconds: runtimes differ behind the point. */
  readonly mtimeMs: number;
  readonly inode: number;
}

export interface FileStat extends FileMark {
  readonly kind: FileKind;
  /** Permission bits alone. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly atimeMs: number;
}

export interface FolderEntry {
  readonly name: string;
  /** A link is a link here, whatever it points to. */
  readonly kind: FileKind;
}

/** An open file, as the system numbers it. */
export type Handle = number;

/** `create` fails where anything has that name already; `append` creates what is missing. */
export type OpenFor = "read" | "create" | "append";

/**
 * The calls that a disk answers. Synchronous: 5,000 stats took half the time that promises took.
 * Errors are those of the system, with its `code`; absence is `undefined` where a call says so.
 * Whatever stands in front of a real disk (one that dies, one that is full) implements these, and
 * `diskFrom` gives it the rest.
 */
export interface DiskCalls {
  /** Follows links. undefined where nothing is there, also behind a dangling link. */
  stat(path: string): FileStat | undefined;
  lstat(path: string): FileStat | undefined;
  /** In no order. */
  readdir(folder: string): readonly FolderEntry[];
  realpath(path: string): string;
  /** Where a link points to, as it says itself: maybe relative, maybe to nothing. */
  readlink(path: string): string;

  open(path: string, how: OpenFor, mode?: number): Handle;
  fstat(handle: Handle): FileStat;
  /** Fills as much of `into` as one call gives; 0 is the end of the file. */
  read(handle: Handle, into: Uint8Array, position: number): number;
  /** Writes at the end; how much it could, which may be less than all. */
  write(handle: Handle, bytes: Uint8Array): number;
  fsync(handle: Handle): void;
  close(handle: Handle): void;

  /** One folder; its parent must exist. Mode 0700. */
  mkdir(folder: string): void;
  rename(from: string, to: string): void;
  /** Removes a name of a file or a link, never a folder. */
  unlink(path: string): void;
  /** Gives a file a second name; fails where that name is taken. */
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
  /** Where to stop, exclusive; a file that ends before it is no error. */
  readonly to?: number;
  readonly chunkSize?: number;
  /** To be read into instead of a new buffer, and as long as it is: for who reads many files. */
  readonly buffer?: Buffer;
}

/** Everything that this program does to a file system goes through here. */
export interface Disk extends DiskCalls {
  /** The bytes of a file. Each chunk is valid only until the next is asked for: they share one buffer. */
  readChunks(path: string, options?: ChunkOptions): Generator<Buffer, void, void>;
  /** A small file whole; undefined where there is none. More than `maxBytes` is a UserError. */
  readFile(path: string, maxBytes: number): Buffer | undefined;
  /** The first bytes of a file, at most `bytes`. */
  readHead(path: string, bytes: number): Buffer;
}

/** On 292 MB of logs every size from 64 KiB to 4 MiB took the same time; 16 KiB took 1.6 times as long. */
const CHUNK_SIZE = 256 * 1024;

/** A whole disk out of the calls alone. */
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

/** The size is only a guess at what will come: files below /proc say 0, and logs grow meanwhile. */
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
