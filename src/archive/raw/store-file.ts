import { Buffer } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import type { Disk, FileStat, Handle } from "../../fs/disk.ts";
import type { FileToKeep, ListedFile, OpenedFile } from "../archive-store.ts";
import { CHUNK_BYTES, type Chunk, hashOf } from "./chunk.ts";
import type { StoredFile } from "./manifest.ts";

/** The result of comparing a file with its archived state. */
type Examined =
  | { readonly kind: "same" }
  /** It begins with the archived bytes, which are in `hash`. */
  | { readonly kind: "grown"; readonly hash: Hash }
  | { readonly kind: "rewritten" }
  /** It changes while it is read. */
  | { readonly kind: "unsteady" };

/**
 * Compares a file with its archived state, reading all of it: the hash of the whole file is needed anyway, and so no
 * edit in the middle goes unnoticed.
 */
export function examineFile(opened: OpenedFile, kept: StoredFile): Examined {
  if (opened.mark.size < kept.size) return { kind: "rewritten" };
  const hash = createHash("sha256");
  let left = kept.size;
  if (left > 0) {
    for (const part of opened.read(0)) {
      const take = Math.min(left, part.length);
      hash.update(part.subarray(0, take));
      left -= take;
      if (left === 0) break;
    }
  }
  if (left > 0) return { kind: "unsteady" };
  if (hash.copy().digest("hex") !== kept.sha256) return { kind: "rewritten" };
  return opened.mark.size === kept.size ? { kind: "same" } : { kind: "grown", hash };
}

/** Writes a chunk unless it exists. */
export type WriteChunk = (bytes: Buffer) => Omit<Chunk, "offset" | "length">;

interface GrownFrom {
  readonly kept: StoredFile;
  readonly hash: Hash;
}

/**
 * Stores the bytes of a file: all of them, or what was appended. A last chunk that is not full is replaced by a larger
 * one, so that a log that is archived often does not end up in a thousand small chunks. Returns undefined if the file
 * changed while it was read.
 */
export function storeFile(
  file: FileToKeep,
  opened: OpenedFile,
  write: WriteChunk,
  grown?: GrownFrom,
): StoredFile | undefined {
  const full = (grown?.kept.chunks ?? []).filter(({ length }) => length === CHUNK_BYTES);
  const lastPartialChunk = grown?.kept.chunks.find(({ length }) => length < CHUNK_BYTES);
  const chunks: Chunk[] = [...full];
  const hash = grown?.hash ?? createHash("sha256");
  const hashedTo = grown?.kept.size ?? 0;
  const { size } = opened.mark;
  const start = full.length * CHUNK_BYTES;
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, Math.max(1, size - start)));
  let offset = start;
  let filled = 0;

  const flush = (): boolean => {
    const bytes = buffer.subarray(0, filled);
    if (
      offset === lastPartialChunk?.offset &&
      hashOf(bytes.subarray(0, lastPartialChunk.length)) !== lastPartialChunk.sha256
    )
      return false;
    chunks.push({ offset, length: filled, ...write(bytes) });
    offset += filled;
    filled = 0;
    return true;
  };

  for (const part of opened.read(start)) {
    const at = offset + filled;
    if (at + part.length > hashedTo) hash.update(part.subarray(Math.max(0, hashedTo - at)));
    for (let taken = 0; taken < part.length; ) {
      const take = Math.min(part.length - taken, buffer.length - filled);
      buffer.set(part.subarray(taken, taken + take), filled);
      filled += take;
      taken += take;
      if (filled === CHUNK_BYTES && !flush()) return undefined;
    }
  }
  if (filled > 0 && !flush()) return undefined;
  if (offset !== size || !opened.isStill()) return undefined;
  return storedFileOf(file, opened, hash.digest("hex"), chunks);
}

/** The record of a file whose bytes are archived. */
export function storedFileOf(
  { path, role, root }: FileToKeep,
  { mark, mode }: OpenedFile,
  sha256: string,
  chunks: readonly Chunk[],
): StoredFile {
  return { path, role, root, ...mark, mode, sha256, chunks };
}

const READ_BYTES = 256 * 1024;

/** A file of an agent, to be archived. */
export function sourceFile(disk: Disk, file: ListedFile, root: string | null): FileToKeep {
  const { path, role, size, mtimeMs, inode } = file;
  return { path, role, size, mtimeMs, inode, root, open: () => openSource(disk, path) };
}

/**
 * Everything is read through one handle: a file that is replaced in the meantime is read to its old end, and one that
 * grows up to its size when it was opened.
 */
function openSource(disk: Disk, path: string): OpenedFile {
  const handle = disk.open(path, "read");
  let first: FileStat;
  try {
    first = disk.fstat(handle);
  } catch (error) {
    disk.close(handle);
    throw error;
  }
  const { size, mtimeMs, inode, mode } = first;
  return {
    mark: { size, mtimeMs, inode },
    mode,
    read: (from) => readUpTo(disk, handle, from, size),
    isStill: () => {
      const now = disk.fstat(handle);
      // Longer: the part that was read is its start. Same length but written since: the bytes may differ.
      return now.size > size || (now.size === size && now.mtimeMs === mtimeMs);
    },
    close: () => disk.close(handle),
  };
}

function* readUpTo(disk: Disk, handle: Handle, from: number, to: number): Generator<Buffer, void, void> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(READ_BYTES, to - from)));
  for (let at = from; at < to; ) {
    const got = disk.read(handle, buffer.subarray(0, Math.min(buffer.length, to - at)), at);
    if (got === 0) return;
    at += got;
    yield buffer.subarray(0, got);
  }
}
