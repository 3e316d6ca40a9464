import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSessions } from "../../src/agents/find-sessions.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import {
  type RestoreAnswer,
  type RestoreOptions,
  restoreSessions,
} from "../../src/archive/restore-sessions.ts";
import type { Library } from "../../src/fs/library.ts";
import { allArchived } from "../../src/search/select-archived.ts";
import { archiving, locking, quickLibrary } from "../support/archive/archiving.ts";
import { makeOpencodeDatabase, type OpencodeDatabase } from "../support/opencode-database.ts";
import { loadSqlite } from "../support/sqlite.ts";

const openSqlite = await loadSqlite();
const ID = "ses_e1126a558ffed8tKLYO7Qhg2Kx";
const CHILD = "ses_e1112e1ebffeu2SpkS7YDBeaX9";

function put({ environment }: Library, database: OpencodeDatabase): void {
  const path = join(environment.home, ".local", "share", "opencode", "opencode.db");
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, database.bytes());
}

/** A session with a sub-agent, archived. */
async function ground(): Promise<{ readonly library: Library; readonly database: OpencodeDatabase }> {
  const library = quickLibrary();
  const database = makeOpencodeDatabase(openSqlite);
  database.session(ID, { title: "Prices" });
  database.turn(ID, 1, "Add a price", "It has one.");
  database.session(CHILD, { parent: ID, title: "look (@general subagent)" });
  database.turn(CHILD, 1, "look around", "Nothing.");
  put(library, database);
  expect((await archiveSessions(library, archiving)).problems).toEqual([]);
  return { library, database };
}

const restore = (library: Library, options: Partial<RestoreOptions> = {}): Promise<RestoreAnswer> =>
  restoreSessions(library, allArchived(library), { locking, ...options });

const deleteSessions = (library: Library, database: OpencodeDatabase): void => {
  for (const table of ["session", "message", "part"]) database.sql.run(`delete from ${table}`);
  put(library, database);
};

describe("a session that its agent takes in", () => {
  it("is written as a file for the agent's own command, with sub-agents after it", async () => {
    const { library, database } = await ground();
    deleteSessions(library, database);
    const { sessions, problems } = await restore(library);
    const folder = join(library.places.cache, "imports", "opencode");
    const paths = [join(folder, `${ID}.json`), join(folder, `${CHILD}.json`)];
    expect(problems).toEqual([]);
    expect(sessions).toMatchObject([
      {
        outcome: "restored",
        imports: paths.map((path) => ({ command: ["opencode", "import", path], folder: "/home/cy/shop" })),
        files: paths.map((path) => ({ path, action: "written" })),
        resume: { command: ["opencode", "--session", ID], folder: "/home/cy/shop" },
      },
    ]);
    const [whole, child] = paths.map((path) => JSON.parse(fs.readFileSync(path, "utf8")));
    expect(whole).toMatchObject({
      info: {
        id: ID,
        title: "Prices",
        directory: "/home/cy/shop",
        projectID: "global",
        version: "1.18.33",
        model: { id: "big" },
        time: { created: expect.any(Number), updated: expect.any(Number) },
      },
      messages: [
        {
          info: { role: "user", id: "msg_g2Kx1a", sessionID: ID },
          parts: [
            { type: "text", text: "Add a price", id: "prt_g2Kx1a", messageID: "msg_g2Kx1a", sessionID: ID },
          ],
        },
        { info: { role: "assistant", modelID: "big" }, parts: [{ text: "It has one." }] },
      ],
    });
    expect(child).toMatchObject({ info: { id: CHILD, parentID: ID }, messages: [{}, {}] });
    // Nothing is put where logs of the database are: they are only there if the database has them.
    expect(findSessions(library).sessions).toEqual([]);
  });

  it("is known when the agent has it, although an import gives its rows new times and another order", async () => {
    const { library, database } = await ground();
    expect((await restore(library)).sessions).toMatchObject([{ outcome: "unchanged", imports: [] }]);
    database.sql.run(
      "update part set time_updated = time_updated + 1000, time_created = time_created + 1000",
    );
    database.sql.run(`update part set data = '{"text":"Add a price","type":"text"}' where id = 'prt_g2Kx1a'`);
    put(library, database);
    expect((await restore(library)).sessions).toMatchObject([{ outcome: "unchanged", imports: [] }]);
    database.turn(ID, 2, "And a name", "It has one, too.");
    put(library, database);
    expect((await restore(library)).sessions).toMatchObject([
      { outcome: "unchanged", files: [{ action: "grown" }, { action: "identical" }] },
    ]);
  });

  it("is refused if the agent has it with other content; by force, that is archived first", async () => {
    const { library, database } = await ground();
    database.sql.run(`update part set data = '{"type":"text","text":"Add a name"}' where id = 'prt_g2Kx1a'`);
    database.sql.run("update session set time_updated = time_updated + 5000");
    database.sql.run("update part set time_updated = time_updated + 5000");
    put(library, database);
    expect((await restore(library)).sessions).toMatchObject([{ outcome: "refused", imports: [] }]);
    expect((await restore(library, { force: true })).sessions).toMatchObject([
      { outcome: "restored", replaced: 2, imports: [{}, {}] },
    ]);
  });

  it("writes nothing in a dry run", async () => {
    const { library, database } = await ground();
    deleteSessions(library, database);
    const { sessions } = await restore(library, { dryRun: true });
    expect(sessions).toMatchObject([{ outcome: "restored" }]);
    expect(fs.existsSync(join(library.places.cache, "imports"))).toBe(false);
  });

  it("goes into another project, and to another machine", async () => {
    const { library, database } = await ground();
    deleteSessions(library, database);
    const other = join(library.environment.home, "other");
    fs.mkdirSync(other);
    const moved = await restore(library, { into: other });
    expect(moved.sessions).toMatchObject([{ imports: [{ folder: other }, { folder: other }] }]);
    const path = join(library.places.cache, "imports", "opencode", `${ID}.json`);
    expect(JSON.parse(fs.readFileSync(path, "utf8"))).toMatchObject({ info: { directory: other } });
    const to = join(library.environment.home, "elsewhere");
    expect((await restore(library, { to })).sessions).toMatchObject([
      {
        imports: [],
        files: [
          { path: join(to, "opencode", `${ID}.json`), action: "written" },
          { path: join(to, "opencode", `${CHILD}.json`), action: "written" },
        ],
      },
    ]);
    expect((await restore(library, { to })).sessions).toMatchObject([{ outcome: "unchanged" }]);
  });
});
