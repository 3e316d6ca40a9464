import { Buffer } from "node:buffer";
import { dirname, sep } from "node:path";
import { type Disk, type DiskCalls, diskFrom, type FileStat, type Handle } from "./disk.ts";
import { systemError } from "./disk-error.ts";

interface MemoryFile {
  parts: Buffer[];
  size: number;
  mode: number;
  mtimeMs: number;
  readonly inode: number;
}

/**
 * A disk in memory, without links: for an index that is not kept, because it is that of the example history or because
 * the store cannot be written to.
 */
export function createMemoryDisk(now: () => number): Disk {
  const files = new Map<string, MemoryFile>();
  const folders = new Set<string>([sep]);
  const handles = new Map<Handle, MemoryFile>();
  let nextInode = 1;
  let nextHandle = 1;

  const fileAt = (path: string, call: string): MemoryFile => {
    const file = files.get(path);
    if (file === undefined) throw systemError("ENOENT", `${call} ${path}`);
    return file;
  };
  const opened = (handle: Handle): MemoryFile => {
    const file = handles.get(handle);
    if (file === undefined) throw systemError("EBADF", `handle ${handle}`);
    return file;
  };
  const whole = (file: MemoryFile): Buffer => {
    if (file.parts.length !== 1) file.parts = [Buffer.concat(file.parts)];
    return file.parts[0] ?? Buffer.alloc(0);
  };
  const statOf = (file: MemoryFile): FileStat => ({
    kind: "file",
    size: file.size,
    mtimeMs: file.mtimeMs,
    atimeMs: file.mtimeMs,
    ctimeMs: file.mtimeMs,
    inode: file.inode,
    mode: file.mode,
    uid: 0,
    gid: 0,
  });
  const stat = (path: string): FileStat | undefined => {
    const file = files.get(path);
    if (file !== undefined) return statOf(file);
    if (!folders.has(path)) return undefined;
    const times = { mtimeMs: 0, atimeMs: 0, ctimeMs: 0 };
    return { kind: "folder", size: 0, ...times, inode: 0, mode: 0o700, uid: 0, gid: 0 };
  };
  const withoutLinks =
    (call: string) =>
    (path: string): never => {
      throw systemError("ENOTSUP", `${call} ${path}`);
    };

  return diskFrom({
    stat,
    lstat: stat,
    readdir(folder) {
      if (!folders.has(folder)) throw systemError("ENOENT", `readdir ${folder}`);
      const inside = (path: string): boolean => path !== folder && dirname(path) === folder;
      const name = (path: string): string => path.slice(folder === sep ? 1 : folder.length + 1);
      return [
        ...[...files.keys()].filter(inside).map((path) => ({ name: name(path), kind: "file" as const })),
        ...[...folders].filter(inside).map((path) => ({ name: name(path), kind: "folder" as const })),
      ];
    },
    realpath(path) {
      if (stat(path) === undefined) throw systemError("ENOENT", `realpath ${path}`);
      return path;
    },
    readlink: withoutLinks("readlink"),
    open(path, how, mode) {
      if (how === "create" && stat(path) !== undefined) throw systemError("EEXIST", `open ${path}`);
      if (how !== "read" && !files.has(path)) {
        if (!folders.has(dirname(path))) throw systemError("ENOENT", `open ${path}`);
        files.set(path, { parts: [], size: 0, mode: mode ?? 0o600, mtimeMs: now(), inode: nextInode++ });
      }
      handles.set(nextHandle, fileAt(path, "open"));
      return nextHandle++;
    },
    fstat: (handle) => statOf(opened(handle)),
    read(handle, into, position) {
      return whole(opened(handle)).copy(into, 0, position, position + into.length);
    },
    write(handle, bytes) {
      const file = opened(handle);
      file.parts.push(Buffer.from(bytes));
      file.size += bytes.length;
      file.mtimeMs = now();
      return bytes.length;
    },
    fsync: (handle) => void opened(handle),
    close: (handle) => void handles.delete(handle),
    mkdir(folder) {
      if (stat(folder) !== undefined) throw systemError("EEXIST", `mkdir ${folder}`);
      if (!folders.has(dirname(folder))) throw systemError("ENOENT", `mkdir ${folder}`);
      folders.add(folder);
    },
    rename(from, to) {
      files.set(to, fileAt(from, "rename"));
      files.delete(from);
    },
    unlink(path) {
      fileAt(path, "unlink");
      files.delete(path);
    },
    link: withoutLinks("link"),
    rmdir: (folder) => void folders.delete(folder),
    chmod(path, mode) {
      fileAt(path, "chmod").mode = mode;
    },
    chown: () => undefined,
    utimes(path, _atimeMs, mtimeMs) {
      fileAt(path, "utimes").mtimeMs = mtimeMs;
    },
    fsyncFolder: () => undefined,
  } satisfies DiskCalls);
}
