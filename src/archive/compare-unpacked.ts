import { createHash } from "node:crypto";
import { diskSource } from "../agents/byte-source.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Disk } from "../fs/disk.ts";
import { archiveSource, shownPath } from "./archive-source.ts";
import type { KeptFile, KeptSession } from "./archive-store.ts";

/**
 * Compares a log on disk with an archived one, both unpacked: the log is identical, has grown since, or is different.
 * Throws `ArchiveDamage`.
 */
export function compareUnpacked(
  disk: Disk,
  path: string,
  kept: KeptSession,
  file: KeptFile,
): "identical" | "grown" | "different" {
  const archived = createHash("sha256");
  const present = createHash("sha256");
  let size = 0;
  let sizeHere = 0;
  try {
    for (const chunk of archiveSource(() => kept).chunks(shownPath(kept, file.path))) {
      archived.update(chunk);
      size += chunk.length;
    }
    for (const chunk of diskSource(disk).chunks(path)) {
      present.update(chunk.subarray(0, Math.max(0, size - sizeHere)));
      sizeHere += chunk.length;
      if (sizeHere > size) break;
    }
  } catch (error) {
    if (error instanceof ArchiveDamage) throw error;
    // If one of them can't be read or unpacked, they count as different.
    return "different";
  }
  if (size === 0 || sizeHere < size || present.digest("hex") !== archived.digest("hex")) return "different";
  return sizeHere === size ? "identical" : "grown";
}
