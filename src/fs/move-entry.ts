import { dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { diskError, systemError } from "./disk-error.ts";
import { makeFolders } from "./make-folders.ts";

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
