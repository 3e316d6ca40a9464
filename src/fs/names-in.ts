import type { Disk } from "./disk.ts";
import { isAbsent } from "./disk-error.ts";

/** What stands in a folder; nothing where there is none. */
export function namesIn(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.readdir(folder).map(({ name }) => name);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
