import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Disk } from "../../fs/disk.ts";
import { replaceFile } from "../../fs/replace-file.ts";

/**
 * The file of a parse checkpoint: what was read of a log, so that only its new lines need to be read. It may hold
 * secrets of the log, so it is sealed with a key derived from the log's first bytes. Whoever has the log can open it
 * but gains nothing; nobody else can, and nobody at all once the log is gone.
 */
export interface Checkpoint {
  readonly head: CheckpointHead;
  /** Pieces of text, in their order. */
  readonly frames: readonly SealedFrame[];
}

/** The part that can be read without the log; the key of everything else depends on it. */
interface CheckpointHead {
  /** What the frames contain, in which version, and for which log. */
  readonly kind: string;
  readonly sums: BlockSums;
  /** How many lines were read. */
  readonly lines: number;
}

export interface SealedFrame {
  readonly bytes: Buffer;
}

const MAGIC: Buffer = Buffer.from("sessions tail 1\n");
const KEY_BYTES = 16 * 1024;
const NONCE = 12;
const TAG = 16;
const MAX_FILE: number = 256 * 1024 * 1024;

interface CheckpointKey {
  seal(text: string, about: string): SealedFrame;
  /** undefined if it was sealed with another key or for another purpose. */
  open(frame: SealedFrame, about: string): (() => string) | undefined;
}

/** The key for a log. Its first 16 KB contain dozens of random names that occur nowhere else. */
export function checkpointKey(disk: Disk, path: string): CheckpointKey {
  const key = createHash("sha256").update("sessions tail\0").update(disk.readHead(path, KEY_BYTES)).digest();
  return {
    seal(text, about) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(about));
      const sealed = cipher.update(deflateRawSync(text, { level: 1 }));
      const last = cipher.final();
      return { bytes: Buffer.concat([nonce, cipher.getAuthTag(), sealed, last]) };
    },
    open({ bytes }, about) {
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      try {
        const packed = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]);
        return () => inflateRawSync(packed).toString("utf8");
      } catch {
        // A wrong key and damaged bytes are both noticed only here.
        return undefined;
      }
    },
  };
}

export function readCheckpoint(disk: Disk, path: string): Checkpoint | undefined {
  const bytes = disk.readFile(path, MAX_FILE);
  if (bytes === undefined || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const parts: Buffer[] = [];
  for (let at = MAGIC.length; at < bytes.length; ) {
    if (at + 4 > bytes.length) return undefined;
    const length = bytes.readUInt32LE(at);
    if (at + 4 + length > bytes.length) return undefined;
    parts.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  const [first, ...frames] = parts;
  const head = first === undefined ? undefined : readHead(first);
  if (head === undefined || frames.some((frame) => frame.length < NONCE + TAG)) return undefined;
  return { head, frames: frames.map((frame) => ({ bytes: frame })) };
}

/** Sealed frames are bound to these bytes: a changed head opens none of them. */
export function headBytes({ kind, sums, lines }: CheckpointHead): Buffer {
  return Buffer.from(JSON.stringify({ kind, end: sums.end, sums: sums.sums, lines }));
}

function readHead(bytes: Buffer): CheckpointHead | undefined {
  try {
    const { kind, end, sums, lines } = JSON.parse(bytes.toString("utf8"));
    if (typeof kind !== "string" || !Array.isArray(sums)) return undefined;
    if (![end, lines, ...sums].every(Number.isSafeInteger)) return undefined;
    return { kind, sums: { end, sums }, lines };
  } catch {
    return undefined;
  }
}

export function checkpointSize({ head, frames }: Checkpoint): number {
  return frames.reduce((sum, { bytes }) => sum + 4 + bytes.length, MAGIC.length + 4 + headBytes(head).length);
}

export function writeCheckpoint(disk: Disk, path: string, { head, frames }: Checkpoint): void {
  const parts = [headBytes(head), ...frames.map(({ bytes }) => bytes)];
  replaceFile(disk, path, [MAGIC, ...parts.flatMap((part) => [lengthOf(part), part])]);
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return length;
}

/** Checksums of the part of a file that was read, one for each block; the last block ends where reading ended. */
interface BlockSums {
  readonly end: number;
  readonly sums: readonly number[];
}

export const noSums: BlockSums = { end: 0, sums: [] };

export const BLOCK_BYTES: number = 8 * 1024 * 1024;

/** Continues earlier checksums. */
interface BlockSummer {
  take(bytes: Uint8Array): void;
  sums(): BlockSums;
}

export function createBlockSummer(from: BlockSums): BlockSummer {
  const sums = [...from.sums];
  let { end } = from;
  return {
    take(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const block = Math.floor(end / BLOCK_BYTES);
        const length = Math.min(bytes.length - at, (block + 1) * BLOCK_BYTES - end);
        sums[block] = crc32(bytes.subarray(at, at + length), sums[block] ?? 0);
        at += length;
        end += length;
      }
    },
    sums: () => ({ end, sums: [...sums] }),
  };
}

/**
 * Whether the file still begins the same. Compares all of it, at 0.7 ms per MB: little beside everything else that is
 * done to a grown log, and no edit in the middle goes unnoticed.
 */
export function isPrefixUnchanged(disk: Disk, path: string, { end, sums }: BlockSums): boolean {
  for (const [block, sum] of sums.entries()) {
    const from = block * BLOCK_BYTES;
    const to = Math.min(end, from + BLOCK_BYTES);
    let at = from;
    let found = 0;
    for (const chunk of disk.readChunks(path, { from, to, chunkSize: 1024 * 1024 })) {
      found = crc32(chunk, found);
      at += chunk.length;
    }
    if (at !== to || found !== sum) return false;
  }
  return true;
}
