import { Buffer } from "node:buffer";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "./disk.ts";
import { errorCode } from "./disk-error.ts";
import { makeFolders } from "./folders.ts";
import { replaceFile } from "./replace-file.ts";

const SUM_BYTES = 4;
const MAX_BYTES = 256 * 1024 * 1024;

/** Reads the content written by `writeCacheFile`; undefined if there is no such file, or if it is damaged. */
export function readCacheFile(disk: Disk, path: string): Buffer | undefined {
  try {
    const bytes = disk.readFile(path, MAX_BYTES);
    if (bytes === undefined || bytes.length < SUM_BYTES) return undefined;
    const content = bytes.subarray(SUM_BYTES);
    return crc32(content) === bytes.readUInt32LE(0) ? content : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Writes a file that only saves time, so it may be lost: with a checksum in front. */
export function writeCacheFile(disk: Disk, path: string, content: Buffer): void {
  makeFolders(disk, dirname(path));
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(content), 0);
  replaceFile(disk, path, [sum, content]);
}
