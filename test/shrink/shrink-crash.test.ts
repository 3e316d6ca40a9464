import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import { storeUpkeep } from "../../src/forget.ts";
import type { Disk } from "../../src/fs/disk.ts";
import type { Library } from "../../src/fs/library.ts";
import type { Locking } from "../../src/fs/store.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import { compactSession } from "../../src/shrink/compact-session.ts";
import { flattenSession } from "../../src/shrink/flatten-session.ts";
import { unflattenSession } from "../../src/shrink/unflatten-session.ts";
import { everyDeath } from "../crash/every-death.ts";
import { village } from "../crash/village.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { libraryIn } from "../support/library-in.ts";
import { callOf, putToolLog, TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";

const people = village();

/** A process does something and is gone, if it was killed or not. */
async function asProcess<T>(
  disk: Disk,
  folder: string,
  work: (library: Library, locking: Locking) => Promise<T>,
): Promise<T> {
  const processes = people.born();
  // Who holds what open is looked for elsewhere; here it would be most of the time.
  const withoutProc: Disk = {
    ...disk,
    stat: (path) => (path.startsWith("/proc/") ? undefined : disk.stat(path)),
  };
  const library = libraryIn(join(folder, "home"), { disk: withoutProc, store: join(folder, "store") });
  try {
    return await work(library, { processes, ...storeUpkeep, wait: async () => {} });
  } finally {
    people.kill(processes);
  }
}

const pointer = (library: Library) => selectSession(library, [TOOL_SESSION]);
const rule = { minBytes: 300, copies: true };
const compact = (disk: Disk, folder: string, more: { bak?: boolean; fork?: { uuid: () => string } } = {}) =>
  asProcess(disk, folder, (library, locking) =>
    compactSession(library, pointer(library), {
      rule: { auto: false, aggressive: false, keep: 0 },
      locking,
      ...more,
    }),
  );
const flatten = (disk: Disk, folder: string, minBytes = rule.minBytes) =>
  asProcess(disk, folder, (library, locking) =>
    flattenSession(library, pointer(library), { rule: { ...rule, minBytes }, locking }),
  );
const unflatten = (disk: Disk, folder: string) =>
  asProcess(disk, folder, (library, locking) => unflattenSession(library, pointer(library), { locking }));

/** What is archived already need not be archived once more: those deaths are tried elsewhere. */
async function archived(disk: Disk, folder: string): Promise<string> {
  const path = putToolLog(join(folder, "home"), LOG);
  await asProcess(disk, folder, (library, locking) => archiveSessions(library, { locking }));
  return path;
}

const LOG = toolLog([callOf("Read", 1_500, { file_path: "/a" }), callOf("Bash", 600, { command: "ls" })]);

/** What killed runs may leave, wherever it is. */
const litterIn = (folder: string): readonly string[] =>
  [...filesBelow(folder).keys()].filter((name) =>
    /^home\/.*\.tmp$|rewrites\/open\/|\.flat\.new$|(rewrites|flat)\/.*\.tmp$/.test(name),
  );

async function isSound(disk: Disk, folder: string): Promise<void> {
  await asProcess(disk, folder, async (library) => {
    expect((await verifyArchive(library)).damages).toEqual([]);
  });
  expect(litterIn(folder)).toEqual([]);
}

/** What is lost without its fsync is looked at where logs are swapped (`swap-file.test.ts`) and where they are archived. */
const how = { aftermaths: ["kill"] } as const;

describe("killed at every call", () => {
  it("compact leaves the old or the new log, and the next run completes", async () => {
    let compacted = "";
    const deaths = await everyDeath(
      archived,
      (disk, folder) => compact(disk, folder, { bak: true }),
      async (disk, folder, path, { diedAt }) => {
        const text = fs.readFileSync(path, "utf8");
        await compact(disk, folder);
        const after = fs.readFileSync(path, "utf8");
        compacted ||= after;
        expect(after).toBe(compacted);
        expect(after.length).toBeLessThan(LOG.length);
        expect(diedAt === undefined ? [after] : [LOG, after]).toContain(text);
        await isSound(disk, folder);
      },
      how,
    );
    expect(deaths.count).toBeGreaterThan(30);
  });

  it("compact --fork leaves the log alone, and a whole new one or none", async () => {
    await everyDeath(
      archived,
      (disk, folder) => compact(disk, folder, { fork: { uuid: () => crypto.randomUUID() } }),
      async (disk, folder, path, { diedAt }) => {
        expect(fs.readFileSync(path, "utf8")).toBe(LOG);
        const logs = fs.readdirSync(join(path, "..")).filter((name) => name.endsWith(".jsonl"));
        if (diedAt === undefined) expect(logs).toHaveLength(2);
        for (const name of logs)
          expect(fs.readFileSync(join(path, "..", name), "utf8").endsWith("}\n")).toBe(true);
        await compact(disk, folder);
        await isSound(disk, folder);
      },
      how,
    );
  });

  it("flatten leaves a log that can be put back, and the next run completes", async () => {
    await everyDeath(
      archived,
      (disk, folder) => flatten(disk, folder),
      async (disk, folder, path, { diedAt }) => {
        const isFlat = fs.readFileSync(path, "utf8") !== LOG;
        if (diedAt === undefined) expect(isFlat).toBe(true);
        if (isFlat) expect((await unflatten(disk, folder)).isExact).toBe(true);
        expect(fs.readFileSync(path, "utf8")).toBe(LOG);
        await flatten(disk, folder);
        await unflatten(disk, folder);
        expect(fs.readFileSync(path, "utf8")).toBe(LOG);
        expect([...filesBelow(join(folder, "store", "flat")).keys()]).toEqual([]);
        await isSound(disk, folder);
      },
      how,
    );
  });

  it("flatten of what is flattened already loses nothing", async () => {
    await everyDeath(
      async (disk, folder) => {
        const path = putToolLog(join(folder, "home"), LOG);
        await flatten(disk, folder, 1_000);
        return path;
      },
      (disk, folder) => flatten(disk, folder, 300),
      async (disk, folder, path) => {
        expect(await unflatten(disk, folder)).toMatchObject({ isExact: true });
        expect(fs.readFileSync(path, "utf8")).toBe(LOG);
        await isSound(disk, folder);
      },
      how,
    );
  });

  it("unflatten leaves the flat or the whole log, and the next run completes", async () => {
    await everyDeath(
      async (disk, folder) => {
        const path = putToolLog(join(folder, "home"), LOG);
        await flatten(disk, folder);
        return { path, flat: fs.readFileSync(path, "utf8") };
      },
      (disk, folder) => unflatten(disk, folder),
      async (disk, folder, { path, flat }, { diedAt }) => {
        expect(diedAt === undefined ? [LOG] : [flat, LOG]).toContain(fs.readFileSync(path, "utf8"));
        await unflatten(disk, folder);
        expect(fs.readFileSync(path, "utf8")).toBe(LOG);
        expect([...filesBelow(join(folder, "store", "flat")).keys()]).toEqual([]);
        await isSound(disk, folder);
      },
      how,
    );
  });
});
