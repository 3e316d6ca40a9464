import type { Buffer } from "node:buffer";
import fs from "node:fs";
import { dirname, join } from "node:path";

/** A folder as it was, which can be brought back any number of times. */
export interface Snapshot {
  restore(): void;
}

interface KeptFile {
  /** A second name outside of the folder, so that the file comes back with its inode. */
  readonly safe: string;
  readonly bytes: Buffer;
  readonly inode: number;
  readonly mode: number;
  readonly mtimeMs: number;
}

interface KeptFolder {
  readonly mode: number;
  readonly mtimeMs: number;
}

/**
 * Remembers all that is below a folder: names, bytes, modes, times and inodes, because the program tells from
 * them what has changed. Copying everything for each death would cost more than the death, so only what
 * differs is put back. `safe` is an empty folder on the same file system.
 */
export function takeSnapshot(folder: string, safe: string): Snapshot {
  const files = new Map<string, KeptFile>();
  const folders = new Map<string, KeptFolder>();
  for (const { name, isFolder } of below(folder)) {
    const path = join(folder, name);
    const stat = fs.statSync(path);
    const mtimeMs = Math.floor(stat.mtimeMs);
    const mode = stat.mode & 0o7777;
    if (isFolder) folders.set(name, { mode, mtimeMs });
    else {
      const second = join(safe, String(files.size));
      fs.linkSync(path, second);
      files.set(name, { safe: second, bytes: fs.readFileSync(path), inode: stat.ino, mode, mtimeMs });
    }
  }
  const restore = (): void => {
    removeOthers(folder, files, folders);
    for (const name of folders.keys()) fs.mkdirSync(join(folder, name), { recursive: true });
    for (const [name, file] of files) putBack(join(folder, name), file);
    // The deepest first: each change of a folder's entries gives it a new time.
    for (const [name, { mode, mtimeMs }] of [...folders].toReversed()) {
      fs.chmodSync(join(folder, name), mode);
      setTime(join(folder, name), mtimeMs);
    }
  };
  // Times that are restored are whole milliseconds, so they are from the beginning.
  restore();
  return { restore };
}

function putBack(path: string, { safe, bytes, mode, mtimeMs }: KeptFile): void {
  if (!fs.existsSync(path)) {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.linkSync(safe, path);
  }
  if (!fs.readFileSync(path).equals(bytes)) fs.writeFileSync(path, bytes);
  fs.chmodSync(path, mode);
  setTime(path, mtimeMs);
}

function removeOthers(
  folder: string,
  files: ReadonlyMap<string, KeptFile>,
  folders: ReadonlyMap<string, KeptFolder>,
): void {
  for (const { name, isFolder } of [...below(folder)].toReversed()) {
    const path = join(folder, name);
    if (isFolder) {
      if (!folders.has(name)) fs.rmSync(path, { recursive: true });
    } else if (files.get(name)?.inode !== fs.lstatSync(path).ino) fs.unlinkSync(path);
  }
}

/** Parents before what is in them. */
function* below(
  folder: string,
  inside = "",
): Generator<{ readonly name: string; readonly isFolder: boolean }> {
  for (const entry of fs.readdirSync(join(folder, inside), { withFileTypes: true })) {
    const name = join(inside, entry.name);
    yield { name, isFolder: entry.isDirectory() };
    if (entry.isDirectory()) yield* below(folder, name);
  }
}

/** Half a microsecond more: the system cuts what it can't hold. */
function setTime(path: string, mtimeMs: number): void {
  const seconds = mtimeMs / 1000 + 5e-7;
  fs.utimesSync(path, seconds, seconds);
}
