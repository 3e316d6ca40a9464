import { Buffer } from "node:buffer";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import type { Disk } from "../fs/disk.ts";
import { errorCode, explainDiskError } from "../fs/disk-error.ts";
import { peekOn } from "../fs/sources.ts";
import type { AgentName } from "../session/entry.ts";
import type { LogKey } from "../session/session.ts";
import type { LogBase } from "./agent.ts";
import { reasonOf } from "./isolate.ts";
import { isPacked, unpackChunks, unpackHead } from "./packed-log.ts";

/**
 * Where the bytes of a session come from: the agent's own files, or the raw archive if those are gone. Readers need
 * not know which.
 */
export interface ByteSource {
  /** Chunks share one buffer: each is valid until the next is requested. Throws if it can't be read. */
  chunks(path: string): Iterable<Uint8Array>;
  /** A small file as one buffer; undefined if it is missing, too long or unreadable. */
  text(path: string, maxBytes: number): string | undefined;
  /** The first bytes, or those from an offset on; empty if they can't be read. */
  head(path: string, from?: number): Buffer;
  /** Finds the log that another one continues; absent if the source has only the session's own files. */
  baseLog?(agent: AgentName, base: LogBase): BaseLog | undefined;
  /** Explains an error of `chunks` in a few words. */
  explain(error: unknown): string;
}

/** A log that another one continues, and where it is read from. */
export interface BaseLog {
  readonly path: string;
  readonly source: ByteSource;
  /** Set if only the archive has it. */
  readonly archived?: LogKey;
}

const CHUNK_BYTES = 256 * 1024;

/** Reads the agent's own files. All share one buffer, so only one file may be read at a time. */
export function diskSource(disk: Disk): ByteSource {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const source: ByteSource = unpacking({
    chunks: (path) => disk.readChunks(path, { buffer }),
    text: (path, maxBytes) => {
      try {
        return disk.readFile(path, maxBytes)?.toString("utf8");
      } catch (error) {
        // A UserError says that the file is too long.
        if (errorCode(error) === undefined && !(error instanceof UserError)) throw error;
        return undefined;
      }
    },
    head: peekOn(disk),
    baseLog: (_, { folders, isNamed }) => {
      for (const folder of folders) {
        const name = filesIn(disk, folder).find(isNamed);
        if (name !== undefined) return { path: join(folder, name), source };
      }
      return undefined;
    },
    explain: (error) => (errorCode(error) === undefined ? reasonOf(error) : explainDiskError(error)),
  });
  return source;
}

function filesIn(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.readdir(folder).flatMap(({ name, kind }) => (kind === "file" ? [name] : []));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** The same source, with packed logs unpacked. */
export function unpacking(source: ByteSource): ByteSource {
  return {
    ...source,
    chunks: (path) => (isPacked(path) ? unpackChunks(source.chunks(path)) : source.chunks(path)),
    head: (path, from) => (isPacked(path) ? packedHead(source.head(path), from) : source.head(path, from)),
  };
}

/** Only the start of a packed log is known. */
function packedHead(head: Buffer, from = 0): Buffer {
  return unpackHead(head).subarray(from);
}
