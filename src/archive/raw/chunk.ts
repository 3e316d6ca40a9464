import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { ArchiveDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { errorCode, explainDiskError, isAbsent } from "../../fs/disk-error.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import type { OpenedFile } from "../archive-store.ts";
import type { FolderOf } from "./generations.ts";
import type { StoredFile } from "./manifest.ts";
import type { WriteChunk } from "./store-file.ts";

/** Files are cut at multiples of this, so that equal beginnings become equal chunks. */
export const CHUNK_BYTES: number = 1024 * 1024;

/** A range of a file, and the chunk file with its bytes. */
export interface Chunk {
  /** Its offset in the file. */
  readonly offset: number;
  readonly length: number;
  /** Of the raw bytes: compressed ones differ between runtimes. It also names the chunk file. */
  readonly sha256: string;
  /** Size of the chunk file when it was written. */
  readonly stored: number;
  /** The generation whose folder contains it; a later one may share it. */
  readonly generation: number;
}

/** A higher quality takes longer and saves hardly anything. docs/STORAGE.md has the measurements. */
const QUALITY = 5;
/** A window larger than the chunk changes nothing. */
const WINDOW_BITS = 20;

/** The maximum size of a chunk file: incompressible bytes grow a little. */
export const MAX_STORED: number = CHUNK_BYTES + 64 * 1024;

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The file of a chunk in the folder of its generation. */
export function chunkPath(folder: string, { sha256 }: Pick<Chunk, "sha256">): string {
  return join(folder, `${sha256}.br`);
}

export function isChunkName(name: string): boolean {
  return /^[0-9a-f]{64}\.br$/.test(name);
}

/** Writes a chunk file and returns its size. The folder must exist. */
function writeChunk(disk: Disk, path: string, bytes: Uint8Array): number {
  const packed = compress(bytes);
  // The original may be deleted once this is stored, so the packed bytes are unpacked and compared.
  if (!unpack(packed, bytes.length).equals(bytes))
    throw new Error("brotli did not give back what it was given");
  replaceFile(disk, path, packed);
  return packed.length;
}

/** Reads a chunk and checks it against its hash. Throws `ArchiveDamage`. `folder` is the folder of its generation. */
export function readChunk(disk: Disk, folder: string, chunk: Chunk): Buffer {
  return unpackChunk(readPacked(disk, chunkPath(folder, chunk)), chunk);
}

/** Reads a stored chunk and checks it against its hash. Throws `ArchiveDamage`. */
export function readPackedChunk(disk: Disk, folder: string, chunk: Chunk): Buffer {
  const packed = readPacked(disk, chunkPath(folder, chunk));
  unpackChunk(packed, chunk);
  return packed;
}

/** Unpacks a chunk and checks it against its hash. Throws `ArchiveDamage`. */
export function unpackChunk(packed: Uint8Array, chunk: Pick<Chunk, "length" | "sha256">): Buffer {
  let bytes: Buffer;
  try {
    bytes = unpack(packed, chunk.length);
  } catch (error) {
    throw new ArchiveDamage("its chunk file can't be unpacked", { cause: error });
  }
  if (bytes.length !== chunk.length) {
    throw new ArchiveDamage(`its chunk file holds ${bytes.length} bytes instead of ${chunk.length}`);
  }
  if (hashOf(bytes) !== chunk.sha256) throw new ArchiveDamage("its bytes do not have the recorded hash");
  return bytes;
}

export class MissingChunk extends ArchiveDamage {}

function readPacked(disk: Disk, path: string): Buffer {
  try {
    const packed = disk.readHead(path, MAX_STORED + 1);
    if (packed.length > MAX_STORED) throw new ArchiveDamage("its chunk file is too large");
    return packed;
  } catch (error) {
    if (isAbsent(error)) throw new MissingChunk("its chunk file is missing", { cause: error });
    if (errorCode(error) === undefined) throw error;
    throw new ArchiveDamage(`its chunk file can't be read: ${explainDiskError(error)}`, { cause: error });
  }
}

export function compress(bytes: Uint8Array): Buffer {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

/**
 * Unpacks at most one byte more than expected: enough to see that it is too long. A damaged file may claim gigabytes.
 */
export function unpack(packed: Uint8Array, length: number): Buffer {
  return brotliDecompressSync(packed, { maxOutputLength: length + 1 });
}

/** Writes the chunks of one generation. */
interface ChunkKeeper {
  readonly write: WriteChunk;
  /** Writes the damaged chunks of a file again if the file still has their bytes; returns how many. */
  mend(kept: StoredFile, opened: OpenedFile): number;
}

/**
 * The folder of the generation must exist. `known` are chunks that the session has already, which are not written
 * again.
 */
export function createChunkKeeper(
  disk: Disk,
  folderOf: FolderOf,
  generation: number,
  known: readonly Chunk[],
): ChunkKeeper {
  const shared = new Map(known.map((chunk) => [chunk.sha256, chunk]));
  const proven = new Set<string>();

  /** Checks a chunk that exists already, because the only other copy of these bytes may be removed next. */
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
