import { Buffer } from "node:buffer";
import { dirname, sep } from "node:path";
import type { Problem } from "../errors.ts";
import type { Disk, FileKind, FileMark, FolderEntry } from "./disk.ts";
import { errorCode, explainDiskError, isAbsent } from "./disk-error.ts";

/** A folder to look for logs in: what formats call a root. */
export interface SourceRoot {
  readonly folder: string;
  /** How deep logs stand below it: 1 is the folder itself. */
  readonly depth: number;
  /** Ends of names; a file that has none of them is not looked at. */
  readonly extensions: readonly string[];
}

export interface SourceFile extends FileMark {
  readonly path: string;
}

export interface FoundFiles {
  /** Each file once, in the order of their paths within a folder. */
  readonly files: readonly SourceFile[];
  readonly problems: readonly Problem[];
}

interface Link {
  readonly path: string;
  /** How many levels may still be looked at if it leads to a folder. */
  readonly depth: number;
}

/**
 * Finds the files below a root. Never throws for what is on the disk: what can't be read is a
 * problem, what is not there (no such agent, a file that vanished meanwhile) is nothing.
 *
 * Links to folders and files are followed, but after everything else, so that a file that can be
 * reached in two ways is found under its own name, and once. That also ends loops. A link to a file counts
 * only if that file is in a folder that was looked through, or in one that `mayRead` knows: whoever can put a link
 * among logs must not choose what else is read.
 */
export function findFiles(
  disk: Disk,
  root: SourceRoot,
  mayRead: (real: string) => boolean = () => false,
): FoundFiles {
  const files: SourceFile[] = [];
  const problems: Problem[] = [];
  const links: Link[] = [];
  /** Real paths of folders, and of files that came by a link. */
  const seen = new Set<string>();
  /** Links to files that are in no folder of logs, as far as is known. */
  const strays = new Map<string, string>();
  const { extensions } = root;

  const report = (path: string, error: unknown): void => {
    if (!isAbsent(error)) problems.push({ path, line: 0, what: explainDiskError(error) });
  };

  const isWanted = (name: string): boolean => {
    for (const extension of extensions) if (name.endsWith(extension)) return true;
    return false;
  };

  const addFile = (path: string, name: string): void => {
    try {
      const stat = disk.stat(path);
      if (stat?.kind === "file") {
        files.push({ path, size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.inode });
      } else if (stat === undefined && name.includes("\ufffd")) {
        // The runtime could not decode the name, and what it made of it leads nowhere.
        problems.push({ path, line: 0, what: "its name is not valid UTF-8" });
      }
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
    // Not `join`, which looks at every part of every path again; a walk knows that they are clean.
    const prefix = under(folder, "");
    const names: string[] = [];
    /** Folders and links: few. */
    const others = new Map<string, FileKind>();
    for (const { name, kind } of entries) {
      if (kind === "file" ? isWanted(name) : kind === "link" || (kind === "folder" && depth > 1)) {
        names.push(name);
        if (kind !== "file") others.set(name, kind);
      }
    }
    // As strings are by themselves: a function of ours would be called five times for each.
    names.sort();
    for (const name of names) {
      const kind = others.get(name);
      if (kind === undefined) addFile(prefix + name, name);
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
      // A link that leads out above the root would make the whole disk its logs.
      if (!isAbove(real, realRoot)) walk(path, real, depth);
    } else if (stat?.kind === "file" && isWanted(path)) {
      const real = disk.realpath(path);
      if (seen.has(real) || (seen.has(dirname(real)) && isWanted(real))) return;
      if (!isSeenBelow(real) && !mayRead(real)) {
        // The folder that it is in may still be come to, by another link.
        strays.set(path, real);
        return;
      }
      seen.add(real);
      addFile(path, path);
    }
  };

  const addStray = (path: string, real: string): void => {
    if (seen.has(real) || (seen.has(dirname(real)) && isWanted(real))) return;
    if (isSeenBelow(real)) {
      seen.add(real);
      addFile(path, path);
      return;
    }
    const what = `it is not read: it is a link to ${real}, which is in no folder of logs`;
    problems.push({ path, line: 0, what });
  };

  /** Is it in a folder that was looked through, or below one? */
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

/** What formats may see of a file to tell what it is. */
const PEEK_BYTES = 64 * 1024;

/** Reads the first 64 KiB of a file, or those from a place on; empty where it can't be read. */
export function peekOn(disk: Disk): (path: string, from?: number) => Buffer {
  return (path, from = 0) => {
    try {
      if (from === 0) return disk.readHead(path, PEEK_BYTES);
      const chunks = disk.readChunks(path, { from, to: from + PEEK_BYTES });
      // Each is valid until the next is asked for.
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
