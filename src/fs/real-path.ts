import { basename, dirname, join } from "node:path";
import type { Disk } from "./disk.ts";
import { errorCode } from "./disk-error.ts";

/** Returns a path without links. */
export type RealPaths = (path: string) => string;

/**
 * Follows links, so that two names of one file are recognized. A missing file has the real path that it would have.
 * Paths that the disk refuses are not changed. Each folder is resolved once.
 */
export function createRealPaths(disk: Disk): RealPaths {
  const folders = new Map<string, string>();
  const realFolder = (folder: string): string => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const above = dirname(folder);
    const real =
      followed(disk, folder) ?? (above === folder ? folder : join(realFolder(above), basename(folder)));
    folders.set(folder, real);
    return real;
  };
  return (path) => {
    const isLink = quietly(() => disk.lstat(path)?.kind === "link") === true;
    return (isLink ? followed(disk, path) : undefined) ?? join(realFolder(dirname(path)), basename(path));
  };
}

/** Whether two paths lead to one file. */
export function isSamePath(disk: Disk, a: string, b: string): boolean {
  if (a === b) return true;
  const real = createRealPaths(disk);
  return real(a) === real(b);
}

/** undefined if there is nothing, or if one may not look. */
function followed(disk: Disk, path: string): string | undefined {
  return quietly(() => (disk.stat(path) === undefined ? undefined : disk.realpath(path)));
}

export function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
