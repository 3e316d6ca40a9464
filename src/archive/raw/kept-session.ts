import type { Buffer } from "node:buffer";
import type { Disk } from "../../fs/disk.ts";
import type { KeptFile, KeptSession } from "../archive-store.ts";
import { type Chunk, MissingChunk, readChunk } from "./chunk.ts";
import { type FolderOf, foldersOf, readGeneration } from "./generations.ts";
import { type Manifest, ownFiles, type StoredFile } from "./manifest.ts";

/** A generation, open for reading. */
export function keptSession(
  disk: Disk,
  sessionFolder: string,
  manifest: Manifest,
  generations: readonly number[],
  folderOf: FolderOf = foldersOf(sessionFolder),
): KeptSession {
  const { agent, id, copy, generation, files, earlier, markdown, origin } = manifest;
  const own = ownFiles(manifest);
  const stored = new Map<KeptFile, StoredFile>([...files, ...earlier].map((file) => [file, file]));
  return {
    agent,
    id,
    copy,
    generation,
    origin,
    generations,
    files: own,
    others: files.filter((file) => !own.includes(file)),
    earlier,
    markdown,
    location: sessionFolder,
    read: (file, from = 0) => {
      const found = stored.get(file);
      if (found === undefined) throw new Error(`${file.path} is not a file of generation ${generation}`);
      const now = (): readonly Chunk[] => chunksNow(disk, sessionFolder, manifest, found);
      return readStored(disk, folderOf, found, from, now);
    },
  };
}

function* readStored(
  disk: Disk,
  folderOf: FolderOf,
  file: StoredFile,
  from: number,
  chunksNow: () => readonly Chunk[],
): Generator<Buffer, void, void> {
  let { chunks } = file;
  let at = from;
  while (at < file.size) {
    const chunk = chunkAt(chunks, at);
    if (chunk === undefined) return;
    let bytes: Buffer;
    try {
      bytes = readChunk(disk, folderOf(chunk.generation), chunk);
    } catch (error) {
      if (!(error instanceof MissingChunk)) throw error;
      // The file may have grown in the meantime: then its last chunk is part of a larger one.
      const now = chunksNow();
      if (chunkAt(now, at)?.sha256 === chunk.sha256 || chunkAt(now, at) === undefined) throw error;
      chunks = now;
      continue;
    }
    const end = Math.min(chunk.offset + chunk.length, file.size);
    yield bytes.subarray(at - chunk.offset, end - chunk.offset);
    at = end;
  }
}

function chunkAt(chunks: readonly Chunk[], at: number): Chunk | undefined {
  return chunks.find(({ offset, length }) => offset <= at && at < offset + length);
}

/** The chunks of a file in the present manifest. */
function chunksNow(
  disk: Disk,
  sessionFolder: string,
  { generation }: Manifest,
  { path }: StoredFile,
): readonly Chunk[] {
  const found = readGeneration(disk, sessionFolder, generation);
  if (found.kind === "damaged") return [];
  return found.manifest.files.find((file) => file.path === path)?.chunks ?? [];
}
