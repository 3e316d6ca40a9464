import { Buffer } from "node:buffer";
import { UserError } from "../errors.ts";
import type { Disk } from "../fs/disk.ts";
import { errorCode, explainDiskError } from "../fs/disk-error.ts";
import { peekOn } from "../fs/sources.ts";
import { reasonOf } from "./isolate.ts";
import { isPacked, unpackChunks, unpackHead } from "./packed-log.ts";

/**
 * Where the bytes of a session come from: the agent's own files, or the raw archive if those are
 * gone. Reading does not care.
 */
export interface ByteSource {
  /** Chunks share one buffer: each is valid until the next is requested. Throws if it can't be read. */
  chunks(path: string): Iterable<Uint8Array>;
  /** A small file whole; undefined if it is missing, too long or unreadable. */
  text(path: string, maxBytes: number): string | undefined;
  /** The first bytes, or those from a place on; empty if it can't be read. */
  head(path: string, from?: number): Buffer;
  /** The files of a folder, by their names; absent if there are no files but the session's own. */
  names?(folder: string): readonly string[];
  /** What an error of `chunks` means, in a few words. */
  explain(error: unknown): string;
}

const CHUNK_BYTES = 256 * 1024;

/** Reads the agent's own files. All share one buffer, so only one file may be read at a time. */
export function diskSource(disk: Disk): ByteSource {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  return unpacking({
    chunks: (path) => disk.readChunks(path, { buffer }),
    text: (path, maxBytes) => {
      try {
        return disk.readFile(path, maxBytes)?.toString("utf8");
      } catch (error) {
        // A UserError says that it is too long.
        if (errorCode(error) === undefined && !(error instanceof UserError)) throw error;
        return undefined;
      }
    },
    head: peekOn(disk),
    names: (folder) => {
      try {
        return disk.readdir(folder).flatMap(({ name, kind }) => (kind === "file" ? [name] : []));
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return [];
      }
    },
    explain: (error) => (errorCode(error) === undefined ? reasonOf(error) : explainDiskError(error)),
  });
}

/** The same source, with packed logs as if they were not packed. */
export function unpacking(source: ByteSource): ByteSource {
  return {
    ...source,
    chunks: (path) => (isPacked(path) ? unpackChunks(source.chunks(path)) : source.chunks(path)),
    head: (path, from) => (isPacked(path) ? packedHead(source.head(path), from) : source.head(path, from)),
  };
}

/** Of a packed log only the start is known. */
function packedHead(head: Buffer, from = 0): Buffer {
  return unpackHead(head).subarray(from);
}
