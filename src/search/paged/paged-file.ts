import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { IndexDamage } from "../../fs/damage.ts";
import type { Disk, Handle } from "../../fs/disk.ts";
import { diskError } from "../../fs/disk-error.ts";

/** A file of which any range can be read, and is verified as far as it is read. */
export interface PagedFile {
  /** The bytes stay as they are: a range that is asked for again may be the same memory. */
  read(offset: number, length: number): Buffer;
}

/** Pages kept for the next question: a dictionary's and a column's are asked for again and again. */
const KEPT_PAGES = 128;

/** `sums` are the checksums of the pages, which end at `end`. */
export function createPagedFile(
  disk: Disk,
  handle: Handle,
  name: string,
  sums: Uint32Array,
  end: number,
): PagedFile {
  const kept = new Map<number, Buffer>();

  const readPages = (first: number, last: number): Buffer => {
    const offset = first * PAGE_SIZE;
    const bytes = readExactly(disk, handle, name, offset, Math.min((last + 1) * PAGE_SIZE, end) - offset);
    for (let page = first; page <= last; page++) {
      const from = (page - first) * PAGE_SIZE;
      if (crc32(bytes.subarray(from, from + PAGE_SIZE)) !== sums[page]) {
        throw new IndexDamage(`${name}: the bytes from ${page * PAGE_SIZE} are not what was written`);
      }
    }
    return bytes;
  };

  return {
    read(offset, length) {
      if (length === 0) return Buffer.alloc(0);
      if (offset < 0 || length < 0 || offset + length > end) {
        throw new IndexDamage(`${name}: a part is said to stand outside of the file`);
      }
      const first = Math.floor(offset / PAGE_SIZE);
      const last = Math.floor((offset + length - 1) / PAGE_SIZE);
      const from = offset - first * PAGE_SIZE;
      if (first !== last) return readPages(first, last).subarray(from, from + length);
      let page = kept.get(first);
      if (page === undefined) {
        page = readPages(first, first);
        if (kept.size >= KEPT_PAGES) kept.clear();
        kept.set(first, page);
      }
      return page.subarray(from, from + length);
    },
  };
}

export function readExactly(
  disk: Disk,
  handle: Handle,
  name: string,
  offset: number,
  length: number,
): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let got = 0; got < length; ) {
    const more = disk.read(handle, bytes.subarray(got), offset + got);
    if (more === 0) throw new IndexDamage(`${name}: it ends after ${offset + got} bytes`);
    got += more;
  }
  return bytes;
}

/**
 * A page is what a reader verifies at once. 8 KiB: a posting list of 20 bytes costs one page, and
 * the checksums of a segment of 100 MB are 50 KB.
 */
const PAGE_SIZE = 8192;

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
