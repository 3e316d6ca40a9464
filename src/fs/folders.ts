import { dirname, join } from "node:path";
import type { Disk, FolderEntry } from "./disk.ts";
import { diskError, errorCode, isAbsent, systemError } from "./disk-error.ts";

/**
 * Makes a folder and missing folders above it, with mode 0700, and makes their names durable: a file is lost if the name
 * of its folder is lost. Existing folders stay as they are.
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
    // Another process may have made it first.
    if (errorCode(error) !== "EEXIST") throw error;
    if (disk.stat(folder)?.kind !== "folder") throw systemError("ENOTDIR", `not a folder, mkdir '${folder}'`);
  }
  disk.fsyncFolder(parent);
}

/** Lists the names in a folder; none if there is no such folder. */
export function namesIn(disk: Disk, folder: string): readonly string[] {
  return entriesIn(disk, folder).map(({ name }) => name);
}

/** Lists a folder; nothing if there is no such folder. */
export function entriesIn(disk: Disk, folder: string): readonly FolderEntry[] {
  try {
    return disk.readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/**
 * Moves a file or a whole folder to another name, durably and in one step. Never overwrites anything. Returns false if it
 * is not there, for example because an earlier run was killed after the move.
 */
export function moveEntry(disk: Disk, from: string, to: string): boolean {
  try {
    if (disk.lstat(from) === undefined) return false;
    // The caller holds the store's lock, so no other process creates it in between.
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

/** Removes a file, or a folder with everything in it. Links are removed, never followed. Does nothing if it is not there. */
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

/** Shows by sizes and times whether anything has changed. */
export interface FolderMark {
  readonly mark: string;
  /** The last change, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Marks the state of some files and folders; a missing one counts as a state too. */
export function markOfPaths(disk: Disk, paths: readonly string[]): FolderMark {
  const stats = paths.map((path) => disk.stat(path));
  return {
    mark: stats
      .map((stat) => (stat === undefined ? "" : `${stat.size}:${stat.mtimeMs}:${stat.inode}`))
      .join(" "),
    changedAt: Math.max(0, ...stats.map((stat) => stat?.mtimeMs ?? 0)),
  };
}
