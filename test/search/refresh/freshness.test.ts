import { Buffer } from "node:buffer";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { archiveSessions } from "../../../src/archive/archive-sessions.ts";
import { guardLock, writeGuardStamp } from "../../../src/archive/guard-stamp.ts";
import { writeTombstone } from "../../../src/archive/raw/tombstones.ts";
import { writeCacheFile } from "../../../src/fs/cache-file.ts";
import type { Library } from "../../../src/fs/library.ts";
import { tryLock } from "../../../src/fs/lock.ts";
import { nodeProcesses } from "../../../src/fs/processes.ts";
import type { SearchEngine } from "../../../src/search/engine.ts";
import { openIfCurrent } from "../../../src/search/refresh/freshness.ts";
import { withIndex } from "../../../src/search/refresh/index-access.ts";
import { refreshIndex } from "../../../src/search/refresh/refresh-index.ts";
import { withCatalog } from "../../../src/search/session-catalog.ts";
import { archiving } from "../../support/archive/archiving.ts";
import { dumpIndex, dumpRebuilt } from "../../support/index-dump.ts";
import { makeAccess, makeLibrary } from "../../support/make-library.ts";

const demo = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));
const SESSION = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";

interface Ground {
  readonly library: Library;
  readonly log: string;
  readonly kept: string;
}

/** A home whose index is up to date, and known to be. */
async function knownGround(): Promise<Ground> {
  const library = makeLibrary();
  const { home } = library.environment;
  cpSync(demo, home, { recursive: true });
  await refresh(library);
  await refresh(library);
  return {
    library,
    log: join(home, ".claude/projects/-home-ana-shop", `${SESSION}.jsonl`),
    kept: join(library.places.cache, "source-snapshot"),
  };
}

/** With a session in it. Not changed just now: that alone would be reason to look. */
function makeOldFolder(...names: readonly string[]): void {
  mkdirSync(join(...names, SESSION), { recursive: true });
  utimesSync(join(...names, SESSION), 1_000, 1_000);
  utimesSync(join(...names), 1_000, 1_000);
}

async function refresh(library: Library): Promise<number> {
  return withCatalog(library, makeAccess(library), ({ rows }) => rows.length);
}

async function isKnown(library: Library): Promise<boolean> {
  const open = await openIfCurrent(library, makeAccess(library).engine);
  if (open.kind === "current") await open.reader.close();
  return open.kind === "current";
}

/** Has a guard say that it is archiving; returns what ends it. */
function startGuard(library: Library): () => void {
  const progress = { done: 1, total: 9 };
  writeGuardStamp(library, { startedAt: 0, nextAt: 0, skipped: {}, progress });
  const attempt = tryLock(library.disk, guardLock(library), nodeProcesses);
  if (attempt.kind === "held") throw new Error("Another guard is at work");
  return () => attempt.lock.release();
}

/** As marks have it. */
function timeOf(library: Library, path: string): number {
  return library.disk.stat(path)?.mtimeMs ?? 0;
}

/** Tells which files are looked into. */
function watchHeads(library: Library): { readonly watched: Library; readonly heads: readonly string[] } {
  const heads: string[] = [];
  const readHead: Library["disk"]["readHead"] = (path, maxBytes) => {
    heads.push(path);
    return library.disk.readHead(path, maxBytes);
  };
  return { watched: { ...library, disk: { ...library.disk, readHead } }, heads };
}

describe("openUpToDate()", () => {
  test("opens the index where nothing changed, and knows what all sessions come to", async () => {
    const { library } = await knownGround();
    const open = await openIfCurrent(library, makeAccess(library).engine);
    if (open.kind !== "current") throw new Error("It is not sure");
    const rows = await withCatalog(library, makeAccess(library), (catalog) => catalog.coverage);
    expect(open.refreshed).toMatchObject({ read: 0, removed: 0, stale: 0, rebuilt: null });
    const { sessions, turns, files } = rows;
    expect(open.refreshed.totals).toMatchObject({ sessions, turns, files });
    await open.reader.close();
  });

  test("looks into no file", async () => {
    const { library } = await knownGround();
    const { watched, heads } = watchHeads(library);
    expect(await isKnown(watched)).toBe(true);
    expect(heads).toEqual([]);
  });

  test("after a change only what changed is looked into", async () => {
    const { library } = await knownGround();
    const folder = join(library.environment.home, ".pi/agent/sessions/--home-ana-new--");
    mkdirSync(folder, { recursive: true });
    const added = join(folder, "2026-11-10T10-00-00-000Z_one.jsonl");
    writeFileSync(
      added,
      `${JSON.stringify({ type: "session", version: 3, id: "one", cwd: "/home/ana/new" })}\n`,
    );
    const { watched, heads } = watchHeads(library);
    await refresh(watched);
    expect(new Set(heads)).toEqual(new Set([added]));
  });

  test("after a log grew, folders are listed once, and rows are read once", async () => {
    const { library, log } = await knownGround();
    const listed: string[] = [];
    const readdir: Library["disk"]["readdir"] = (path) => {
      listed.push(path);
      return library.disk.readdir(path);
    };
    const watched = { ...library, disk: { ...library.disk, readdir } };
    const access = makeAccess(watched);
    let reads = 0;
    const engine = {
      ...access.engine,
      read: () => {
        reads++;
        return access.engine.read();
      },
    };
    // The second time, what was kept is of an earlier index.
    for (const _ of [1, 2]) {
      appendFileSync(log, "\n");
      listed.length = 0;
      reads = 0;
      const read = await withIndex(watched, { ...access, engine }, async (_reader, done) => done?.read);
      expect(read).toBe(1);
      expect(listed.filter((path) => path === join(log, ".."))).toHaveLength(1);
      // Once for the rows, and once for the answer.
      expect(reads).toBe(2);
    }
  });

  test("what another process wrote before the lock was taken is seen", async () => {
    const { library, log } = await knownGround();
    appendFileSync(log, "\n");
    const { engine } = makeAccess(library);
    const late: SearchEngine = {
      ...engine,
      async write() {
        const other = await refreshIndex(library, { engine });
        expect(other).toMatchObject({ read: 1 });
        return engine.write();
      },
    };
    expect(await refreshIndex(library, { engine: late })).toMatchObject({ read: 0, stale: 0 });
    await refresh(library);
    expect(await isKnown(library)).toBe(true);
  });

  const changes: readonly (readonly [string, (ground: Ground) => void])[] = [
    ["a log grew", ({ log }) => appendFileSync(log, "\n")],
    ["a log was touched", ({ log }) => utimesSync(log, 1_000, 1_000)],
    ["a log went", ({ log }) => rmSync(log)],
    ["a log came", ({ log }) => cpSync(log, log.replace(SESSION, "11111111-0000-4000-8000-000000000000"))],
    [
      "a log was renamed",
      // To a name that stands where the old one stood.
      ({ log }) => renameSync(log, log.replace(SESSION, `${SESSION.slice(0, -1)}5`)),
    ],
    [
      "a log was cut, and has the time that it had",
      ({ library, log }) => {
        const mtimeMs = timeOf(library, log);
        truncateSync(log, 1_000);
        library.disk.utimes(log, mtimeMs, mtimeMs);
        expect(timeOf(library, log)).toBe(mtimeMs);
      },
    ],
    [
      "a log was replaced by one of the same length and time",
      ({ library, log }) => {
        const mtimeMs = timeOf(library, log);
        cpSync(log, `${log}.new`);
        renameSync(`${log}.new`, log);
        library.disk.utimes(log, mtimeMs, mtimeMs);
        expect(timeOf(library, log)).toBe(mtimeMs);
      },
    ],
    [
      "prompts were typed",
      ({ library }) => appendFileSync(join(library.environment.home, ".claude/history.jsonl"), "{}\n"),
    ],
    ["a session was archived", ({ library }) => makeOldFolder(library.places.raw, "claude")],
    ["a session was forgotten", ({ library }) => makeOldFolder(library.places.home, "forgotten", "claude")],
    ["the index went", ({ library }) => rmSync(library.places.index, { recursive: true })],
    ["what was kept is cut", ({ kept }) => writeFileSync(kept, readFileSync(kept).subarray(0, 100))],
    ["what was kept is empty", ({ kept }) => writeFileSync(kept, "")],
    [
      "another version wrote it, as one object",
      ({ library, kept }) => writeCacheFile(library.disk, kept, Buffer.from('{"version":2,"logs":[]}')),
    ],
    [
      "another version wrote it, in lines",
      ({ library, kept }) => writeCacheFile(library.disk, kept, Buffer.from('{"version":9}\nall else')),
    ],
    [
      "a bit of it is flipped",
      ({ kept }) => {
        const bytes = readFileSync(kept);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4;
        writeFileSync(kept, bytes);
      },
    ],
  ];

  test.each(changes)("is not sure where %s", async (_, change) => {
    const ground = await knownGround();
    expect(await isKnown(ground.library)).toBe(true);
    change(ground);
    expect(await isKnown(ground.library)).toBe(false);
  });

  test.each(changes)(
    "while the guard is archiving, is not sure where %s, unless it was archived",
    async (what, change) => {
      const ground = await knownGround();
      const isArchived = what === "a session was archived";
      const endGuard = startGuard(ground.library);
      change(ground);
      expect(await isKnown({ ...ground.library, isRunning: () => true })).toBe(isArchived);
      // It was killed.
      expect(await isKnown({ ...ground.library, isRunning: () => false })).toBe(false);
      endGuard();
      expect(await isKnown({ ...ground.library, isRunning: () => true })).toBe(false);
    },
  );

  test("while the guard is archiving, the whole archive is listed on request", async () => {
    const { library } = await knownGround();
    startGuard(library);
    const working = { ...library, isRunning: () => true };
    const listed: string[] = [];
    const readdir: Library["disk"]["readdir"] = (path) => {
      listed.push(path);
      return library.disk.readdir(path);
    };
    const watched = { ...working, disk: { ...library.disk, readdir } };
    makeOldFolder(library.places.raw, "claude");
    await withIndex(watched, makeAccess(watched), async () => {});
    expect(listed).not.toContain(join(library.places.raw, "claude"));
    await withIndex(watched, { ...makeAccess(watched), listArchive: true }, async () => {});
    expect(listed).toContain(join(library.places.raw, "claude"));
  });

  test("is not sure where another index was written since", async () => {
    const { library, kept } = await knownGround();
    const before = readFileSync(kept);
    await withCatalog(library, { ...makeAccess(library), rebuild: true }, () => undefined);
    expect(await isKnown(library)).toBe(true);
    writeFileSync(kept, before);
    expect(await isKnown(library)).toBe(false);
  });

  test("keeps nothing of the example history", async () => {
    const library = { ...makeLibrary({ home: demo }), demo: true };
    await refresh(library);
    await refresh(library);
    expect(existsSync(join(library.places.cache, "source-snapshot"))).toBe(false);
  });
});

describe("refreshIndex()", () => {
  test.each<[string, (ground: Ground) => void]>([
    [
      "a log grew",
      ({ log }) => appendFileSync(log, `${readFileSync(log, "utf8").split("\n")[1]}\nnot JSON\n`),
    ],
    ["a log came", ({ log }) => cpSync(log, log.replace(SESSION, "11111111-0000-4000-8000-000000000000"))],
    ["a log went", ({ log }) => rmSync(log)],
    [
      "a session was forgotten",
      ({ library }) =>
        writeTombstone(library.disk, join(library.places.home, "forgotten"), {
          agent: "claude",
          id: SESSION,
          copy: null,
          path: null,
          inode: null,
          at: 0,
          phase: "forgotten",
          origin: null,
          by: null,
          via: null,
        }),
    ],
  ])("knows what all sessions come to where %s", async (_, change) => {
    const ground = await knownGround();
    const { library } = ground;
    change(ground);
    const { totals } = await refreshIndex(library, makeAccess(library));
    const { coverage } = await withCatalog(library, makeAccess(library), (catalog) => ({
      coverage: catalog.coverage,
    }));
    const { sessions, stubs, turns, files, problems } = coverage;
    expect(totals).toEqual({ sessions, stubs, turns, files, problems });
  });

  test.each<[string, (ground: Ground) => void]>([
    ["a log grew", ({ log }) => appendFileSync(log, "\n")],
    ["a log was touched", ({ log }) => utimesSync(log, 1_000, 1_000)],
    ["a log went", ({ log }) => rmSync(log)],
    ["a log came", ({ log }) => cpSync(log, log.replace(SESSION, "99999999-0000-4000-8000-000000000000"))],
    ["a log is no session any more", ({ log }) => writeFileSync(log, "nothing\n")],
    ["the index went", ({ library }) => rmSync(library.places.index, { recursive: true })],
  ])("is sure again as soon as the index was brought up to date where %s", async (_, change) => {
    const ground = await knownGround();
    const { library } = ground;
    change(ground);
    await refresh(library);
    expect(await isKnown(library)).toBe(true);
    // And rightly so.
    const access = makeAccess(library);
    const again = await refreshIndex(library, access);
    expect(again).toMatchObject({ read: 0, removed: 0 });
    expect(await dumpIndex(access.engine)).toEqual(
      existsSync(ground.log) ? await dumpRebuilt(library) : expect.anything(),
    );
  });

  test("the archive is looked through only where it has changed, and then it is", async () => {
    const { library, log } = await knownGround();
    const other = "99999999-0000-4000-8000-000000000000";
    await archiveSessions(library, archiving);
    const looked: string[] = [];
    const stat: Library["disk"]["stat"] = (path) => {
      looked.push(path);
      return library.disk.stat(path);
    };
    const watched = { ...library, disk: { ...library.disk, stat }, now: () => Date.now() + 60_000 };
    const grow = async (): Promise<readonly string[]> => {
      appendFileSync(log, "\n");
      looked.length = 0;
      await withIndex(watched, makeAccess(watched), async () => {});
      return looked.filter((path) => path.startsWith(join(library.places.raw, "claude", SESSION)));
    };
    expect(await grow()).not.toEqual([]);
    expect(await grow()).toEqual([]);
    // A session that came and went between two searches, and was archived in time.
    const copy = log.replace(SESSION, other);
    writeFileSync(copy, readFileSync(log, "utf8").replaceAll(SESSION, other));
    await archiveSessions(library, archiving);
    rmSync(copy);
    expect(await grow()).not.toEqual([]);
    const ids = await withCatalog(watched, makeAccess(watched), ({ rows }) =>
      rows.map(({ digest }) => digest.id),
    );
    expect(ids).toContain(other);
    expect(await grow()).toEqual([]);
  });

  test("an archive that changed during the scan is listed once more, and not after that", async () => {
    const { library, log } = await knownGround();
    const { raw } = library.places;
    const other = "99999999-0000-4000-8000-000000000000";
    await archiveSessions(library, archiving);
    const changedAt = timeOf(library, join(raw, "claude"));
    // A clock that has not moved on since: what is archived next leaves the same times.
    const stat: Library["disk"]["stat"] = (path) => {
      const found = library.disk.stat(path);
      const isMarked = found !== undefined && dirname(path) === raw;
      return isMarked ? { ...found, mtimeMs: changedAt, size: 1, inode: 1 } : found;
    };
    const disk = { ...library.disk, stat };
    const inTheMoment = { ...library, disk, now: () => changedAt + 20 };
    await refresh(inTheMoment);
    expect(await isKnown(inTheMoment)).toBe(false);
    const copy = log.replace(SESSION, other);
    writeFileSync(copy, readFileSync(log, "utf8").replaceAll(SESSION, other));
    await archiveSessions(library, archiving);
    rmSync(copy);
    const later = { ...library, disk, now: () => changedAt + 1_000 };
    const ids = await withCatalog(later, makeAccess(later), ({ rows }) =>
      rows.map(({ digest }) => digest.id),
    );
    expect(ids).toContain(other);
    expect(await isKnown(later)).toBe(true);
  });

  test("a log that goes before it is read leaves what the index has of it, or the archive", async () => {
    const { library, log } = await knownGround();
    const other = "99999999-0000-4000-8000-000000000000";
    const copy = log.replace(SESSION, other);
    writeFileSync(copy, readFileSync(log, "utf8").replaceAll(SESSION, other));
    const turnsOf = (given: Library, id: string): Promise<readonly number[]> =>
      withCatalog(given, makeAccess(given), ({ rows }) =>
        rows.flatMap(({ digest }) => (digest.id === id ? [digest.turns] : [])),
      );
    const skipRefresh = { ...makeAccess(library), skipRefresh: true };
    const before = await withCatalog(library, skipRefresh, ({ rows }) =>
      rows.flatMap(({ digest }) => (digest.id === SESSION ? [digest.turns] : [])),
    );
    expect(before[0]).toBeGreaterThan(1);
    await archiveSessions(library, archiving);
    const disk: Library["disk"] = {
      ...library.disk,
      readHead: (path, maxBytes) => {
        if (path === copy || path === log) rmSync(path, { force: true });
        return library.disk.readHead(path, maxBytes);
      },
    };
    const late = { ...library, disk, now: () => Date.now() + 60_000 };
    appendFileSync(log, "\n");
    await withIndex(late, makeAccess(late), async () => {});
    expect([existsSync(copy), existsSync(log)]).toEqual([false, false]);
    const later = { ...library, now: () => Date.now() + 60_000 };
    expect(await turnsOf(later, SESSION)).toEqual(before);
    expect(await turnsOf(later, other)).toEqual(before);
  });
});
