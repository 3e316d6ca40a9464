import { Buffer } from "node:buffer";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskSource } from "../../../src/agents/byte-source.ts";
import { findSessionsOf } from "../../../src/agents/find-sessions.ts";
import { opencode } from "../../../src/agents/opencode/opencode.ts";
import { readSession } from "../../../src/agents/read-session.ts";
import { type Disk, diskFrom } from "../../../src/fs/disk.ts";
import type { Library } from "../../../src/fs/library.ts";
import { makeLibrary } from "../../support/make-library.ts";
import { makeOpencodeDatabase, type OpencodeDatabase, STARTED_AT } from "../../support/opencode-database.ts";
import { loadSqlite, makeWal } from "../../support/sqlite.ts";

const openSqlite = await loadSqlite();
const SHOP = "ses_shop11112222";
const CHILD = "ses_child3333444";

function makeDatabase(): OpencodeDatabase {
  const database = makeOpencodeDatabase(openSqlite);
  database.session(SHOP, { title: "Prices" });
  database.turn(SHOP, 1, "Add a price", "It has one.");
  return database;
}

function databasePath({ environment }: Library): string {
  return join(environment.home, ".local", "share", "opencode", "opencode.db");
}

function put(library: Library, database: OpencodeDatabase | Buffer): void {
  const path = databasePath(library);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "sql" in database ? database.bytes() : database);
}

/** Where the files of sessions are, and what each is. */
function find(library: Library): readonly string[] {
  const { sessions, problems } = findSessionsOf(library, opencode, []);
  expect(problems).toEqual([]);
  const folder = join(library.places.cache, "opencode");
  return sessions.flatMap(({ id, files }) =>
    files.map(
      ({ role, path }) => `${id} ${role} ${path.slice(folder.length + 1).replace(/-[0-9a-f]{8}\//, "/")}`,
    ),
  );
}

function read(library: Library, id: string): ReturnType<typeof readSession> {
  const files = findSessionsOf(library, opencode, []).sessions.find((session) => session.id === id);
  if (files === undefined) throw new Error(`no session ${id}`);
  return readSession(diskSource(library.disk), files);
}

function logOf(library: Library, id: string): string {
  const session = findSessionsOf(library, opencode, []).sessions.find((each) => each.id === id);
  return session?.files[0]?.path ?? "";
}

/** Counts the files that are opened. */
function watching(disk: Disk): { readonly disk: Disk; opened(): readonly string[] } {
  const paths: string[] = [];
  const open: Disk["open"] = (path, how, mode) => {
    paths.push(path);
    return disk.open(path, how, mode);
  };
  return { disk: diskFrom({ ...disk, open }), opened: () => paths.splice(0) };
}

describe("sessions of a database of opencode", () => {
  test("are files, with those of sub-agents in the folder of their session", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    database.session(CHILD, { parent: SHOP, title: "look (@general subagent)" });
    database.turn(CHILD, 1, "look around", "Nothing.");
    database.session("ses_grandchild55", { parent: CHILD });
    database.turn("ses_grandchild55", 1, "deeper", "Nothing.");
    database.todo(SHOP, "paint it", "in_progress");
    put(library, database);
    expect(find(library)).toEqual([
      `${SHOP} main opencode/${SHOP}.jsonl`,
      `${SHOP} title opencode/${SHOP}.json`,
      `${SHOP} subagent-meta opencode/${SHOP}/${CHILD}.json`,
      `${SHOP} subagent opencode/${SHOP}/${CHILD}.jsonl`,
      `${SHOP} subagent-meta opencode/${SHOP}/ses_grandchild55.json`,
      `${SHOP} subagent opencode/${SHOP}/ses_grandchild55.jsonl`,
    ]);
    const session = read(library, SHOP);
    expect(session).toMatchObject({
      title: "Prices",
      project: "/home/cy/shop",
      turns: [{ request: "Add a price" }],
      subagents: [{ id: CHILD, type: "general", description: "look" }, { id: "ses_grandchild55" }],
      opaqueLines: 0,
      problems: [],
    });
    expect(statSync(logOf(library, SHOP)).mode & 0o777).toBe(0o600);
  });

  test("have lines that are the rows, with the JSON in them as it is", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    database.sql.run(`update part set data = '{"type":"text","n":12345678901234567890,"x":1.0,"text":"a"}'`);
    database.sql.run(
      `insert into part values ('prt_odd', 'msg_22221a', '${SHOP}', 1, 2, '{"type":' || char(10) || '"text"}')`,
    );
    put(library, database);
    const lines = readFileSync(logOf(library, SHOP), "utf8").split("\n");
    expect(lines[0]).toBe(
      `{"opencode":1,"session":{"id":"${SHOP}","project_id":"global","parent_id":null,"slug":"a-slug","directory":"/home/cy/shop","version":"1.18.33","time_created":${STARTED_AT}}}`,
    );
    expect(lines[2]).toContain('"data":{"type":"text","n":12345678901234567890,"x":1.0,"text":"a"}}}');
    // What is not on one line is a text.
    expect(lines[3]).toContain('"data":"{\\"type\\":\\n\\"text\\"}"}}');
    expect(lines).toHaveLength(7);
  });

  test("that have not changed are not read again, and only logs of those that have are written", () => {
    const watched = watching(makeLibrary().disk);
    const library = { ...makeLibrary({ nowMs: Date.now() + 60_000 }), disk: watched.disk };
    const database = makeDatabase();
    database.session("ses_other9999", {});
    database.turn("ses_other9999", 1, "Something else", "Yes.");
    put(library, database);
    find(library);
    watched.opened();
    find(library);
    expect(watched.opened().filter((path) => path.includes("opencode.db"))).toEqual([]);
    const before = statSync(logOf(library, "ses_other9999"));
    database.turn(SHOP, 2, "And a name", "It has one, too.");
    put(library, database);
    expect(read(library, SHOP).turns.map(({ request }) => request)).toEqual(["Add a price", "And a name"]);
    const after = statSync(logOf(library, "ses_other9999"));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  test("grow at the end of their log, which has the time of the last change", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    put(library, database);
    const before = readFileSync(logOf(library, SHOP), "utf8");
    database.turn(SHOP, 2, "And a name", "It has one, too.");
    put(library, database);
    const after = readFileSync(logOf(library, SHOP), "utf8");
    expect(after.startsWith(before)).toBe(true);
    expect(after.length).toBeGreaterThan(before.length);
    const [[updated] = []] = database.sql.rows("select max(time_updated) from session");
    expect(Math.floor(statSync(logOf(library, SHOP)).mtimeMs)).toBe(updated);
  });

  test("are gone when they are gone there, and the others stay", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    database.session(CHILD, { parent: SHOP });
    database.session("ses_other9999", {});
    database.turn("ses_other9999", 1, "Something else", "Yes.");
    put(library, database);
    expect(find(library)).toHaveLength(6);
    database.sql.run(`delete from session where id in ('${SHOP}', '${CHILD}')`);
    put(library, database);
    expect(find(library)).toEqual([
      "ses_other9999 main opencode/ses_other9999.jsonl",
      "ses_other9999 title opencode/ses_other9999.json",
    ]);
  });

  test("are written again if a log is missing, or is not the one that was written", () => {
    const library = makeLibrary({ nowMs: Date.now() + 60_000 });
    put(library, makeDatabase());
    const path = logOf(library, SHOP);
    const bytes = readFileSync(path);
    rmSync(path);
    expect(readFileSync(logOf(library, SHOP)).equals(bytes)).toBe(true);
    writeFileSync(path, "older");
    expect(readFileSync(logOf(library, SHOP)).equals(bytes)).toBe(true);
  });

  test("are in the log of the database, too, and neither file is written", () => {
    const library = makeLibrary();
    const empty = makeOpencodeDatabase(openSqlite).bytes();
    put(library, empty);
    const path = databasePath(library);
    writeFileSync(`${path}-wal`, makeWal(empty, [makeDatabase().bytes()]));
    const before = [path, `${path}-wal`].map((each) => [statSync(each).mtimeMs, readFileSync(each)]);
    expect(find(library)).toHaveLength(2);
    expect([path, `${path}-wal`].map((each) => [statSync(each).mtimeMs, readFileSync(each)])).toEqual(before);
    expect(readdirSync(dirname(path)).sort()).toEqual(["opencode.db", "opencode.db-wal"]);
  });

  test("are read again if the database is written meanwhile", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    put(library, database);
    const path = databasePath(library);
    let opened: number | undefined;
    let reads = 0;
    const disk = diskFrom({
      ...library.disk,
      open(name, how, mode) {
        const handle = library.disk.open(name, how, mode);
        if (name === path && opened === undefined) opened = handle;
        return handle;
      },
      read(handle, into, position) {
        // After the header was read, another process copies its log into the database.
        if (handle === opened && ++reads === 2) {
          database.turn(SHOP, 2, "And a name", "It has one, too.");
          writeFileSync(path, database.bytes());
        }
        return library.disk.read(handle, into, position);
      },
    });
    expect(read({ ...library, disk }, SHOP).turns).toHaveLength(2);
  });

  test("stay as they were if the database can't be read, which is a problem every time", () => {
    const library = makeLibrary({ nowMs: Date.now() + 60_000 });
    const database = makeDatabase();
    put(library, database);
    find(library);
    put(library, Buffer.from("no database at all, but long enough to have a header".repeat(3)));
    for (let time = 0; time < 2; time++) {
      const { sessions, problems } = findSessionsOf(library, opencode, []);
      const what = "this database can't be read, so its sessions are not protected: it is no SQLite database";
      expect(problems).toEqual([{ path: databasePath(library), line: 0, what }]);
      expect(sessions).toHaveLength(1);
    }
    rmSync(databasePath(library));
    expect(find(library)).toHaveLength(2);
  });

  test("that can't be read do not prevent reading the others", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    database.session("ses_long9999", {});
    database.message("ses_long9999", "msg_long", { role: "user" });
    database.part("ses_long9999", "msg_long", "prt_long", { type: "text", text: "x".repeat(50_000) });
    const bytes = Buffer.from(database.bytes());
    // The chain of pages that holds the long text leads nowhere.
    for (let page = 1; page < bytes.length / 4096; page++)
      if (bytes.toString("latin1", page * 4096 + 4, page * 4096 + 400) === "x".repeat(396))
        bytes.writeUInt32BE(9_999_999, page * 4096);
    put(library, bytes);
    const { sessions, problems } = findSessionsOf(library, opencode, []);
    expect(sessions.map(({ id }) => id)).toEqual([SHOP]);
    expect(problems).toMatchObject([
      { what: expect.stringMatching(/^session ses_long9999 can't be read: it names page 9999999 of \d+$/) },
    ]);
  });

  test("with names that are no file names are named, and left out", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    database.session("../../escape", {});
    database.session("__proto__", {});
    database.session("ses_loop1", { parent: "ses_loop2" });
    database.session("ses_loop2", { parent: "ses_loop1" });
    database.session("manifest", {});
    database.session("ses_ofManifest", { parent: "manifest" });
    put(library, database);
    const { sessions, problems } = findSessionsOf(library, opencode, []);
    expect(problems.map(({ what }) => what).sort()).toEqual([
      "session \"../../escape\" can't be read: its id can't be a file's name",
      "session \"__proto__\" can't be read: its id can't be a file's name",
      "session \"manifest\" can't be read: its id can't be a file's name",
    ]);
    expect(sessions.map(({ id }) => id).sort()).toEqual(["ses_loop1", "ses_loop2", "ses_ofManifest", SHOP]);
    expect(existsSync(join(library.places.cache, "..", "escape.jsonl"))).toBe(false);
  });

  test.each([1e300, 9e15, 1.5, -1, Number.POSITIVE_INFINITY, "x"])(
    "with %j as the time of their last change are read, and their logs not written again",
    (at) => {
      const library = makeLibrary();
      const database = makeDatabase();
      database.session("ses_time1111", {});
      database.sql.run("update session set time_updated = ? where id = 'ses_time1111'", [at]);
      put(library, database);
      const { sessions, problems } = findSessionsOf(library, opencode, []);
      expect([sessions.map(({ id }) => id).sort(), problems]).toEqual([[SHOP, "ses_time1111"].sort(), []]);
      const inode = (): number => statSync(logOf(library, "ses_time1111")).ino;
      const before = inode();
      expect(inode()).toBe(before);
    },
  );

  test("of a newer schema are a problem that says so, and their logs stay as they were", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    put(library, database);
    find(library);
    const before = readFileSync(logOf(library, SHOP), "utf8");
    database.sql.run("alter table part rename column data to payload");
    put(library, database);
    const { sessions, problems } = findSessionsOf(library, opencode, []);
    expect(sessions.map(({ id }) => id)).toEqual([SHOP]);
    expect(problems).toMatchObject([
      {
        what: "this database can't be read, so its sessions are not protected: table part has no column data: a newer opencode may have written it",
      },
    ]);
    expect(readFileSync(logOf({ ...library }, SHOP), "utf8")).toBe(before);
  });

  test("that can't be written to the cache are a problem, and the rest goes on", () => {
    const library = makeLibrary();
    put(library, makeDatabase());
    const log = logOf(library, SHOP);
    rmSync(dirname(log), { recursive: true });
    writeFileSync(dirname(log), "a file in its place");
    const { problems } = findSessionsOf(library, opencode, []);
    expect(problems).toMatchObject([{ what: expect.stringContaining("Cannot") }]);
  });

  test("have rows of tables that are not known, which are counted", () => {
    const library = makeLibrary();
    const database = makeDatabase();
    database.sql.run("create table session_message (id text primary key, session_id text, data text)");
    database.sql.run(`insert into session_message values ('sm1', '${SHOP}', '{"type":"prompt"}')`);
    database.sql.run("create table session_share (session_id text primary key, url text)");
    database.sql.run(`insert into session_share values ('${SHOP}', 'https://share.example')`);
    put(library, database);
    expect(read(library, SHOP)).toMatchObject({ opaqueLines: 1, turns: [{}] });
    const log = logOf(library, SHOP);
    expect(readFileSync(log, "utf8")).toContain('{"row":{"table":"session_message","id":"sm1"');
    expect(readFileSync(log.replace(/l$/, ""), "utf8")).toContain(
      `"session_share":[{"session_id":"${SHOP}","url":"https://share.example"}]`,
    );
  });
});

describe("opencode.roots()", () => {
  test("are the logs in the cache, and the folder of the databases", () => {
    const home = "/home/cy";
    const around = { home, folder: home, projects: [] };
    expect(opencode.roots({ ...around, variables: {} }).map(({ folder }) => folder)).toEqual([
      join(home, ".sessions", "cache", "opencode"),
      join(home, ".local", "share", "opencode"),
    ]);
    expect(
      opencode
        .roots({ ...around, variables: { SESSIONS_HOME: "/s", XDG_DATA_HOME: "/x" } })
        .map(({ folder }) => folder),
    ).toEqual([join("/s", "cache", "opencode"), join("/x", "opencode")]);
  });

  test("databases of other channels, of OPENCODE_DB and in folders of the settings are read, too", () => {
    const elsewhere = makeLibrary();
    const places = {
      "beta.jsonl": join("home", ".local", "share", "opencode", "opencode-beta.db"),
      "named.jsonl": join("home", "named.sqlite"),
      "other.jsonl": join("backup", "opencode.db"),
    };
    const root = join(elsewhere.environment.home, "..");
    for (const [name, place] of Object.entries(places)) {
      const database = makeOpencodeDatabase(openSqlite);
      const id = `ses_${name.slice(0, -6)}11112222`;
      database.session(id);
      database.turn(id, 1, "Hello", "Hi.");
      mkdirSync(dirname(join(root, place)), { recursive: true });
      writeFileSync(join(root, place), database.bytes());
    }
    const library = {
      ...elsewhere,
      config: {
        ...elsewhere.config,
        sources: { ...elsewhere.config.sources, opencode: [join(root, "backup")] },
      },
      environment: {
        ...elsewhere.environment,
        variables: {
          ...elsewhere.environment.variables,
          OPENCODE_DB: join(root, "home", "named.sqlite"),
        },
      },
    };
    expect(
      findSessionsOf(library, opencode, [])
        .sessions.map(({ id }) => id)
        .sort(),
    ).toEqual(["ses_beta11112222", "ses_named11112222", "ses_other11112222"]);
  });
});

describe("the older storage of opencode", () => {
  function putStorage(library: Library): string {
    const storage = join(library.environment.home, ".local", "share", "opencode", "storage");
    const files: Record<string, object> = {
      [`session/global/${SHOP}.json`]: {
        id: SHOP,
        version: "0.14.0",
        projectID: "global",
        directory: "/home/cy/shop",
        title: "Prices",
        time: { created: STARTED_AT, updated: STARTED_AT + 1 },
      },
      [`message/${SHOP}/msg_1.json`]: {
        id: "msg_1",
        sessionID: SHOP,
        role: "user",
        time: { created: STARTED_AT },
      },
      "part/msg_1/prt_1.json": { id: "prt_1", messageID: "msg_1", type: "text", text: "Add a\nprice" },
      [`message/${SHOP}/msg_2.json`]: { id: "msg_2", role: "assistant", time: { created: STARTED_AT + 1 } },
      "part/msg_2/prt_2.json": { id: "prt_2", messageID: "msg_2", type: "text", text: "It has one." },
      [`session/global/${CHILD}.json`]: { id: CHILD, parentID: SHOP, time: {} },
      [`todo/${SHOP}.json`]: [{ content: "paint it", status: "pending", id: "1" }],
    };
    for (const [name, value] of Object.entries(files)) {
      mkdirSync(dirname(join(storage, name)), { recursive: true });
      writeFileSync(join(storage, name), JSON.stringify(value, null, 2));
    }
    return storage;
  }

  test("is read like the database", () => {
    const library = makeLibrary();
    putStorage(library);
    expect(read(library, SHOP)).toMatchObject({
      title: "Prices",
      project: "/home/cy/shop",
      version: "0.14.0",
      turns: [{ request: "Add a\nprice" }],
      subagents: [{ id: CHILD }],
      opaqueLines: 0,
    });
    expect(JSON.stringify(read(library, SHOP))).toContain("It has one.");
  });

  test("is read again when a message changes, and not if the database has its sessions", () => {
    const library = makeLibrary({ nowMs: Date.now() + 60_000 });
    const storage = putStorage(library);
    expect(find(library)).toHaveLength(4);
    mkdirSync(join(storage, "part", "msg_3"));
    writeFileSync(join(storage, "part", "msg_3", "prt_3.json"), '{"type":"text","text":"And a name"}');
    writeFileSync(join(storage, "message", SHOP, "msg_3.json"), '{"role":"user","time":{"created":1}}');
    expect(read(library, SHOP).turns).toHaveLength(2);
    put(library, makeDatabase());
    expect(find(library).filter((line) => line.startsWith(SHOP))).toEqual([
      `${SHOP} main opencode/${SHOP}.jsonl`,
      `${SHOP} title opencode/${SHOP}.json`,
    ]);
  });
});
