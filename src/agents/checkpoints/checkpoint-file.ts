import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Disk } from "../../fs/disk.ts";
import { replaceFile } from "../../fs/replace-file.ts";

/**
 * What was read of a log, so that a longer one is read from there on. The log may hold secrets, and so does this:
 * it is sealed with a key that is made from the log's own beginning. Who has the log can open it, and needs
 * not to; to anybody else it says nothing, and when the log is gone, to nobody.
 */
export interface Checkpoint {
  readonly head: CheckpointHead;
  /** Pieces of text, in their order. */
  readonly frames: readonly SealedFrame[];
}

/** What can be read without the log; the key of all else depends on it. */
interface CheckpointHead {
  /** What the frames are, in which version, of whom. */
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
  /** undefined if it is not what was sealed with this key and for this. */
  open(frame: SealedFrame, about: string): (() => string) | undefined;
}

/** The key for a log. Its first 16 KB have dozens of random names that are nowhere else. */
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
        // It was sealed with another key, or is not what was sealed: both are noticed only here.
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

/** Sealed frames are bound to these bytes: a head that is not what was written opens none. */
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

/** Sums of what has been read of a file, one for each block; the last block ends where reading ended. */
interface BlockSums {
  readonly end: number;
  readonly sums: readonly number[];
}

export const noSums: BlockSums = { end: 0, sums: [] };

export const BLOCK_BYTES: number = 8 * 1024 * 1024;

/** Goes on summing after what was summed before. */
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
 * Does the file still begin as it did? All of it is looked at, which takes 0.7 ms for each MB: little beside what else
 * is done to a log that has grown, and no edit in its middle goes unseen.
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
