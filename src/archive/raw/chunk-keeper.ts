import { Buffer } from "node:buffer";
import { ArchiveDamage } from "../../fs/archive-damage.ts";
import type { Disk } from "../../fs/disk.ts";
import type { OpenedFile } from "../archive-store.ts";
import { type Chunk, chunkPath, hashOf, readChunk, writeChunk } from "./chunk.ts";
import type { FolderOf } from "./generations.ts";
import type { StoredFile } from "./manifest.ts";
import type { WriteChunk } from "./store-file.ts";

/** Writes the chunks of one generation. */
export interface ChunkKeeper {
  readonly write: WriteChunk;
  /** Writes those chunks of a file anew that are damaged and whose bytes the file still has. How many. */
  mend(kept: StoredFile, opened: OpenedFile): number;
}

/**
 * The folder of the generation must exist. `known` are chunks that the session has already: what is in
 * them is not written again.
 */
export function createChunkKeeper(
  disk: Disk,
  folderOf: FolderOf,
  generation: number,
  known: readonly Chunk[],
): ChunkKeeper {
  const shared = new Map(known.map((chunk) => [chunk.sha256, chunk]));
  const proven = new Set<string>();

  /** Before the only other copy may go, it must be sure that this one is good. */
  const isGood = (chunk: Chunk): boolean => {
    if (proven.has(chunk.sha256)) return true;
    try {
      readChunk(disk, folderOf(chunk.generation), chunk);
      proven.add(chunk.sha256);
      return true;
    } catch (error) {
      if (error instanceof ArchiveDamage) return false;
      throw error;
    }
  };

  const rewrite = (chunk: Chunk, bytes: Uint8Array): void => {
    writeChunk(disk, chunkPath(folderOf(chunk.generation), chunk), bytes);
    proven.add(chunk.sha256);
  };

  return {
    write(bytes) {
      const sha256 = hashOf(bytes);
      const found = shared.get(sha256);
      if (found !== undefined) {
        if (!isGood(found)) rewrite(found, bytes);
        return { sha256, stored: found.stored, generation: found.generation };
      }
      const stored = writeChunk(disk, chunkPath(folderOf(generation), { sha256 }), bytes);
      shared.set(sha256, { offset: 0, length: bytes.length, sha256, stored, generation });
      proven.add(sha256);
      return { sha256, stored, generation };
    },
    mend(kept, opened) {
      let mended = 0;
      for (const chunk of kept.chunks) {
        if (isGood(chunk)) continue;
        const bytes = readRange(opened, chunk);
        if (hashOf(bytes) !== chunk.sha256) continue;
        rewrite(chunk, bytes);
        mended++;
      }
      return mended;
    },
  };
}

function readRange(opened: OpenedFile, { offset, length }: Chunk): Buffer {
  const parts: Buffer[] = [];
  let left = length;
  for (const part of opened.read(offset)) {
    parts.push(Buffer.from(part.subarray(0, left)));
    left -= Math.min(left, part.length);
    if (left === 0) break;
  }
  return Buffer.concat(parts);
}
