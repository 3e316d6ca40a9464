import { Buffer } from "node:buffer";
import { Decompress } from "fzstd";

/*
 * Codex packs logs that it has not used for a week with Zstandard. They are archived and restored packed, and read as
 * if they were not packed. Node has no Zstandard before version 22.15.
 */

const PACKED = ".zst";

/** Whether this is the path of a packed log. Decides by name: a file that only has the content of one is not a log. */
export function isPacked(path: string): boolean {
  return path.endsWith(PACKED);
}

/** The path of a log without packing: a packed log keeps its place and the rest of its name. */
export function unpackedPath(path: string): string {
  return isPacked(path) ? path.slice(0, -PACKED.length) : path;
}

/** The path of a log after it is packed or unpacked. */
export function otherForm(path: string): string {
  return isPacked(path) ? unpackedPath(path) : path + PACKED;
}

/** Unpacks a file piece by piece. Content before a damaged place is returned before it throws. */
export function* unpackChunks(packed: Iterable<Uint8Array>): Generator<Uint8Array> {
  const unpacked: Uint8Array[] = [];
  const stream = new Decompress((data) => void unpacked.push(data));
  for (const chunk of packed) {
    // The chunk's memory is reused, while the stream keeps bytes that it can't unpack yet.
    yield* pushed(stream, unpacked, Uint8Array.from(chunk));
  }
  yield* pushed(stream, unpacked, new Uint8Array(0), true);
}

function* pushed(
  stream: Decompress,
  unpacked: Uint8Array[],
  chunk: Uint8Array,
  isLast = false,
): Generator<Uint8Array> {
  let failure: unknown;
  try {
    stream.push(chunk, isLast);
  } catch (error) {
    failure = error;
  }
  yield* unpacked.splice(0);
  if (failure !== undefined) throw failure;
}

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * The start of a packed log, from the first bytes of its file; empty if they can't be unpacked. Unpacked bytes are
 * returned as they are.
 */
export function unpackHead(packed: Buffer): Buffer {
  if (!packed.subarray(0, MAGIC.length).equals(MAGIC)) return packed;
  const parts: Uint8Array[] = [];
  try {
    for (const part of unpackChunks([packed])) parts.push(part);
  } catch {
    // The file continues after these bytes, or is damaged: use the unpacked part.
  }
  return Buffer.concat(parts).subarray(0, HEAD_BYTES);
}

const HEAD_BYTES = 64 * 1024;
