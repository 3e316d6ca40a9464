import { createHash } from "node:crypto";
import { join } from "node:path";
import { ArchiveDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { errorCode, isWithoutLinks } from "../../fs/disk-error.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import type { LogKey, SessionName } from "../../session/session.ts";
import { type Chunk, MAX_STORED, readChunk } from "./chunk.ts";
import {
  beginGeneration,
  type FolderOf,
  foldersOf,
  generationNumbers,
  readGeneration,
  sessionFolder,
  writeManifest,
} from "./generations.ts";
import type { Manifest } from "./manifest.ts";
import { chunksOf, tidySession } from "./tidy-session.ts";

/*
 * Sessions of other machines are stored beside those of this one, under the same id and a `copy` of their own: the
 * same generations with the same chunks as on their machine. They change only by taking over generations from that
 * machine.
 */

/** Names a session of another machine in this store. */
export function mirrorKey({ agent, id }: SessionName, machine: string, copy: string | null): LogKey {
  const place = `${machine}\0${copy ?? ""}`;
  return { agent, id, copy: createHash("sha256").update(place).digest("hex").slice(0, 12) };
}

/** The mirrored generations of a session, by number. Damaged ones are left out, so that they are pulled again. */
export function mirroredGenerations(disk: Disk, raw: string, key: LogKey): ReadonlyMap<number, Manifest> {
  const folder = sessionFolder(raw, key);
  const found = new Map<number, Manifest>();
  for (const number of generationNumbers(disk, folder)) {
    const generation = readGeneration(disk, folder, number, key);
    if (generation.kind === "good") found.set(number, generation.manifest);
  }
  return found;
}

/** Whether the store already has a chunk of a mirrored session, and its hash is right. */
export function hasMirroredChunk(disk: Disk, raw: string, key: LogKey, chunk: Chunk): boolean {
  return isWhole(disk, foldersOf(sessionFolder(raw, key))(chunk.generation), chunk);
}

function isWhole(disk: Disk, folder: string, chunk: Chunk): boolean {
  try {
    readChunk(disk, folder, chunk);
    return true;
  } catch (error) {
    if (error instanceof ArchiveDamage) return false;
    throw error;
  }
}

/**
 * Takes over generations of a session of another machine, the oldest first. `staged` returns where the bytes of a
 * missing chunk are. The order is the same as for every generation: chunks, manifest, removal of files that it no
 * longer names. Requires the store's lock.
 */
export function mirrorSession(
  disk: Disk,
  raw: string,
  manifests: readonly Manifest[],
  staged: (chunk: Chunk) => string,
): void {
  for (const given of manifests.toSorted((a, b) => a.generation - b.generation)) {
    const folder = sessionFolder(raw, given);
    const manifest = withOwnChunks(disk, foldersOf(folder), given);
    const own = chunksOf(manifest).filter(({ generation }) => generation === manifest.generation);
    const isThere = disk.stat(foldersOf(folder)(manifest.generation)) !== undefined;
    const begun = isThere ? undefined : beginGeneration(disk, folder, manifest.generation);
    const into = begun?.folder ?? foldersOf(folder)(manifest.generation);
    for (const chunk of own) placeChunk(disk, into, chunk, staged(chunk));
    disk.fsyncFolder(into);
    writeManifest(disk, into, manifest);
    begun?.finish();
    tidySession(disk, folder, manifest);
  }
}

/**
 * Makes a generation own the chunks that it shares with another one if they are missing there: the other generation
 * could not be pushed or pulled, or was damaged here.
 */
function withOwnChunks(disk: Disk, folderOf: FolderOf, manifest: Manifest): Manifest {
  const { generation: own } = manifest;
  const placed = <T extends { readonly chunks: readonly Chunk[] }>(file: T): T => ({
    ...file,
    chunks: file.chunks.map((chunk) =>
      chunk.generation === own || isWhole(disk, folderOf(chunk.generation), chunk)
        ? chunk
        : { ...chunk, generation: own },
    ),
  });
  return { ...manifest, files: manifest.files.map(placed), earlier: manifest.earlier.map(placed) };
}

/** Gives a staged chunk file a second name, in the archive. Chunk files never change. */
function placeChunk(disk: Disk, folder: string, chunk: Chunk, staged: string): void {
  const target = join(folder, `${chunk.sha256}.br`);
  if (isWhole(disk, folder, chunk)) return;
  try {
    disk.link(staged, target);
  } catch (error) {
    // The existing file is damaged, or was compressed differently.
    if (errorCode(error) !== "EEXIST" && !isWithoutLinks(error)) throw error;
    replaceFile(disk, target, disk.readHead(staged, MAX_STORED));
  }
}
