import { basename } from "node:path";
import type { Disk } from "../../fs/disk.ts";
import { errorCode } from "../../fs/disk-error.ts";
import type { FileToKeep } from "../archive-store.ts";
import type { Manifest, StoredFile } from "./manifest.ts";

/** A file, and what is kept of it. */
export interface Match {
  readonly file: FileToKeep;
  readonly kept: StoredFile | undefined;
}

/**
 * Finds what is kept of each file: by its path, or, where a log was moved (an agent does that when its
 * session changes folders), by its name and role among those that are gone.
 */
export function matchFiles(
  disk: Disk,
  base: Manifest | undefined,
  files: readonly FileToKeep[],
  options: { readonly mayHaveMoved: boolean },
): readonly Match[] {
  const byPath = new Map(base?.files.map((kept) => [kept.path, kept]));
  const present = new Set(files.map(({ path }) => path));
  const missing = (base?.files ?? []).filter(({ path }) => !present.has(path));
  const isNew = (file: FileToKeep): boolean => !byPath.has(file.path);

  const movedFrom = (file: FileToKeep): StoredFile | undefined => {
    if (!options.mayHaveMoved) return undefined;
    const [kept, other] = missing.filter((each) => isNamesake(each, file));
    const [claimant, rival] = files.filter((each) => isNew(each) && isNamesake(each, file));
    const isClear = other === undefined && claimant === file && rival === undefined;
    return kept !== undefined && isClear && isGone(disk, kept.path) ? kept : undefined;
  };

  return files.map((file) => ({ file, kept: byPath.get(file.path) ?? movedFrom(file) }));
}

function isGone(disk: Disk, path: string): boolean {
  try {
    return disk.stat(path) === undefined;
  } catch (error) {
    // Where one may not look, it may still be.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

interface Named {
  readonly path: string;
  readonly role: string;
}

function isNamesake(a: Named, b: Named): boolean {
  return a.role === b.role && basename(a.path) === basename(b.path);
}
