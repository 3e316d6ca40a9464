import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../src/archive/archive-sessions.ts";
import { archivedSessions } from "../src/archive/archived-sessions.ts";
import { forgottenFolder, forgottenSessions } from "../src/archive/open-archive.ts";
import { exitCodes } from "../src/errors.ts";
import { finishForgetting, forgetSession, undoForget } from "../src/forget.ts";
import type { Library } from "../src/fs/library.ts";
import type { LogKey } from "../src/session/session.ts";
import { archiving, locking, quickLibrary } from "./support/archive/archiving.ts";
import { type LogHome, makeLogHome, standing } from "./support/archive/log-home.ts";
import { filesBelow } from "./support/archive/source-files.ts";

const DAY_MS = 86_400_000;

async function ground(): Promise<{
  readonly library: Library;
  readonly made: LogHome;
  readonly claude: LogKey;
}> {
  const library = quickLibrary();
  const made = makeLogHome(library.environment.home);
  await archiveSessions(library, archiving);
  return { library, made, claude: { agent: "claude", id: made.ids.claude, copy: null } };
}

const later = (library: Library, days: number): Library => ({
  ...library,
  now: () => library.now() + days * DAY_MS,
});

/** All that the store holds, by name; the catalog is a cache. */
const stored = (library: Library): ReadonlyMap<string, Buffer> =>
  new Map([...filesBelow(library.places.home)].filter(([name]) => !name.endsWith("catalog.json")));

describe("forgetSession()", () => {
  it("takes a session out of archive and list, and leaves the agent's files alone", async () => {
    const { library, made, claude } = await ground();
    const done = await forgetSession(library, claude, { locking });
    expect(done).toEqual({ ...claude, isNew: true, undoUntil: library.now() + 7 * DAY_MS });
    expect(archivedSessions(library).map(({ files }) => files.id)).not.toContain(claude.id);
    expect(fs.existsSync(join(library.places.raw, "claude", claude.id))).toBe(false);
    expect(
      [...filesBelow(library.places.archive).keys()].filter((name) => name.startsWith("claude")),
    ).toEqual([]);
    expect(forgottenSessions(library).has(claude)).toBe(true);
    expect(forgottenSessions(library).has({ agent: "pi", id: claude.id, copy: null })).toBe(false);
    expect(standing(made.files)).toEqual(made.files);
  });

  it("does not let it come back from its log", async () => {
    const { library, claude } = await ground();
    await forgetSession(library, claude, { locking });
    const { archived, unchanged, forgotten } = await archiveSessions(library, archiving);
    expect({ archived, unchanged, forgotten }).toEqual({ archived: [], unchanged: 3, forgotten: [claude] });
  });

  it("does the same twice as once", async () => {
    const { library, claude } = await ground();
    await forgetSession(library, claude, { locking });
    const before = stored(library);
    const again = await forgetSession(later(library, 1), claude, { locking });
    expect(again).toEqual({ ...claude, isNew: false, undoUntil: library.now() + 7 * DAY_MS });
    expect(stored(library)).toEqual(before);
  });

  it("forgets a session that was never archived", async () => {
    const library = quickLibrary();
    const made = makeLogHome(library.environment.home);
    const session: LogKey = { agent: "pi", id: made.ids.pi, copy: null };
    await forgetSession(library, session, { locking });
    expect((await archiveSessions(library, archiving)).archived.map(({ id }) => id)).not.toContain(
      made.ids.pi,
    );
    expect(await undoForget(library, session, { locking })).toEqual({ ...session, broughtBack: true });
    expect((await archiveSessions(library, archiving)).archived.map(({ id }) => id)).toEqual([made.ids.pi]);
  });
});

describe("undoForget()", () => {
  it("brings everything back as it was", async () => {
    const { library, claude } = await ground();
    const before = stored(library);
    await forgetSession(library, claude, { locking });
    expect(await undoForget(later(library, 6), claude, { locking })).toEqual({
      ...claude,
      broughtBack: true,
    });
    expect(stored(library)).toEqual(before);
    expect((await archiveSessions(library, archiving)).unchanged).toBe(4);
  });

  it("removes the tombstone if everything else was purged after a week", async () => {
    const { library, claude } = await ground();
    await forgetSession(library, claude, { locking });
    const week = later(library, 8);
    await archiveSessions(week, archiving);
    expect([...filesBelow(forgottenFolder(library)).keys()]).toEqual([`claude/${claude.id}/tombstone.json`]);
    expect(forgottenSessions(library).has(claude)).toBe(true);
    expect(await undoForget(week, claude, { locking })).toEqual({ ...claude, broughtBack: false });
    expect((await archiveSessions(week, archiving)).archived.map(({ id }) => id)).toEqual([claude.id]);
  });

  it("refuses where nothing was forgotten", async () => {
    const { library, claude } = await ground();
    await expect(undoForget(library, claude, { locking })).rejects.toMatchObject({
      exitCode: exitCodes.nothingFound,
    });
  });
});

describe("finishForgetting()", () => {
  it("removes an empty folder of forgotten data, and keeps one with data in it", async () => {
    const { library } = await ground();
    const folder = forgottenFolder(library);
    fs.mkdirSync(join(folder, "claude", "empty"), { recursive: true });
    fs.mkdirSync(join(folder, "claude", "full", "raw"), { recursive: true });
    finishForgetting(library);
    expect(fs.readdirSync(join(folder, "claude"))).toEqual(["full"]);
  });

  it("believes a tombstone that is damaged", async () => {
    const { library, claude } = await ground();
    await forgetSession(library, claude, { locking });
    const stone = join(forgottenFolder(library), "claude", claude.id, "tombstone.json");
    fs.writeFileSync(stone, fs.readFileSync(stone, "utf8").replace("forgotten", "FORGOTTEN"));
    finishForgetting(library);
    expect(forgottenSessions(library).has(claude)).toBe(true);
    expect((await archiveSessions(library, archiving)).archived).toEqual([]);
  });
});
