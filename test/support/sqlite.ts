import { Buffer } from "node:buffer";
import initSqlJs from "sql.js";

/** A database of SQLite itself, in memory. */
export interface SqliteDatabase {
  run(sql: string, values?: readonly unknown[]): void;
  /** The rows of a query, each a list of its values. */
  rows(sql: string): readonly (readonly unknown[])[];
  /** Its file. */
  bytes(): Buffer;
  close(): void;
}

export type OpenSqlite = (file?: Uint8Array) => SqliteDatabase;

/** SQLite, compiled to run anywhere: Node has it only from version 22 on. */
export async function loadSqlite(): Promise<OpenSqlite> {
  const { Database } = await initSqlJs();
  return (file) => {
    const database = new Database(file);
    return {
      run: (sql, values = []) => void database.run(sql, [...values]),
      rows: (sql) => database.exec(sql)[0]?.values ?? [],
      bytes: () => Buffer.from(database.export()),
      close: () => database.close(),
    };
  };
}

export interface WalOptions {
  /** Frames of a transaction that was not committed follow. */
  readonly uncommitted?: Buffer;
  readonly salt?: number;
  readonly isBigEndian?: boolean;
}

/** The write-ahead log that leads from one state of a database to another, as SQLite writes it. */
export function makeWal(from: Buffer, to: readonly Buffer[], options: WalOptions = {}): Buffer {
  const given = (to[0] ?? from).readUInt16BE(16);
  const pageSize = given === 1 ? 65_536 : given;
  const isBigEndian = options.isBigEndian === true;
  const salt = options.salt ?? 0x1234_5678;
  const sum = { first: 0, second: 0 };
  const add = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length; at += 8) {
      const [a, b] = isBigEndian
        ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
        : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      sum.first = (sum.first + a + sum.second) >>> 0;
      sum.second = (sum.second + b + sum.first) >>> 0;
    }
  };
  const header = Buffer.alloc(32);
  const words = [isBigEndian ? 0x377f0683 : 0x377f0682, 3_007_000, pageSize, 1, salt, salt + 1];
  for (const [at, word] of words.entries()) header.writeUInt32BE(word, at * 4);
  add(header.subarray(0, 24));
  header.writeUInt32BE(sum.first, 24);
  header.writeUInt32BE(sum.second, 28);
  const parts: Buffer[] = [header];
  const frame = (page: number, bytes: Buffer, countAfterCommit: number): void => {
    const head = Buffer.alloc(24);
    const fields = [page, countAfterCommit, salt, salt + 1];
    for (const [at, word] of fields.entries()) head.writeUInt32BE(word, at * 4);
    add(head.subarray(0, 8));
    add(bytes);
    head.writeUInt32BE(sum.first, 16);
    head.writeUInt32BE(sum.second, 20);
    parts.push(head, bytes);
  };
  let before = from;
  const states = options.uncommitted === undefined ? to : [...to, options.uncommitted];
  for (const [index, state] of states.entries()) {
    const pages = changedPages(before, state, pageSize);
    const count = state.length / pageSize;
    for (const [at, page] of pages.entries()) {
      const isLast = at === pages.length - 1 && index < to.length;
      frame(page + 1, state.subarray(page * pageSize, (page + 1) * pageSize), isLast ? count : 0);
    }
    before = state;
  }
  return Buffer.concat(parts);
}

function changedPages(from: Buffer, to: Buffer, pageSize: number): readonly number[] {
  const count = to.length / pageSize;
  const pages = Array.from({ length: count }, (_, page) => page);
  const pageOf = (bytes: Buffer, page: number): Buffer =>
    bytes.subarray(page * pageSize, (page + 1) * pageSize);
  // The first page is always written: a commit needs one.
  return pages.filter((page) => page === 0 || !pageOf(from, page).equals(pageOf(to, page)));
}
