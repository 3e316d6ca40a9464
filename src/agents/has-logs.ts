import { join } from "node:path";
import type { Disk } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { formats } from "./agents.ts";

/** Is there any log of any agent, or anything in the archive? Stops at the first. */
export function hasLogs(library: Library): boolean {
  const extra = Object.values(library.config.sources).flat();
  return (
    formats.some((format) =>
      format
        .roots(library.surroundings)
        .some(({ folder, depth, extensions }) => hasFile(library.disk, folder, depth, extensions)),
    ) ||
    extra.some((folder) => hasFile(library.disk, folder, 8, [".jsonl", ".json"])) ||
    hasFile(library.disk, library.places.raw, 8, [".json"])
  );
}

function hasFile(disk: Disk, folder: string, depth: number, extensions: readonly string[]): boolean {
  const folders: string[] = [];
  try {
    for (const { name, kind } of disk.readdir(folder)) {
      // Where a link leads is for the real search to find out: it may hold logs.
      if (kind !== "folder" && extensions.some((extension) => name.endsWith(extension))) return true;
      if (kind === "link") return true;
      if (kind === "folder") folders.push(name);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // A folder that may not be read may hold logs; one that is not there holds none.
    return errorCode(error) === "EACCES";
  }
  return depth > 1 && folders.some((name) => hasFile(disk, join(folder, name), depth - 1, extensions));
}
