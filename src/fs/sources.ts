import { Buffer } from "node:buffer";
import { basename, dirname, sep } from "node:path";
import type { Problem } from "../errors.ts";
import type { Disk, FileKind, FileMark, FolderEntry } from "./disk.ts";
import { errorCode, explainDiskError, isAbsent, isDenied } from "./disk-error.ts";

/** A folder to search for logs. */
export interface SourceRoot {
  readonly folder: string;
  /** How deep logs are below it: 1 is the folder itself. */
  readonly depth: number;
  /** Files with other endings are ignored. */
  readonly extensions: readonly string[];
}

export interface SourceFile extends FileMark {
  readonly path: string;
}

export interface FoundFiles {
  /** Each file once, sorted by name within each folder. */
  readonly files: readonly SourceFile[];
  readonly problems: readonly Problem[];
}

interface Link {
  readonly path: string;
  /** How many levels to search if it points to a folder. */
  readonly depth: number;
}

/**
 * Finds the files below a root. Never throws because of what is on the disk: what cannot be read is a problem, and what is
 * not there (no such agent, a file that has just vanished) is ignored.
 *
 * Links to folders and files are followed, but after everything else, so that a file that can be reached in two ways is
 * found once, under its real name. That also ends loops. A link to a file counts only if the file is in a folder that was
 * searched, or in one that `mayRead` accepts: somebody who can put a link among the logs must not be able to choose what
 * else is read.
 */
export function findFiles(
  disk: Disk,
  root: SourceRoot,
  mayRead: (real: string) => boolean = () => false,
): FoundFiles {
  const files: SourceFile[] = [];
  const problems: Problem[] = [];
  const links: Link[] = [];
  /** Real paths of folders, and of files that were found through a link. */
  const seen = new Set<string>();
  /** Links to files that are in no known folder of logs so far. */
  const strays = new Map<string, string>();
  const { extensions } = root;

  const report = (path: string, error: unknown): void => {
    if (isAbsent(error)) reportGone(path);
    else problems.push({ path, line: 0, what: explainDiskError(error) });
  };

  /** A missing file has just vanished, or the runtime could not decode its name, so that its path does not work. */
  const reportGone = (path: string): void => {
    if (basename(path).includes("\ufffd"))
      problems.push({ path, line: 0, what: "its name is not valid UTF-8" });
  };

  const isLogName = (name: string): boolean => {
    for (const extension of extensions) if (name.endsWith(extension)) return true;
    return false;
  };

  const addFile = (path: string): void => {
    try {
      const stat = disk.stat(path);
      if (stat?.kind === "file")
        files.push({ path, size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.inode });
      else if (stat === undefined) reportGone(path);
    } catch (error) {
      report(path, error);
    }
  };

  const walk = (folder: string, real: string, depth: number): void => {
    if (seen.has(real)) return;
    seen.add(real);
    let entries: readonly FolderEntry[];
    try {
      entries = disk.readdir(folder);
    } catch (error) {
      report(folder, error);
      return;
    }
    // Not `join`, which normalizes the whole path again for every file.
    const prefix = under(folder, "");
    const names: string[] = [];
    /** Folders and links: few. */
    const others = new Map<string, FileKind>();
    for (const { name, kind } of entries) {
      if (kind === "file" ? isLogName(name) : kind === "link" || (kind === "folder" && depth > 1)) {
        names.push(name);
        if (kind !== "file") others.set(name, kind);
      }
    }
    // Without a compare function, which would be much slower.
    names.sort();
    for (const name of names) {
      const kind = others.get(name);
      if (kind === undefined) addFile(prefix + name);
      else if (kind === "link") links.push({ path: prefix + name, depth: depth - 1 });
      else walk(prefix + name, under(real, name), depth - 1);
    }
  };

  const followLink = (link: Link, realRoot: string): void => {
    try {
      follow(link, realRoot);
    } catch (error) {
      report(link.path, error);
    }
  };

  const follow = ({ path, depth }: Link, realRoot: string): void => {
    const stat = disk.stat(path);
    if (stat?.kind === "folder" && depth > 0) {
      const real = disk.realpath(path);
      // A link to a folder above the root would make the whole disk part of the logs.
      if (!isAbove(real, realRoot)) walk(path, real, depth);
    } else if (stat?.kind === "file" && isLogName(path)) {
      const real = disk.realpath(path);
      if (seen.has(real) || (seen.has(dirname(real)) && isLogName(real))) return;
      if (!isSeenBelow(real) && !mayRead(real)) {
        // Another link may still lead to its folder.
        strays.set(path, real);
        return;
      }
      seen.add(real);
      addFile(path);
    } else if (stat === undefined) reportGone(path);
  };

  const addStray = (path: string, real: string): void => {
    if (seen.has(real) || (seen.has(dirname(real)) && isLogName(real))) return;
    if (isSeenBelow(real)) {
      seen.add(real);
      addFile(path);
      return;
    }
    const what = `it was not read: it is a link to ${real}, which is not in a folder of logs`;
    problems.push({ path, line: 0, what });
  };

  /** Whether it is in or below a folder that was searched. */
  const isSeenBelow = (real: string): boolean => {
    for (let at = dirname(real); ; at = dirname(at)) {
      if (seen.has(at)) return true;
      if (at === dirname(at)) return false;
    }
  };

  try {
    const stat = disk.stat(root.folder);
    if (stat === undefined) return { files, problems };
    if (stat.kind === "folder") {
      const real = disk.realpath(root.folder);
      walk(root.folder, real, root.depth);
      for (let link = links.shift(); link !== undefined; link = links.shift()) followLink(link, real);
      for (const [path, target] of strays) addStray(path, target);
    } else problems.push({ path: root.folder, line: 0, what: "it is not a folder" });
  } catch (error) {
    report(root.folder, error);
  }
  return { files, problems };
}

/** Returns why an existing file can't be opened; undefined if it can, or if it does not exist. */
export function whyUnreadable(disk: Disk, path: string): string | undefined {
  try {
    disk.close(disk.open(path, "read"));
    return undefined;
  } catch (error) {
    return isAbsent(error) ? undefined : explainDiskError(error);
  }
}

/** The file, or the folder above it, that the user may not look at; undefined if that is not the reason. */
export function deniedAt(disk: Disk, path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    try {
      const stat = disk.stat(at);
      if (stat === undefined) return undefined;
      if (stat.kind === "folder") disk.readdir(at);
      else disk.close(disk.open(at, "read"));
      // What is below can't be looked at without the permission to search this folder.
      return at === path ? undefined : at;
    } catch (error) {
      if (!isDenied(error)) return undefined;
      if (statIfAllowed(disk, at) !== undefined) return at;
      if (at === dirname(at)) return undefined;
    }
  }
}

/** Looks at a file; undefined also if the user may not. */
export function statIfAllowed(disk: Disk, path: string): ReturnType<Disk["stat"]> {
  try {
    return disk.stat(path);
  } catch (error) {
    if (isDenied(error)) return undefined;
    throw error;
  }
}

/** Enough to recognize the format of a file. */
const PEEK_BYTES = 64 * 1024;

/** Reads the first 64 KiB of a file, or 64 KiB from an offset; empty if it cannot be read. */
export function peekOn(disk: Disk): (path: string, from?: number) => Buffer {
  return (path, from = 0) => {
    try {
      if (from === 0) return disk.readHead(path, PEEK_BYTES);
      const chunks = disk.readChunks(path, { from, to: from + PEEK_BYTES });
      // Each chunk is valid only until the next is read.
      return Buffer.concat(Array.from(chunks, (chunk) => Buffer.from(chunk)));
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return Buffer.alloc(0);
    }
  };
}

function under(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

function isAbove(folder: string, other: string): boolean {
  return folder === other || other.startsWith(under(folder, ""));
}
