import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSessions } from "../../src/agents/find-sessions.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import { forgetSession, undoForget } from "../../src/forget.ts";
import type { Library } from "../../src/fs/library.ts";
import type { LogKey } from "../../src/session/session.ts";
import { archiving, locking, quickLibrary } from "../support/archive/archiving.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { makeOpencodeDatabase, type OpencodeDatabase } from "../support/opencode-database.ts";
import { loadSqlite } from "../support/sqlite.ts";

const openSqlite = await loadSqlite();
const SECRET = "ses_e1126a558ffed8tKLYO7Qhg2Kx";
const CHILD = "ses_e1112e1ebffeu2SpkS7YDBeaX9";
const OTHER = "ses_other9999";
const KEY: LogKey = { agent: "opencode", id: SECRET, copy: null };

function databasePath({ environment }: Library): string {
  return join(environment.home, ".local", "share", "opencode", "opencode.db");
}

function put(library: Library, database: OpencodeDatabase): void {
  fs.mkdirSync(dirname(databasePath(library)), { recursive: true });
  fs.writeFileSync(databasePath(library), database.bytes());
}

/** A session with a sub-agent whose texts are a secret, and another one, of another project. */
function ground(): { readonly library: Library; readonly database: OpencodeDatabase } {
  const library = quickLibrary({ nowMs: Date.now() + 60_000 });
  const database = makeOpencodeDatabase(openSqlite);
  database.session(SECRET, { title: "swordfish" });
  database.turn(SECRET, 1, "the password is swordfish", "swordfish it is");
  database.session(CHILD, { parent: SECRET, title: "swordfish (@general subagent)" });
  database.turn(CHILD, 1, "look for swordfish", "found swordfish");
  database.session(OTHER, {});
  database.turn(OTHER, 1, "paint the shed", "painted");
  database.sql.run("update session set directory = '/home/cy/shed' where id = ?", [OTHER]);
  put(library, database);
  return { library, database };
}

const idsOf = (library: Library): readonly string[] =>
  findSessions(library)
    .sessions.map(({ id }) => id)
    .sort();

/** Files of the cache with the secret. */
const leaks = ({ places }: Library): readonly string[] =>
  [...filesBelow(places.cache)].flatMap(([name, bytes]) => (bytes.includes("swordfish") ? [name] : []));

const excluding = (library: Library): Library => ({
  ...library,
  config: { ...library.config, exclude: ["/home/cy/shop"] },
});

describe("copies of sessions that are in a database", () => {
  it("are not made of excluded projects", () => {
    const { library } = ground();
    expect(idsOf(excluding(library))).toEqual([OTHER]);
    expect(leaks(library)).toEqual([]);
  });

  it("are removed when their project is excluded, and made again when it no longer is", () => {
    const { library } = ground();
    expect(idsOf(library)).toEqual([SECRET, OTHER]);
    expect(leaks(library)).toHaveLength(4);
    expect(idsOf(excluding(library))).toEqual([OTHER]);
    expect(leaks(library)).toEqual([]);
    expect(idsOf(library)).toEqual([SECRET, OTHER]);
  });

  it.each(["gone", "unreadable"])("are removed also if the database is %s", (state) => {
    const { library } = ground();
    idsOf(library);
    if (state === "gone") fs.rmSync(databasePath(library));
    else fs.writeFileSync(databasePath(library), "no database at all");
    expect(idsOf(excluding(library))).toEqual([OTHER]);
    expect(leaks(library)).toEqual([]);
  });

  it("are removed when the session is forgotten, and come back with it", async () => {
    const { library, database } = ground();
    await archiveSessions(library, archiving);
    await forgetSession(library, { ...KEY }, { locking });
    expect(leaks(library)).toEqual([]);
    database.turn(SECRET, 2, "swordfish again", "yes");
    put(library, database);
    expect(idsOf(library)).toEqual([OTHER]);
    expect(leaks(library)).toEqual([]);
    await undoForget(library, KEY, { locking });
    expect(idsOf(library)).toEqual([SECRET, OTHER]);
  });

  it("that nothing else has come back within a week", async () => {
    const { library } = ground();
    const [target] = findSessions(library).sessions.filter(({ id }) => id === SECRET);
    fs.rmSync(databasePath(library));
    await forgetSession(library, { ...KEY, files: target?.files ?? [] }, { locking });
    expect(idsOf(library)).toEqual([OTHER]);
    expect(leaks(library)).toEqual([]);
    await undoForget(library, KEY, { locking });
    expect(leaks(library)).toHaveLength(4);
    expect(idsOf(library)).toEqual([SECRET, OTHER]);
  });

  it("are not made of the older storage, if the session of the database is forgotten", async () => {
    const { library } = ground();
    const file = join(dirname(databasePath(library)), "storage", "session", "global", `${SECRET}.json`);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, `{"id":"${SECRET}","directory":"/home/cy/shop","title":"swordfish"}`);
    await archiveSessions(library, archiving);
    await forgetSession(library, KEY, { locking });
    expect(idsOf(library)).toEqual([OTHER]);
    expect(leaks(library)).toEqual([]);
  });

  it("for an import go when the session is forgotten", async () => {
    const { library, database } = ground();
    await archiveSessions(library, archiving);
    database.sql.run("delete from session where id <> ?", [OTHER]);
    put(library, database);
    await restoreSessions(library, [KEY], { locking });
    expect(leaks(library)).toHaveLength(2);
    await forgetSession(library, KEY, { locking });
    expect(leaks(library)).toEqual([]);
  });
});
