import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Disk, Handle } from "../../src/fs/disk.ts";
import { type Call, intercept } from "./intercept.ts";

/**
 * What is left when a process stops:
 * - `kill`: everything that it did. The kernel lives on.
 * - `contents-lost`: the machine lost power. Bytes that were not fsynced are gone; names are all there.
 *   (The empty file behind a good name that a missing fsync leaves.)
 * - `names-lost`: also the names that no fsync of their folder made durable: created, renamed and
 *   removed files are where they were before.
 * A real file system leaves something between these.
 */
export type Aftermath = "kill" | "contents-lost" | "names-lost";

export const aftermaths: readonly Aftermath[] = ["kill", "contents-lost", "names-lost"];

export interface CuttableDisk {
  readonly disk: Disk;
  /** Takes away what the aftermath takes. The disk is not to be used afterwards. */
  readonly cut: (aftermath: Aftermath) => void;
}

interface WrittenFile {
  /** A second name, in the grave, which no rename or unlink takes away. */
  readonly grave: string;
  durableBytes: number;
}

interface NameChange {
  /** Folders that are still to be fsynced. */
  readonly folders: Set<string>;
  readonly undo: () => void;
}

/** Remembers what is not durable yet. `grave` is an empty folder on the same file system. */
export function cuttableDisk(under: Disk, grave: string): CuttableDisk {
  const written = new Map<Handle, WrittenFile>();
  /** By inode: a file may be opened twice, under two names. The second names in the grave keep inodes from being used again. */
  const files = new Map<number, WrittenFile>();
  let names: NameChange[] = [];
  let graves = 0;

  const bury = (path: string): string | undefined => {
    if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const name = join(grave, `${graves++}-${basename(path)}`);
    fs.linkSync(path, name);
    return name;
  };
  const exhume = (name: string | undefined, path: string): void => {
    if (name !== undefined) fs.linkSync(name, path);
  };
  const change = (paths: readonly string[], undo: () => void): void => {
    names.push({ folders: new Set(paths.map((path) => realFolder(path))), undo });
  };

  const around = <T>(call: Call, run: () => T): T => {
    const { path, to, handle } = call;
    const existed = call.name === "open" && fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const replaced = call.name === "rename" && to !== undefined ? bury(to) : undefined;
    const removed = call.name === "unlink" ? bury(path) : undefined;
    const result = run();
    switch (call.name) {
      case "open":
        if (call.how !== "read" && typeof result === "number") {
          const { ino, size } = fs.statSync(path);
          const file = files.get(ino) ?? { grave: bury(path) ?? path, durableBytes: size };
          files.set(ino, file);
          written.set(result, file);
          if (!existed) change([path], () => fs.rmSync(path));
        }
        break;
      case "fsync": {
        const file = handle === undefined ? undefined : written.get(handle);
        if (file !== undefined) file.durableBytes = fs.statSync(file.grave).size;
        break;
      }
      case "close":
        if (handle !== undefined) written.delete(handle);
        break;
      case "rename":
        if (to === undefined) break;
        change([path, to], () => {
          fs.renameSync(to, path);
          exhume(replaced, to);
        });
        break;
      case "link":
        if (to !== undefined) change([to], () => fs.unlinkSync(to));
        break;
      case "unlink":
        change([path], () => exhume(removed, path));
        break;
      case "mkdir":
        change([path], () => fs.rmSync(path, { recursive: true }));
        break;
      case "rmdir":
        change([path], () => fs.mkdirSync(path));
        break;
      case "fsyncFolder": {
        const folder = fs.realpathSync(path);
        for (const { folders } of names) folders.delete(folder);
        names = names.filter(({ folders }) => folders.size > 0);
        break;
      }
      default:
        break;
    }
    return result;
  };

  return {
    disk: intercept(under, around),
    cut: (aftermath) => {
      if (aftermath === "kill") return;
      for (const file of files.values()) {
        if (fs.statSync(file.grave).size > file.durableBytes) fs.truncateSync(file.grave, file.durableBytes);
      }
      if (aftermath === "names-lost") loseNames(names.toReversed());
    },
  };
}

/** The clock of a file system ticks slowly: that a folder was changed must not be needed to recover. */
function loseNames(changes: readonly NameChange[]): void {
  for (const { folders, undo } of changes) {
    // A folder that is gone for good took with it what was done in it.
    if (![...folders].every((path) => fs.existsSync(path))) continue;
    const times = [...folders].map((path) => ({ path, stat: fs.statSync(path) }));
    undo();
    for (const { path, stat } of times) if (fs.existsSync(path)) fs.utimesSync(path, stat.atime, stat.mtime);
  }
}

function realFolder(path: string): string {
  return fs.realpathSync(dirname(path));
}
