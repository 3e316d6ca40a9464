import { type Disk, type DiskCalls, diskFrom, type Handle, type OpenFor } from "../../src/fs/disk.ts";

/** One call to the disk, before it is made. */
export interface Call {
  readonly name: keyof DiskCalls;
  /** The file or folder that it is about. */
  readonly path: string;
  /** The second path of a rename or a link. */
  readonly to?: string;
  /** Does it change the disk, or make a change durable? */
  readonly mutates: boolean;
  readonly handle?: Handle;
  readonly how?: OpenFor;
  /** Of a write: how many bytes it was given. Set `limit` lower, and it writes only so many. */
  readonly write?: { readonly length: number; limit: number };
}

/** Makes the call, or something else instead. */
export type Around = <T>(call: Call, run: () => T) => T;

/** A disk whose every call goes through one function: the ground of all sick disks. */
export function intercept(disk: DiskCalls, around: Around): Disk {
  const paths = new Map<Handle, string>();
  const of = (handle: Handle): string => paths.get(handle) ?? `handle ${handle}`;
  const look = <T>(name: keyof DiskCalls, path: string, run: () => T): T =>
    around({ name, path, mutates: false }, run);
  const change = <T>(name: keyof DiskCalls, path: string, run: () => T, to?: string): T =>
    around({ name, path, mutates: true, ...(to === undefined ? {} : { to }) }, run);

  return diskFrom({
    stat: (path) => look("stat", path, () => disk.stat(path)),
    lstat: (path) => look("lstat", path, () => disk.lstat(path)),
    readdir: (path) => look("readdir", path, () => disk.readdir(path)),
    realpath: (path) => look("realpath", path, () => disk.realpath(path)),
    readlink: (path) => look("readlink", path, () => disk.readlink(path)),

    open: (path, how, mode) =>
      around({ name: "open", path, how, mutates: how !== "read" }, () => {
        const handle = disk.open(path, how, mode);
        paths.set(handle, path);
        return handle;
      }),
    fstat: (handle) =>
      around({ name: "fstat", path: of(handle), handle, mutates: false }, () => disk.fstat(handle)),
    read: (handle, into, position) =>
      around({ name: "read", path: of(handle), handle, mutates: false }, () =>
        disk.read(handle, into, position),
      ),
    write: (handle, bytes) => {
      const write = { length: bytes.length, limit: bytes.length };
      return around({ name: "write", path: of(handle), handle, mutates: true, write }, () =>
        disk.write(handle, bytes.subarray(0, write.limit)),
      );
    },
    fsync: (handle) =>
      around({ name: "fsync", path: of(handle), handle, mutates: true }, () => disk.fsync(handle)),
    close: (handle) =>
      around({ name: "close", path: of(handle), handle, mutates: false }, () => disk.close(handle)),

    mkdir: (path) => change("mkdir", path, () => disk.mkdir(path)),
    rename: (from, to) => change("rename", from, () => disk.rename(from, to), to),
    unlink: (path) => change("unlink", path, () => disk.unlink(path)),
    link: (from, to) => change("link", from, () => disk.link(from, to), to),
    rmdir: (path) => change("rmdir", path, () => disk.rmdir(path)),
    chmod: (path, mode) => change("chmod", path, () => disk.chmod(path, mode)),
    chown: (path, uid, gid) => change("chown", path, () => disk.chown(path, uid, gid)),
    utimes: (path, atimeMs, mtimeMs) => change("utimes", path, () => disk.utimes(path, atimeMs, mtimeMs)),
    fsyncFolder: (path) => change("fsyncFolder", path, () => disk.fsyncFolder(path)),
  });
}

/** A call as a message shows it. */
export function describeCall(call: Call): string {
  const how = call.how === undefined ? "" : ` to ${call.how}`;
  const length = call.write === undefined ? "" : ` ${call.write.length} bytes`;
  return `${call.name}${length} ${call.path}${call.to === undefined ? "" : ` -> ${call.to}`}${how}`;
}
