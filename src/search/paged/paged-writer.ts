import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import type { Disk, Handle } from "../../fs/disk.ts";
import { diskError } from "../../fs/disk-error.ts";

/**
 * A page is what a reader verifies at once. 8 KiB: a posting list of 20 bytes costs one page, and
 * the checksums of a segment of 100 MB are 50 KB.
 */
export const PAGE_SIZE = 8192;

/** Bytes gathered before they go to the disk in one call. */
const FLUSH_SIZE = 256 * 1024;

/** A file written from its beginning to its end, with a checksum per page. */
export interface PagedWriter {
  /** Where the next byte will stand. */
  readonly offset: number;
  append(bytes: Uint8Array): void;
  /** Ends the last page; the checksums of all pages. What is appended after it has none. */
  endPages(): Uint32Array;
  /** Everything is on the disk when this returns. */
  finish(): void;
  /** Gives the handle back, whatever happened. */
  close(): void;
}

export function createPagedWriter(disk: Disk, path: string): PagedWriter {
  const told = <T>(verb: string, action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw diskError(verb, path, error);
    }
  };
  const handle = told("make", () => disk.open(path, "create"));
  const write = (bytes: Uint8Array): void => told("write", () => writeAll(disk, handle, bytes));
  const pending = Buffer.allocUnsafeSlow(FLUSH_SIZE);
  let pendingLength = 0;
  let offset = 0;
  let pageFill = 0;
  let pageSum = 0;
  let ended = false;
  const sums: number[] = [];

  const checksum = (bytes: Uint8Array): void => {
    for (let from = 0; from < bytes.length; ) {
      const take = Math.min(PAGE_SIZE - pageFill, bytes.length - from);
      pageSum = crc32(bytes.subarray(from, from + take), pageSum);
      pageFill += take;
      from += take;
      if (pageFill === PAGE_SIZE) endPage();
    }
  };
  const endPage = (): void => {
    sums.push(pageSum);
    pageFill = 0;
    pageSum = 0;
  };
  const flush = (): void => {
    write(pending.subarray(0, pendingLength));
    pendingLength = 0;
  };

  return {
    get offset() {
      return offset;
    },
    append(bytes) {
      offset += bytes.length;
      if (!ended) checksum(bytes);
      if (pendingLength + bytes.length > FLUSH_SIZE) flush();
      if (bytes.length > FLUSH_SIZE) {
        write(bytes);
      } else {
        pending.set(bytes, pendingLength);
        pendingLength += bytes.length;
      }
    },
    endPages() {
      if (pageFill > 0) endPage();
      ended = true;
      return Uint32Array.from(sums);
    },
    finish() {
      flush();
      told("write", () => disk.fsync(handle));
    },
    close: () => disk.close(handle),
  };
}

function writeAll(disk: Disk, handle: Handle, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += disk.write(handle, bytes.subarray(from));
}
