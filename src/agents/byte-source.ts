import type { Buffer } from "node:buffer";

/**
 * Where the bytes of a session come from: the agent's own files, or the raw archive where those are
 * gone. Reading does not care.
 */
export interface ByteSource {
  /** Chunks share one buffer: each is valid until the next is asked for. Throws where it can't be read. */
  chunks(path: string): Iterable<Uint8Array>;
  /** A small file whole; undefined where it is missing, too long or unreadable. */
  text(path: string, maxBytes: number): string | undefined;
  /** The first bytes, or those from a place on; empty where it can't be read. */
  head(path: string, from?: number): Buffer;
  /** What an error of `chunks` means, in a few words. */
  explain(error: unknown): string;
}
