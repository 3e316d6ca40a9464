import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DatabaseError, openPages } from "../../../src/agents/opencode/sqlite/pages.ts";
import { type ColumnValue, readTables } from "../../../src/agents/opencode/sqlite/tables.ts";
import { nodeDisk } from "../../../src/fs/node-disk.ts";
import fc from "../../support/fc.ts";
import { loadSqlite, makeWal } from "../../support/sqlite.ts";

const openSqlite = await loadSqlite();

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sessions-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What is read of a database: every row of every table, and the same again by the rows' numbers. */
function readAll(path: string): Record<string, readonly (readonly unknown[])[]> {
  const pages = openPages(nodeDisk, path);
  try {
    return Object.fromEntries(
      [...readTables(pages)].map(([name, table]) => {
        const rows: unknown[][] = [];
        const numbers: number[] = [];
        for (const row of table.rows()) {
          numbers.push(row.number);
          rows.push([row.number, ...table.columns.map((column) => plain(row.value(column)))]);
        }
        for (const [at, number] of numbers.entries()) {
          const row = table.row(number);
          expect([number, ...table.columns.map((column) => plain(row?.value(column) ?? null))]).toEqual(
            rows[at],
          );
        }
        expect(table.row(-1)).toBeUndefined();
        return [name, rows];
      }),
    );
  } finally {
    pages.close();
  }
}

function plain(value: ColumnValue): unknown {
  return value instanceof Buffer ? [...value] : value;
}

function asRead(value: unknown): unknown {
  return value instanceof Uint8Array ? [...value] : value;
}

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc
    .tuple(fc.string({ minLength: 1, maxLength: 5 }), fc.nat(20_000))
    .map(([part, times]) => part.repeat(times)),
);
const value = fc.oneof(
  text,
  fc.maxSafeInteger(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
  fc.uint8Array({ maxLength: 3_000 }),
  fc.constant(null),
);

describe("a database that SQLite wrote", () => {
  test("is read as SQLite reads it, whatever its pages, its rows and their changes", () => {
    const folder = makeFolder();
    const path = join(folder, "any.db");
    fc.assert(
      fc.property(
        fc.constantFrom(512, 1024, 4096, 65_536),
        fc.array(fc.tuple(value, value, value), { maxLength: 60 }),
        fc.array(fc.nat(80), { maxLength: 20 }),
        (pageSize, rows, removed) => {
          const database = openSqlite();
          database.run(`pragma page_size = ${pageSize}`);
          database.run(
            "create table `part` (`id` text primary key, [a b] blob, 'c' text not null default '', x)",
          );
          database.run("create table other (number integer primary key, name text)");
          database.run("create table no_rows (key text primary key) without rowid");
          for (const [at, [a, b, c]] of rows.entries())
            database.run("insert into part values (?, ?, ?, ?)", [`p${at}`, a, b ?? "", c]);
          for (const at of removed) {
            database.run("delete from part where id = ?", [`p${at}`]);
            database.run("insert or replace into other values (?, ?)", [at, `n${at}`]);
            database.run("update part set x = ? where id = ?", ["long ".repeat(3_000), `p${at + 1}`]);
          }
          writeFileSync(path, database.bytes());
          const expected = database
            .rows("select rowid, * from part order by rowid")
            .map((row) => row.map(asRead));
          const others = database.rows("select number, * from other order by number");
          database.close();
          const read = readAll(path);
          expect(read.part).toEqual(expected);
          expect(read.other).toEqual(others);
          expect(Object.keys(read)).toEqual(["part", "other"]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("has columns that were added later, and numbers of any size", () => {
    const path = join(makeFolder(), "added.db");
    const database = openSqlite();
    database.run("create table t (id text, constraint `k` primary key (`id`))");
    database.run("insert into t values ('before')");
    database.run("alter table t add column `later` integer");
    database.run(
      "insert into t values ('after', 9223372036854775807), ('small', -1), ('more', 4611686018427)",
    );
    writeFileSync(path, database.bytes());
    expect(readAll(path).t?.map(([, ...row]) => row)).toEqual([
      ["before", null],
      ["after", 9_223_372_036_854_775_807n],
      ["small", -1],
      ["more", 4_611_686_018_427],
    ]);
  });

  test("is refused if its texts are not in UTF-8, and if it is none", () => {
    const path = join(makeFolder(), "odd.db");
    const database = openSqlite();
    database.run("pragma encoding = 'UTF-16le'");
    database.run("create table t (id text)");
    writeFileSync(path, database.bytes());
    expect(() => readAll(path)).toThrow("its texts are not in UTF-8");
    writeFileSync(path, "not a database".repeat(100));
    expect(() => readAll(path)).toThrow("it is no SQLite database");
    writeFileSync(path, "");
    expect(() => readAll(path)).toThrow(DatabaseError);
  });

  test("that is damaged is an error or other rows, never a loop or a crash", () => {
    const path = join(makeFolder(), "damaged.db");
    const database = openSqlite();
    database.run("pragma page_size = 512");
    database.run("create table part (id text primary key, data text)");
    for (let at = 0; at < 200; at++)
      database.run("insert into part values (?, ?)", [`p${at}`, "word ".repeat(at * 3)]);
    const whole = database.bytes();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        fc.option(fc.nat(whole.length)),
        (changes, end) => {
          const bytes = Buffer.from(whole);
          for (const [at, byte] of changes) bytes[at] = byte;
          writeFileSync(path, bytes.subarray(0, end ?? undefined));
          try {
            const pages = openPages(nodeDisk, path);
            try {
              for (const table of readTables(pages).values())
                for (const row of table.rows()) for (const column of table.columns) row.value(column);
            } finally {
              pages.close();
            }
          } catch (error) {
            expect(error).toBeInstanceOf(DatabaseError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("the log of a database", () => {
  const states = (): readonly Buffer[] => {
    const database = openSqlite();
    database.run("create table t (id text primary key, data text)");
    const made: Buffer[] = [database.bytes()];
    for (const word of ["first", "second", "third"]) {
      database.run("insert into t values (?, ?)", [word, `${word} `.repeat(3_000)]);
      made.push(database.bytes());
    }
    database.run("delete from t where id = 'first'");
    return [...made, database.bytes()];
  };
  const idsIn = (path: string): readonly unknown[] => (readAll(path).t ?? []).map(([, id]) => id);

  test.each([false, true])(
    "is read with its database, also if all is in it (big endian: %s)",
    (isBigEndian) => {
      const path = join(makeFolder(), "a.db");
      const [empty = Buffer.alloc(0), ...more] = states();
      writeFileSync(path, empty);
      writeFileSync(`${path}-wal`, makeWal(empty, more, { isBigEndian }));
      expect(idsIn(path)).toEqual(["second", "third"]);
      // Right after a database is made, its file has one page, or nothing.
      writeFileSync(path, "");
      writeFileSync(`${path}-wal`, makeWal(Buffer.alloc(0), more, { isBigEndian }));
      expect(idsIn(path)).toEqual(["second", "third"]);
    },
  );

  test("counts as far as whole transactions go", () => {
    const path = join(makeFolder(), "a.db");
    const [empty = Buffer.alloc(0), one = empty, two = one, three = two] = states();
    writeFileSync(path, empty);
    const wal = makeWal(empty, [one, two], { uncommitted: three });
    writeFileSync(`${path}-wal`, wal);
    expect(idsIn(path)).toEqual(["first", "second"]);
    const whole = makeWal(empty, [one, two]);
    for (const end of [whole.length - 1, whole.length - 4_000]) {
      writeFileSync(`${path}-wal`, whole.subarray(0, end));
      expect(idsIn(path)).toEqual(["first"]);
    }
    const damaged = Buffer.from(whole);
    damaged[whole.length - 100] = (damaged[whole.length - 100] ?? 0) ^ 1;
    writeFileSync(`${path}-wal`, damaged);
    expect(idsIn(path)).toEqual(["first"]);
  });

  test("does not count frames of an earlier use of the file, nor a header that is damaged", () => {
    const path = join(makeFolder(), "a.db");
    const [empty = Buffer.alloc(0), one = empty, two = one] = states();
    writeFileSync(path, empty);
    const now = makeWal(empty, [one], { salt: 7 });
    const before = makeWal(empty, [one, two], { salt: 6 });
    writeFileSync(`${path}-wal`, Buffer.concat([now, before.subarray(now.length)]));
    expect(idsIn(path)).toEqual(["first"]);
    const damaged = Buffer.from(now);
    damaged[26] = (damaged[26] ?? 0) ^ 1;
    writeFileSync(`${path}-wal`, damaged);
    expect(idsIn(path)).toEqual([]);
  });

  test("may grow while the database is read, but not be copied into it or begin again", () => {
    const path = join(makeFolder(), "a.db");
    const [empty = Buffer.alloc(0), one = empty, two = one] = states();
    writeFileSync(path, empty);
    writeFileSync(`${path}-wal`, makeWal(empty, [one]));
    const pages = openPages(nodeDisk, path);
    onTestFinished(() => pages.close());
    expect(pages.isStill()).toBe(true);
    writeFileSync(`${path}-wal`, makeWal(empty, [one, two]));
    expect(pages.isStill()).toBe(true);
    writeFileSync(`${path}-wal`, makeWal(empty, [two], { salt: 9 }));
    expect(pages.isStill()).toBe(false);
    writeFileSync(`${path}-wal`, makeWal(empty, [one]));
    writeFileSync(path, one);
    expect(pages.isStill()).toBe(false);
  });

  test("a transaction without such a log is an error that passes", () => {
    const path = join(makeFolder(), "a.db");
    writeFileSync(path, states()[1] ?? "");
    writeFileSync(`${path}-journal`, "undo");
    expect(() => readAll(path)).toThrow(
      expect.objectContaining({ message: "a transaction on it is under way", isTransient: true }),
    );
  });
});
