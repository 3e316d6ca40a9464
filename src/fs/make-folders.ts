import { dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { diskError, errorCode, systemError } from "./disk-error.ts";

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
