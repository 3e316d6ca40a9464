import { Buffer } from "node:buffer";
import type { Disk, FileMark, Handle } from "../../../fs/disk.ts";
import { readWal, type Wal } from "./wal.ts";

/*
 * The pages of an SQLite database, read from its file and from the write-ahead log beside it. A database that another
 * program uses must not be opened with SQLite, which takes locks and removes the log. This only reads bytes, as a
 * copy would, without having to copy a gigabyte for every change.
 */

/** The database is damaged, or of an unsupported kind. */
export class DatabaseError extends Error {
  /** Reading may succeed if it is repeated. */
  readonly isTransient: boolean;

  constructor(what: string, isTransient = false) {
    super(what);
    this.isTransient = isTransient;
  }
}

/** A state of the database: everything that was committed when it was opened. */
export interface DatabasePages {
  /** The number of content bytes of a page. */
  readonly usable: number;
  readonly count: number;
  /** Counts from 1. Valid until the next page is requested. */
  page(number: number): Buffer;
  /** False if pages may have been overwritten since: then the data may be a mixture of two states. */
  isStill(): boolean;
  close(): void;
}

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const UTF_8 = 1;

/** Opens a database for reading. Throws `DatabaseError`, or the error of the disk. */
export function openPages(disk: Disk, path: string): DatabasePages {
  const before = marksOf(disk, path);
  const files: Handle[] = [];
  const open = (name: string): Handle => {
    const handle = disk.open(name, "read");
    files.push(handle);
    return handle;
  };
  const close = (): void => {
    for (const handle of files.splice(0)) disk.close(handle);
  };
  try {
    const file = open(path);
    const header = Buffer.alloc(HEADER_BYTES);
    const hasHeader = disk.read(file, header, 0) === HEADER_BYTES;
    const log = before.log === undefined ? undefined : open(`${path}-wal`);
    const wal = log === undefined ? undefined : readWal(disk, log);
    // Right after a database is created, all of it is in the log.
    const first = wal === undefined ? undefined : readFirst(disk, log, wal);
    const start = first ?? (hasHeader ? header : undefined);
    if (start === undefined || start.toString("latin1", 0, MAGIC.length) !== MAGIC)
      throw new DatabaseError("it is no SQLite database");
    const encoding = start.readUInt32BE(56);
    if (encoding > UTF_8) throw new DatabaseError("its texts are not in UTF-8");
    const given = start.readUInt16BE(16);
    const size = given === 1 ? 65_536 : given;
    if (size < 512 || (size & (size - 1)) !== 0 || (wal !== undefined && wal.pageSize !== size))
      throw new DatabaseError("the size of its pages makes no sense");
    const inFile = blockReader(disk, file, size);
    const inLog = log === undefined ? undefined : blockReader(disk, log, size);
    const count = wal?.pageCount ?? Math.floor(before.file.size / size);
    return {
      usable: size - (start[20] ?? 0),
      count,
      page(number) {
        if (!Number.isInteger(number) || number < 1 || number > count)
          throw new DatabaseError(`it names page ${number} of ${count}`);
        const at = wal?.places.get(number);
        return at === undefined || inLog === undefined ? inFile((number - 1) * size) : inLog(at);
      },
      isStill: () => isSameState(before, marksOf(disk, path)),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function readFirst(disk: Disk, log: Handle | undefined, wal: Wal): Buffer | undefined {
  const at = wal.places.get(1);
  if (at === undefined || log === undefined) return undefined;
  const bytes = Buffer.alloc(HEADER_BYTES);
  return disk.read(log, bytes, at) === HEADER_BYTES ? bytes : undefined;
}

/** Values that show whether pages were overwritten. */
interface DatabaseMarks {
  readonly file: FileMark;
  readonly log: { readonly salts: string } | undefined;
  /** How far the log was copied into the database, according to the index of the log. */
  readonly copied: string;
}

/** Salts and sequence number of the log: they change when it is written from its start again. */
const SALTS = { from: 12, to: 24 } as const;
/** From the index of the log: the frames that were copied into the database, and those that are about to be. */
const COPIED = [96, 128] as const;

function marksOf(disk: Disk, path: string): DatabaseMarks {
  const file = disk.stat(path);
  if (file === undefined) throw new DatabaseError("it is gone");
  // A rollback journal means that a transaction is running, or was interrupted.
  if ((disk.stat(`${path}-journal`)?.size ?? 0) > 0)
    throw new DatabaseError("a transaction on it is under way", true);
  const hasLog = (disk.stat(`${path}-wal`)?.size ?? 0) > 0;
  const log = hasLog ? bytesAt(disk, `${path}-wal`, SALTS.from, SALTS.to) : undefined;
  const copied = hasLog ? COPIED.map((at) => bytesAt(disk, `${path}-shm`, at, at + 4)) : [];
  const { size, mtimeMs, inode } = file;
  return {
    file: { size, mtimeMs, inode },
    log: log === undefined ? undefined : { salts: log },
    copied: copied.join(),
  };
}

/** Empty if there is no such file, or it is shorter. */
function bytesAt(disk: Disk, path: string, from: number, to: number): string {
  if (disk.stat(path) === undefined) return "";
  return Array.from(disk.readChunks(path, { from, to }), (chunk) => chunk.toString("hex")).join("");
}

/**
 * A commit only adds to the log, after the part that is read; a checkpoint writes to the database, or starts the log
 * again.
 */
function isSameState(a: DatabaseMarks, b: DatabaseMarks): boolean {
  return (
    a.file.size === b.file.size &&
    a.file.mtimeMs === b.file.mtimeMs &&
    a.file.inode === b.file.inode &&
    a.log?.salts === b.log?.salts &&
    a.copied === b.copied
  );
}

const BLOCK_BYTES = 64 * 1024;
const MAX_BLOCKS = 64;

/** Reads pages in blocks, and keeps the last few: neighbouring pages are often needed together. */
function blockReader(disk: Disk, file: Handle, pageSize: number): (at: number) => Buffer {
  const blocks = new Map<number, Buffer>();
  const whole = Buffer.allocUnsafeSlow(pageSize);
  const block = (number: number): Buffer => {
    const known = blocks.get(number);
    if (known !== undefined) return known;
    const oldest = blocks.size < MAX_BLOCKS ? undefined : blocks.entries().next().value;
    if (oldest !== undefined) blocks.delete(oldest[0]);
    const into = oldest === undefined ? Buffer.allocUnsafeSlow(BLOCK_BYTES) : whole64(oldest[1]);
    const got = disk.read(file, into, number * BLOCK_BYTES);
    const kept = into.subarray(0, got);
    blocks.set(number, kept);
    return kept;
  };
  return (at) => {
    const number = Math.floor(at / BLOCK_BYTES);
    const from = at - number * BLOCK_BYTES;
    const bytes = block(number);
    if (from + pageSize <= bytes.length) return bytes.subarray(from, from + pageSize);
    // A page of the log may begin anywhere.
    let copied = 0;
    for (let next = number, start = from; copied < pageSize; next++, start = 0) {
      const part = block(next).subarray(start, start + pageSize - copied);
      if (part.length === 0) throw new DatabaseError("it ends within a page");
      part.copy(whole, copied);
      copied += part.length;
    }
    return whole;
  };
}

/** The whole buffer of a block, which may be filled only in part. */
function whole64(block: Buffer): Buffer {
  return Buffer.from(block.buffer, block.byteOffset, BLOCK_BYTES);
}
