import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archivedSessions } from "../../src/archive/archived-sessions.ts";
import { claimGuardRun, readGuardStamp, writeGuardStamp } from "../../src/archive/guard-stamp.ts";
import type { Library } from "../../src/fs/library.ts";
import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { type GuardOptions, guardSessions } from "../../src/retention/guard.ts";
import { openEngine } from "../../src/search/open-engine.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { unreadableDisk } from "../crash/sick-disks.ts";
import { locking, plainWriter, quickLibrary } from "../support/archive/archiving.ts";
import { claudeFolder, claudeLog, type LogHome, makeLogHome } from "../support/archive/log-home.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function ground(): { readonly library: Library; readonly made: LogHome; at(ms: number): Library } {
  const library = quickLibrary();
  const made = makeLogHome(library.environment.home);
  return { library, made, at: (ms) => ({ ...library, now: () => ms }) };
}

const changedAt = ({ files }: LogHome): number => Math.max(...files.map(({ mtimeMs }) => mtimeMs));

function options(library: Library): GuardOptions {
  return {
    markdown: plainWriter,
    locking,
    pause: async () => {},
    access: {
      engine: openEngine(library, nodeProcesses),
      inMemory: () =>
        openEngine({ disk: createMemoryDisk(library.now), places: library.places }, nodeProcesses),
    },
  };
}

const idsOf = (library: Library): readonly string[] =>
  archivedSessions(library)
    .map(({ files }) => files.id)
    .sort();

describe("guardSessions()", () => {
  it("removes temp files that killed processes left", async () => {
    const { library, made, at } = ground();
    const temp = join(made.files[0]?.path ?? "", "..", ".sessions-0123456789abcdef.tmp");
    fs.writeFileSync(temp, "half of it");
    fs.utimesSync(temp, 1_000, 1_000);
    await guardSessions(at(changedAt(made)), options(library));
    expect(fs.existsSync(temp)).toBe(false);
  });

  it("archives what has been quiet, and says when the rest will be", async () => {
    const { library, made, at } = ground();
    const quietAt = changedAt(made) + 10 * MINUTE_MS;
    const early = await guardSessions(at(quietAt - 1), options(library));
    expect(early.problems).toEqual([]);
    // Of the last session, the last file was written a moment too late.
    expect(early.archived).toBe(3);
    expect(readGuardStamp(library)?.nextAt).toBe(quietAt);
    const late = await guardSessions(at(quietAt), options(library));
    expect(late.archived).toBe(1);
    expect(idsOf(library)).toEqual(Object.values(made.ids).sort());
    expect(readGuardStamp(library)).toEqual({
      startedAt: quietAt,
      nextAt: quietAt + 6 * HOUR_MS,
      skipped: {},
    });
    expect((await guardSessions(at(quietAt), options(library))).archived).toBe(0);
  });

  it("archives a session that is named although it changed just now, and indexes it", async () => {
    const { library, made, at } = ground();
    const log = made.files[0]?.path ?? "";
    const now = at(changedAt(made));
    const { archived } = await guardSessions(now, { ...options(library), log });
    expect(archived).toBe(1);
    expect(idsOf(library)).toEqual([made.ids.claude]);
    const opened = await openEngine(library, nodeProcesses).read();
    expect(opened.kind).toBe("open");
    if (opened.kind === "open") await opened.reader.close();
  });

  it("releases the store in between, so that nobody waits for the whole run", async () => {
    const { library, made, at } = ground();
    const folder = join(library.environment.home, ".claude", "projects", claudeFolder(made.project));
    for (let n = 0; n < 60; n++) {
      const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
      fs.writeFileSync(join(folder, `${id}.jsonl`), claudeLog(id, made.project, `request ${n}`));
      fs.utimesSync(join(folder, `${id}.jsonl`), n, n);
    }
    const locks: string[] = [];
    const watched: Library = {
      ...at(changedAt(made) + HOUR_MS),
      disk: {
        ...library.disk,
        unlink: (path) => {
          if (path === library.places.lock) locks.push(path);
          library.disk.unlink(path);
        },
      },
    };
    expect((await guardSessions(watched, options(library))).archived).toBe(64);
    expect(locks.length).toBe(4);
  });

  it("leaves alone what another one is at, but for the session that is named", async () => {
    const { library, made, at } = ground();
    const now = at(changedAt(made) + HOUR_MS);
    let inner: Awaited<ReturnType<typeof guardSessions>> | undefined;
    let isFirst = true;
    await guardSessions(now, {
      ...options(library),
      pause: async () => {
        if (!isFirst) return;
        isFirst = false;
        // The store's own lock is held here: the other process would wait for it, and is told not to.
        inner = await guardSessions(now, {
          ...options(library),
          locking: { ...locking, timeoutMs: 0 },
        });
      },
    });
    expect(inner).toEqual({ archived: 0, isBusy: true, problems: [] });
    expect(idsOf(library)).toHaveLength(4);
  });

  it("does not read again and again what is not to be archived", async () => {
    const { library, made, at } = ground();
    const now: Library = {
      ...at(changedAt(made) + HOUR_MS),
      config: { ...library.config, exclude: [made.project] },
    };
    const reads: string[] = [];
    const disk = {
      ...now.disk,
      readChunks: (...args: Parameters<Library["disk"]["readChunks"]>) => {
        reads.push(args[0]);
        return now.disk.readChunks(...args);
      },
    };
    await guardSessions({ ...now, disk }, options(library));
    expect(idsOf(library)).toEqual([]);
    expect(Object.keys(readGuardStamp(library)?.skipped ?? {})).toHaveLength(4);
    const before = reads.length;
    expect(before).toBeGreaterThan(0);
    await guardSessions({ ...now, disk }, options(library));
    expect(reads.length).toBe(before);
  });
});

/** The clock of these runs is their own, so nothing is waited for. */
const withoutRest = (library: Library): GuardOptions => ({
  ...options(library),
  locking: { ...locking, wait: async () => {} },
});

describe("a session that changes during a run of the guard", () => {
  it("is archived when it has been quiet", async () => {
    const { library, made } = ground();
    const log = made.files[0]?.path ?? "";
    let now = changedAt(made) + HOUR_MS;
    const clock: Library = { ...library, now: () => now };
    const write = (): void => {
      fs.appendFileSync(log, "\n");
      fs.utimesSync(log, now / 1000, now / 1000 + 5e-7);
    };
    // Too recent for this run, and then written during it.
    write();
    let isFirst = true;
    const during = async (): Promise<void> => {
      if (!isFirst) return;
      isFirst = false;
      now += MINUTE_MS;
      write();
    };
    const first = await guardSessions(clock, { ...withoutRest(library), pause: during });
    expect(first.archived).toBe(3);
    const writtenAt = now;
    expect(readGuardStamp(library)).toMatchObject({ nextAt: writtenAt + 10 * MINUTE_MS, skipped: {} });
    now = writtenAt + 10 * MINUTE_MS;
    expect((await guardSessions(clock, withoutRest(library))).archived).toBe(1);
    expect(idsOf(library)).toEqual(Object.values(made.ids).sort());
  });

  it("is tried again if it changes after it could not be read", async () => {
    const { library, made } = ground();
    const log = made.files[1]?.path ?? "";
    let now = changedAt(made) + HOUR_MS;
    const clock: Library = { ...library, now: () => now };
    let isFirst = true;
    const during = async (): Promise<void> => {
      if (!isFirst) return;
      isFirst = false;
      now += MINUTE_MS;
      fs.appendFileSync(log, "\n");
      fs.utimesSync(log, now / 1000, now / 1000 + 5e-7);
    };
    const disk = unreadableDisk(quickDisk, (path) => path === log);
    const first = await guardSessions({ ...clock, disk }, { ...withoutRest(library), pause: during });
    expect(first.archived).toBe(4);
    expect(readGuardStamp(library)?.skipped).toEqual({});
    now += 10 * MINUTE_MS;
    expect((await guardSessions(clock, withoutRest(library))).archived).toBe(1);
  });
});

describe("a session that was skipped", () => {
  it("is tried again after some hours if it could not be read", async () => {
    const { library, made, at } = ground();
    const log = made.files[1]?.path ?? "";
    const start = changedAt(made) + HOUR_MS;
    const disk = unreadableDisk(quickDisk, (path) => path === log);
    const failed = await guardSessions({ ...at(start), disk }, options(library));
    expect(failed.archived).toBe(4);
    expect(failed.problems).toHaveLength(1);
    const early = await guardSessions(at(start + 6 * HOUR_MS - 1), options(library));
    expect(early).toEqual({ archived: 0, isBusy: false, problems: [] });
    expect(readGuardStamp(library)?.nextAt).toBe(start + 6 * HOUR_MS);
    const late = await guardSessions(at(start + 6 * HOUR_MS), options(library));
    expect(late.archived).toBe(1);
    expect(readGuardStamp(library)?.skipped).toEqual({});
  });

  it("is archived as soon as its project is no longer excluded", async () => {
    const { library, made, at } = ground();
    const now = at(changedAt(made) + HOUR_MS);
    const config = { ...library.config, exclude: [made.project] };
    expect((await guardSessions({ ...now, config }, options(library))).archived).toBe(0);
    expect(Object.keys(readGuardStamp(library)?.skipped ?? {})).toHaveLength(4);
    expect((await guardSessions(now, options(library))).archived).toBe(4);
    expect(readGuardStamp(library)?.skipped).toEqual({});
  });
});

describe("readGuardStamp()", () => {
  it("skips nothing that an earlier version skipped for a reason that is not known", () => {
    const { library } = ground();
    fs.mkdirSync(library.places.logs, { recursive: true });
    const skipped = { a: "mark", b: null, c: { mark: "x" }, d: { mark: "x", reason: "failed", at: "y" } };
    fs.writeFileSync(
      join(library.places.logs, "guard.json"),
      JSON.stringify({ startedAt: 1, nextAt: 2, skipped }),
    );
    expect(readGuardStamp(library)).toEqual({ startedAt: 1, nextAt: 2, skipped: {} });
  });
});

describe("claimGuardRun()", () => {
  it("allows one run a minute, and only where something is to be done or has changed", () => {
    const { library } = ground();
    expect(claimGuardRun(library, 1_000_000, false)).toBe(true);
    expect(claimGuardRun(library, 1_000_000 + MINUTE_MS - 1, true)).toBe(false);
    const skipped = {
      a: { mark: "b", reason: "failed", at: 1_000_000 },
      c: { mark: "d", reason: "excluded", settings: "e" },
    } as const;
    writeGuardStamp(library, { startedAt: 1_000_000, nextAt: 1_000_000 + HOUR_MS, skipped });
    expect(claimGuardRun(library, 1_000_000 + MINUTE_MS, false)).toBe(false);
    expect(claimGuardRun(library, 1_000_000 + MINUTE_MS, true)).toBe(true);
    expect(readGuardStamp(library)?.skipped).toEqual(skipped);
    // As if that run had been killed.
    expect(claimGuardRun(library, 1_000_000 + 2 * MINUTE_MS, false)).toBe(true);
  });

  it("is not stopped by a clock that was set back, or by a stamp that makes no sense", () => {
    const { library } = ground();
    expect(claimGuardRun(library, 9_000_000, false)).toBe(true);
    expect(claimGuardRun(library, 1_000_000, false)).toBe(true);
    for (const text of ["", "{", "null", "[]", '{"startedAt":"x"}']) {
      fs.writeFileSync(join(library.places.logs, "guard.json"), text);
      expect(claimGuardRun(library, 1_000_000, false)).toBe(true);
    }
  });
});
