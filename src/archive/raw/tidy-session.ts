import { join } from "node:path";
import type { Disk } from "../../fs/disk.ts";
import { errorCode } from "../../fs/disk-error.ts";
import { removeQuietly } from "../../fs/lock.ts";
import { isTempName } from "../../fs/replace-file.ts";
import { type Chunk, isChunkName } from "./chunk.ts";
import { foldersOf, removeUnfinished } from "./generations.ts";
import type { Manifest } from "./manifest.ts";

/** All chunks that a manifest names. */
export function chunksOf({ files, earlier }: Manifest): readonly Chunk[] {
  return [...files, ...earlier].flatMap((file) => file.chunks);
}

/**
 * Removes files that no manifest names from the folder of the newest generation: chunks that became part of larger
 * ones, and leftovers of a killed run. Older generations are never touched. Call it with the store's lock held, once
 * the manifest is durable.
 */
export function tidySession(disk: Disk, sessionFolder: string, newest: Manifest): void {
  const folder = foldersOf(sessionFolder)(newest.generation);
  const named = chunkNamesIn(newest.generation, [newest]);
  quietly(() => {
    const strays = disk.readdir(folder).filter(({ name, kind }) => kind === "file" && isStray(name, named));
    for (const { name } of strays) removeQuietly(disk, join(folder, name));
    // The catalog, which is written next, relies on the folder being tidy: removed files must not come back.
    if (strays.length > 0) disk.fsyncFolder(folder);
    removeUnfinished(disk, sessionFolder);
  });
}

/** Removes the remains of a session that never got a generation. */
export function tidyUnfinished(disk: Disk, sessionFolder: string): void {
  quietly(() => {
    removeUnfinished(disk, sessionFolder);
    // Fails if anything else is in it; then the folder stays.
    disk.rmdir(sessionFolder);
  });
}

/** Counts the files in the folder of a generation that no manifest names. */
export function countStrays(disk: Disk, sessionFolder: string, manifests: readonly Manifest[]): number {
  let strays = 0;
  for (const { generation } of manifests) {
    const named = chunkNamesIn(generation, manifests);
    quietly(() => {
      const entries = disk.readdir(foldersOf(sessionFolder)(generation));
      strays += entries.filter(({ name }) => isStray(name, named)).length;
    });
  }
  return strays;
}

/** Names of the chunk files that manifests have in the folder of one generation. */
function chunkNamesIn(folder: number, manifests: readonly Manifest[]): ReadonlySet<string> {
  const chunks = manifests.flatMap(chunksOf).filter(({ generation }) => generation === folder);
  return new Set(chunks.map(({ sha256 }) => `${sha256}.br`));
}

/** Whether this program wrote the file; other files are left alone. */
function isStray(name: string, named: ReadonlySet<string>): boolean {
  return isTempName(name) || (isChunkName(name) && !named.has(name));
}

/** A leftover is no reason to fail. */
function quietly(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
