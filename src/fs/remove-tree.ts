import { join } from "node:path";
import type { Disk } from "./disk.ts";
import { isAbsent } from "./disk-error.ts";

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
