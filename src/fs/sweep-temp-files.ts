import { join } from "node:path";
import type { Problem } from "../errors.ts";
import type { Disk } from "./disk.ts";
import { explainDiskError, isAbsent } from "./disk-error.ts";
import { isTempName } from "./replace-file.ts";

export interface SweepOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly olderThanMs?: number;
  /** How deep to search: 1 is the folder itself. */
  readonly depth?: number;
  /** Names that are left alone, however old. */
  readonly except?: ReadonlySet<string>;
  /** Lists them without removing them. */
  readonly dryRun?: boolean;
}

export interface Swept {
  /** The files that were removed, or would be. */
  readonly removed: readonly string[];
  readonly bytes: number;
  readonly problems: readonly Problem[];
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * Removes temp files that a killed process left behind. One that is still being written is younger than an hour: each
 * write renews its mtime, and if `replaceFile` sets an old mtime, the atime still shows when the file was made.
 */
export function sweepTempFiles(disk: Disk, folder: string, options: SweepOptions): Swept {
  const before = options.now - (options.olderThanMs ?? HOUR_MS);
  const removed: string[] = [];
  const problems: Problem[] = [];
  let bytes = 0;

  const attempt = (path: string, action: () => void): void => {
    try {
      action();
    } catch (error) {
      if (!isAbsent(error)) problems.push({ path, line: 0, what: explainDiskError(error) });
    }
  };

  const sweep = (inside: string, depth: number): void => {
    for (const entry of disk.readdir(inside)) {
      const path = join(inside, entry.name);
      if (entry.kind === "folder" && depth > 1) attempt(path, () => sweep(path, depth - 1));
      else if (entry.kind === "file" && isTempName(entry.name) && options.except?.has(entry.name) !== true) {
        attempt(path, () => {
          const stat = disk.lstat(path);
          if (stat === undefined || Math.max(stat.mtimeMs, stat.atimeMs) > before) return;
          if (options.dryRun !== true) disk.unlink(path);
          removed.push(path);
          bytes += stat.size;
        });
      }
    }
  };

  attempt(folder, () => sweep(folder, options.depth ?? 1));
  return { removed, bytes, problems };
}
