import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { IndexDamage } from "../../fs/damage.ts";
import type { Disk, Handle } from "../../fs/disk.ts";
import { diskError } from "../../fs/disk-error.ts";

/** A file that can be read in any range; each page is verified when it is read. */
export interface PagedFile {
  /** The result must not be changed: later reads may return the same memory. */
  read(offset: number, length: number): Buffer;
}

/** Pages kept in memory: those of dictionaries and columns are read again and again. */
const KEPT_PAGES = 128;

/** `sums` are the checksums of the pages; the last page ends at `end`. */
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
        throw new IndexDamage(`${name}: the bytes from ${page * PAGE_SIZE} have a wrong checksum`);
      }
    }
    return bytes;
  };

  return {
    read(offset, length) {
      if (length === 0) return Buffer.alloc(0);
      if (offset < 0 || length < 0 || offset + length > end) {
        throw new IndexDamage(`${name}: a part of it is outside of the file`);
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

/** The unit of verification. It is small, because a short posting list costs a whole page. */
const PAGE_SIZE = 8192;

/** Bytes that are written to the disk in one call. */
const FLUSH_SIZE = 256 * 1024;

/** Writes a file from start to end, with a checksum per page. */
export interface PagedWriter {
  /** Where the next byte goes. */
  readonly offset: number;
  append(bytes: Uint8Array): void;
  /** Ends the last page and returns the checksums of all pages. What is appended after it has none. */
  endPages(): Uint32Array;
  /** Everything is durable when this returns. */
  finish(): void;
  close(): void;
}

export function createPagedWriter(disk: Disk, path: string): PagedWriter {
  const explained = <T>(verb: string, action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw diskError(verb, path, error);
    }
  };
  const handle = explained("make", () => disk.open(path, "create"));
  const write = (bytes: Uint8Array): void => explained("write", () => writeAll(disk, handle, bytes));
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
      explained("write", () => disk.fsync(handle));
    },
    close: () => disk.close(handle),
  };
}

function writeAll(disk: Disk, handle: Handle, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += disk.write(handle, bytes.subarray(from));
}

/**
 * Where a column is: one number per document, all of the same width, so that any number can be read alone and all of
 * them without decoding. A column is the memory of a typed array, little-endian like every machine that this runs on.
 * A column of zeros has no bytes.
 */
export interface ColumnPlace {
  readonly offset: number;
  /** Bytes per number: 0, 1, 2 or 4 for whole numbers, 8 for all others. */
  readonly width: number;
}

export type ColumnArray = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export interface StoredColumn {
  at(index: number): number;
  /** All numbers; kept in memory. */
  all(): ColumnArray;
  /** The numbers from `from` up to, not including, `to`; not kept in memory. */
  slice(from: number, to: number): ColumnArray;
}

export function appendColumn(out: PagedWriter, values: readonly number[] | Uint32Array): ColumnPlace {
  const width = widthOf(values);
  const offset = out.offset;
  if (width !== 0) {
    const array = new arrayTypes[width](values);
    out.append(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  return { offset, width };
}

export function openColumn(file: PagedFile, place: ColumnPlace, count: number): StoredColumn {
  const { offset, width } = place;
  let whole: ColumnArray | undefined;
  let reads = 0;
  const slice = (from: number, to: number): ColumnArray =>
    width === 0
      ? new Uint8Array(to - from)
      : toArray(file.read(offset + from * width, (to - from) * width), width);
  const readOne = (index: number): number => {
    if (width === 0 || index >= count) return 0;
    const bytes = file.read(offset + index * width, width);
    return width === 8 ? bytes.readDoubleLE(0) : bytes.readUIntLE(0, width);
  };
  const all = (): ColumnArray => {
    whole ??= slice(0, count);
    return whole;
  };
  return {
    at: (index) => (whole === undefined && ++reads < WORTH_ALL ? readOne(index) : (all()[index] ?? 0)),
    all,
    slice,
  };
}

/** After this many single reads the whole column is read. */
const WORTH_ALL = 8;

const arrayTypes = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;

/** Copies the bytes: a typed array must start at a multiple of its width. */
function toArray(bytes: Buffer, width: number): ColumnArray {
  const { buffer } = new Uint8Array(bytes);
  if (width === 1) return new Uint8Array(buffer);
  if (width === 2) return new Uint16Array(buffer);
  return width === 4 ? new Uint32Array(buffer) : new Float64Array(buffer);
}

function widthOf(values: readonly number[] | Uint32Array): 0 | 1 | 2 | 4 | 8 {
  let max = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    // Not a whole number of 32 bits; NaN, too.
    if (value >>> 0 !== value) return 8;
    if (value > max) max = value;
  }
  if (max === 0) return 0;
  if (max <= 0xff) return 1;
  return max <= 0xffff ? 2 : 4;
}
