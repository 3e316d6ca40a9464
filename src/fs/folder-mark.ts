import type { Disk } from "./disk.ts";

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
