import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import {
  type Disk,
  type DiskCalls,
  diskFrom,
  type FileKind,
  type FileStat,
  type Handle,
  type OpenFor,
} from "./disk.ts";
import { errorCode, systemError } from "./disk-error.ts";

/** The real disk, on Node and on Deno. The only file that imports node:fs. */
export const nodeDisk: Disk = diskFrom({
  // Two functions, because a shared one makes a walk over thousands of files measurably slower.
  stat: (path) => {
    try {
      return toFileStat(statSync(path, quietly));
    } catch (error) {
      return undefinedIfAbsent(error);
    }
  },
  lstat: (path) => {
    try {
      return toFileStat(lstatSync(path, quietly));
    } catch (error) {
      return undefinedIfAbsent(error);
    }
  },
  readdir: (folder) =>
    readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
  realpath: (path) => realpathSync.native(path),
  readlink: (path) => readlinkSync(path),

  open: openFile,
  fstat: (handle) => named(handle, () => toFileStat(fstatSync(handle))),
  read: (handle, into, position) => named(handle, () => readSync(handle, into, 0, into.length, position)),
  write: (handle, bytes) => named(handle, () => writeSync(handle, bytes, 0, bytes.length, null)),
  fsync: (handle) => named(handle, () => fsyncSync(handle)),
  close: (handle) => {
    try {
      named(handle, () => closeSync(handle));
    } finally {
      paths.delete(handle);
    }
  },

  mkdir: (folder) => {
    mkdirSync(folder, 0o700);
  },
  rename: (from, to) => renameSync(from, to),
  unlink: (path) => {
    // Deno's unlink also removes an empty folder, which is never intended here.
    if (lstatSync(path).isDirectory()) throw systemError("EISDIR", `unlink ${path}`);
    unlinkSync(path);
  },
  link: (from, to) => linkSync(from, to),
  rmdir: (folder) => rmdirSync(folder),
  chmod: (path, mode) => chmodSync(path, mode),
  chown: (path, uid, gid) => chownSync(path, uid, gid),
  utimes: (path, atimeMs, mtimeMs) => utimesSync(path, toSeconds(atimeMs), toSeconds(mtimeMs)),
  fsyncFolder,
} satisfies DiskCalls);

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NONBLOCK } = constants;

const flags: Readonly<Record<OpenFor, number>> = {
  read: O_RDONLY,
  create: O_WRONLY | O_CREAT | O_EXCL,
  append: O_WRONLY | O_CREAT | O_APPEND,
};

/** Paths of open files: errors of the system do not name them. */
const paths = new Map<Handle, string>();

/**
 * Opens a file, and only a file: reading a pipe or a device would wait for a writer, maybe forever. Opening a pipe can wait
 * too, so it is opened without waiting and then checked; for a file that makes no difference.
 */
function openFile(path: string, how: OpenFor, mode?: number): Handle {
  const handle = openSync(path, flags[how] | (O_NONBLOCK ?? 0), mode ?? 0o600);
  try {
    const stat = fstatSync(handle);
    if (stat.isDirectory()) throw systemError("EISDIR", `open ${path}`, path);
    if (!stat.isFile()) throw systemError("ENXIO", `open ${path}`, path);
  } catch (error) {
    closeSync(handle);
    throw error;
  }
  paths.set(handle, path);
  return handle;
}

function named<T>(handle: Handle, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const path = paths.get(handle);
    throw error instanceof Error && path !== undefined && !("path" in error)
      ? Object.assign(error, { path })
      : error;
  }
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

function kindOf(entry: Kinds): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  if (entry.isSymbolicLink()) return "link";
  return entry.isFIFO() || entry.isSocket() ? "pipe" : "other";
}

const quietly = { throwIfNoEntry: false } as const;

function isNullDevice({ rdev }: Stats): boolean {
  return rdev === statSync("/dev/null", quietly)?.rdev;
}

function toFileStat(stats: Stats): FileStat;
function toFileStat(stats: Stats | undefined): FileStat | undefined;
function toFileStat(stats: Stats | undefined): FileStat | undefined {
  if (stats === undefined) return undefined;
  const kind = kindOf(stats);
  return {
    kind: kind === "other" && isNullDevice(stats) ? "null" : kind,
    size: stats.size,
    mtimeMs: Math.floor(stats.mtimeMs),
    atimeMs: Math.floor(stats.atimeMs),
    ctimeMs: Math.floor(stats.ctimeMs),
    inode: stats.ino,
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
  };
}

/**
 * `throwIfNoEntry` covers missing files, but not a file in place of a folder, nor names that no file can have: too long,
 * or with a NUL. Logs do name such paths.
 */
function undefinedIfAbsent(error: unknown): undefined {
  const code = errorCode(error);
  if (code === "ENOTDIR" || code === "ENAMETOOLONG") return;
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_INVALID_ARG_VALUE") throw error;
}

/**
 * The system takes seconds as a float and truncates it: half of all times set as ms / 1000 would be read back one
 * millisecond too early. Half a microsecond more prevents that.
 */
function toSeconds(ms: number): number {
  return ms / 1000 + 5e-7;
}

/** Some systems cannot open or sync folders (Windows), or not this one (no permission to read it). */
const unsyncable: readonly string[] = ["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"];

function fsyncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (!unsyncable.includes(errorCode(error) ?? "")) throw error;
  }
}
