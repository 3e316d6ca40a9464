import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import type { Disk, Handle } from "../../fs/disk.ts";
import { IndexDamage } from "../../fs/index-damage.ts";
import { PAGE_SIZE } from "./paged-writer.ts";

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
