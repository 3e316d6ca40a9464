import { dirname, join } from "node:path";
import type { Disk } from "./disk.ts";
import { diskError, errorCode, isAbsent, systemError } from "./disk-error.ts";

/**
 * Makes a folder and those above it that are missing, with mode 0700, and makes their names durable:
 * a file in a folder whose own name was lost is lost too. Folders that exist stay as they are.
 */
export function makeFolders(disk: Disk, folder: string): void {
  try {
    make(disk, folder);
  } catch (error) {
    throw diskError("make the folder", folder, error);
  }
}

function make(disk: Disk, folder: string): void {
  if (disk.stat(folder)?.kind === "folder") return;
  const parent = dirname(folder);
  if (parent !== folder) make(disk, parent);
  try {
    disk.mkdir(folder);
  } catch (error) {
    // Another process may have been faster.
    if (errorCode(error) !== "EEXIST") throw error;
    if (disk.stat(folder)?.kind !== "folder") throw systemError("ENOTDIR", `not a folder, mkdir '${folder}'`);
  }
  disk.fsyncFolder(parent);
}

/** What stands in a folder; nothing where there is none. */
export function namesIn(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.readdir(folder).map(({ name }) => name);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/**
 * Moves a file or a whole folder to another name, durably and in one step. False where it is not there,
 * which is so when an earlier attempt was killed behind the move. Never over anything.
 */
export function moveEntry(disk: Disk, from: string, to: string): boolean {
  try {
    if (disk.lstat(from) === undefined) return false;
    // Whoever moves holds the store's lock: nobody makes it in between.
    if (disk.lstat(to) !== undefined) throw systemError("EEXIST", to);
    makeFolders(disk, dirname(to));
    disk.rename(from, to);
    disk.fsyncFolder(dirname(to));
    disk.fsyncFolder(dirname(from));
    return true;
  } catch (error) {
    throw diskError("move", from, error);
  }
}

/** Removes a folder with all that is in it, or a file. Links are removed, never followed. Nothing there is no error. */
export function removeTree(disk: Disk, path: string): void {
  try {
    const stat = disk.lstat(path);
    if (stat === undefined) return;
    if (stat.kind !== "folder") {
      disk.unlink(path);
      return;
    }
    for (const { name } of disk.readdir(path)) removeTree(disk, join(path, name));
    disk.rmdir(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Tells by sizes and times whether anything changed. */
export interface FolderMark {
  readonly mark: string;
  /** When it last did, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** The mark of some files and folders; those that are not there have one too. */
export function markOfPaths(disk: Disk, paths: readonly string[]): FolderMark {
  const stats = paths.map((path) => disk.stat(path));
  return {
    mark: stats
      .map((stat) => (stat === undefined ? "" : `${stat.size}:${stat.mtimeMs}:${stat.inode}`))
      .join(" "),
    changedAt: Math.max(0, ...stats.map((stat) => stat?.mtimeMs ?? 0)),
  };
}
