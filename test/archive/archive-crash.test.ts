import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSession } from "../../src/agents/read-session.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { archivedSessions } from "../../src/archive/archived-sessions.ts";
import { forgottenSessions } from "../../src/archive/open-archive.ts";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import { forgetSession, storeUpkeep, undoForget } from "../../src/forget.ts";
import type { Disk } from "../../src/fs/disk.ts";
import type { Library } from "../../src/fs/library.ts";
import type { Locking } from "../../src/fs/store.ts";
import { allArchived } from "../../src/search/select-archived.ts";
import type { LogKey } from "../../src/session/session.ts";
import { everyDeath } from "../crash/every-death.ts";
import { village } from "../crash/village.ts";
import { plainWriter } from "../support/archive/archiving.ts";
import { claudeLog, type LogHome, makeLogHome, standing } from "../support/archive/log-home.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { libraryIn } from "../support/library-in.ts";

/** The library of a death: its processes die with it, so that their lock is found to be dead. */
function libraryOn(disk: Disk, folder: string, hours = 0): Library {
  const now = (): number => Date.now() + hours * 3_600_000;
  return libraryIn(join(folder, "home"), { disk, now, store: join(folder, "store") });
}

const people = village();

/** A process does something and is gone, if it was killed or not. */
async function asProcess<T>(work: (locking: Locking) => Promise<T>): Promise<T> {
  const processes = people.born();
  try {
    return await work({ processes, ...storeUpkeep, wait: async () => {} });
  } finally {
    people.kill(processes);
  }
}

const archive = (disk: Disk, folder: string, hours = 0): Promise<unknown> =>
  asProcess((locking) => archiveSessions(libraryOn(disk, folder, hours), { locking, markdown: plainWriter }));

const litterIn = (folder: string): readonly string[] =>
  [...filesBelow(folder).keys()].filter((name) => /\.tmp$|\.new\/|\.heir$|(^|\/)lock$/.test(name));

/** The store is whole, and archiving once more has everything. */
async function checkStore(disk: Disk, folder: string, made: LogHome, sessions: number): Promise<void> {
  const library = libraryOn(disk, folder);
  expect((await verifyArchive(library)).damages).toEqual([]);
  for (const { files, source } of archivedSessions(library)) {
    expect(readSession(source, files).problems).toEqual([]);
  }
  await archive(disk, folder);
  const proof = await verifyArchive(library);
  expect(proof).toMatchObject({ damages: [], differences: [], strays: 0, sessions });
  expect(proof.sources.changed).toBe(0);
  for (const { markdown } of archivedSessions(library)) {
    expect(fs.readFileSync(markdown ?? "", "utf8").length).toBeGreaterThan(10);
  }
  // Beside the lock others may be writing: what is left there goes when it is an hour old.
  expect(litterIn(join(folder, "store")).filter((name) => name.includes("/"))).toEqual([]);
  await archive(disk, folder, 2);
  expect(litterIn(join(folder, "store"))).toEqual([]);
  expect(fs.existsSync(made.home)).toBe(true);
}

describe("archiveSessions(), killed at every call", () => {
  it("leaves a sound archive, and the next run has everything", async () => {
    const deaths = await everyDeath(
      (_, folder) => makeLogHome(join(folder, "home"), { small: true }),
      (disk, folder) => archive(disk, folder),
      async (disk, folder, made) => {
        expect(standing(made.files)).toEqual(made.files);
        await checkStore(disk, folder, made, 2);
      },
      { aftermaths: ["kill", "names-lost"] },
    );
    expect(deaths.count).toBeGreaterThan(50);
  });

  it("loses nothing when logs have grown and were rewritten", async () => {
    await everyDeath(
      async (disk, folder) => {
        const made = makeLogHome(join(folder, "home"), { small: true });
        await archive(disk, folder);
        const [log] = made.files;
        const pi = made.files.find(({ path }) => path.includes("/.pi/"));
        fs.writeFileSync(log?.path ?? "", claudeLog(made.ids.claude, made.project, "Rewritten"));
        fs.appendFileSync(pi?.path ?? "", `${JSON.stringify({ type: "label", id: "b", parentId: null })}\n`);
        return made;
      },
      (disk, folder) => archive(disk, folder),
      async (disk, folder, made) => {
        await checkStore(disk, folder, made, 2);
        const claude: LogKey = { agent: "claude", id: made.ids.claude, copy: null };
        const library = libraryOn(disk, folder);
        for (const generation of [1, 2]) {
          const { sessions } = await restoreSessions(library, [claude], {
            generation,
            to: join(folder, String(generation)),
            locking: { processes: people.born(), ...storeUpkeep, wait: async () => {} },
          });
          expect(sessions).toMatchObject([{ outcome: "restored" }]);
        }
        const texts = [1, 2].map((generation) =>
          fs.readFileSync(
            (made.files[0]?.path ?? "").replace(made.home, join(folder, String(generation))),
            "utf8",
          ),
        );
        expect(texts[0]).toBe(made.files[0]?.text);
        expect(texts[1]).toContain("Rewritten");
      },
      { aftermaths: ["kill", "names-lost"] },
    );
  });
});

describe("restoreSessions(), killed at every call", () => {
  const restore = (disk: Disk, folder: string, force: boolean): Promise<unknown> =>
    asProcess((locking) => {
      const library = libraryOn(disk, folder);
      const claude = allArchived(library).filter(({ agent }) => agent === "claude");
      return restoreSessions(library, claude, { locking, force });
    });

  it("leaves whole files or none, and the next run completes", async () => {
    await everyDeath(
      async (disk, folder) => {
        const made = makeLogHome(join(folder, "home"), { small: true });
        await archive(disk, folder);
        fs.rmSync(join(made.home, ".claude"), { recursive: true });
        return made;
      },
      (disk, folder) => restore(disk, folder, false),
      async (disk, folder, made, { diedAt }) => {
        const files = made.files.slice(0, 2);
        for (const [index, there] of standing(files).entries()) {
          if (diedAt === undefined || there !== undefined) expect(there).toEqual(files[index]);
        }
        // The log comes last: where it is, all is.
        if (fs.existsSync(files[0]?.path ?? "")) expect(standing(files)).toEqual(files);
        await restore(disk, folder, false);
        expect(standing(files)).toEqual(files);
      },
    );
  });

  it("never loses what it writes over", async () => {
    await everyDeath(
      async (disk, folder) => {
        const made = makeLogHome(join(folder, "home"), { small: true });
        await archive(disk, folder);
        fs.writeFileSync(made.files[0]?.path ?? "", "other content\n");
        return made;
      },
      (disk, folder) => restore(disk, folder, true),
      async (disk, folder, made) => {
        const path = made.files[0]?.path ?? "";
        const library = libraryOn(disk, folder);
        const claude: LogKey = { agent: "claude", id: made.ids.claude, copy: null };
        if (fs.readFileSync(path, "utf8") !== "other content\n") {
          expect(standing(made.files)).toEqual(made.files);
          const { sessions } = await restoreSessions(library, [claude], {
            generation: 2,
            to: join(folder, "before"),
            locking: { processes: people.born(), ...storeUpkeep, wait: async () => {} },
          });
          expect(sessions).toMatchObject([{ outcome: "restored" }]);
          expect(fs.readFileSync(path.replace(made.home, join(folder, "before")), "utf8")).toBe(
            "other content\n",
          );
        }
        expect((await verifyArchive(library)).damages).toEqual([]);
        // Whatever was reached, the session is what it was: a restore gives that, and by force puts it in place.
        const after = join(folder, "after");
        await restoreSessions(library, [claude], {
          to: after,
          locking: { processes: people.born(), ...storeUpkeep, wait: async () => {} },
        });
        expect(fs.readFileSync(path.replace(made.home, after), "utf8")).toBe(made.files[0]?.text);
        await restore(disk, folder, true);
        expect(standing(made.files)).toEqual(made.files);
      },
      { aftermaths: ["kill", "names-lost"] },
    );
  });
});

describe("forgetSession() and undoForget(), killed at every call", () => {
  const claude = (made: LogHome): LogKey => ({ agent: "claude", id: made.ids.claude, copy: null });

  it("forgets all of a session or nothing, as readers see it, and the next run completes", async () => {
    await everyDeath(
      async (disk, folder) => {
        const made = makeLogHome(join(folder, "home"), { small: true });
        await archive(disk, folder);
        return made;
      },
      (disk, folder, made) =>
        asProcess((locking) => forgetSession(libraryOn(disk, folder), claude(made), { locking })),
      async (disk, folder, made, { diedAt }) => {
        const library = libraryOn(disk, folder);
        const isForgotten = forgottenSessions(library).has(claude(made));
        if (diedAt === undefined) expect(isForgotten).toBe(true);
        expect(archivedSessions(library)).toHaveLength(isForgotten ? 1 : 2);
        await checkStore(disk, folder, made, isForgotten ? 1 : 2);
        await asProcess((locking) => forgetSession(library, claude(made), { locking }));
        expect(fs.existsSync(join(library.places.raw, "claude", made.ids.claude))).toBe(false);
        await asProcess((locking) => undoForget(library, claude(made), { locking }));
        await checkStore(disk, folder, made, 2);
      },
      { aftermaths: ["kill", "names-lost"] },
    );
  });

  it("brings all of a session back or nothing, and the next run completes", async () => {
    await everyDeath(
      async (disk, folder) => {
        const made = makeLogHome(join(folder, "home"), { small: true });
        await archive(disk, folder);
        await asProcess((locking) => forgetSession(libraryOn(disk, folder), claude(made), { locking }));
        return made;
      },
      (disk, folder, made) =>
        asProcess((locking) => undoForget(libraryOn(disk, folder), claude(made), { locking })),
      async (disk, folder, made, { diedAt }) => {
        const library = libraryOn(disk, folder);
        if (diedAt === undefined) expect(forgottenSessions(library).has(claude(made))).toBe(false);
        await archive(disk, folder);
        const isForgotten = forgottenSessions(library).has(claude(made));
        await checkStore(disk, folder, made, isForgotten ? 1 : 2);
        if (isForgotten) await asProcess((locking) => undoForget(library, claude(made), { locking }));
        await checkStore(disk, folder, made, 2);
        const left = [...filesBelow(join(folder, "store", "forgotten")).keys()];
        expect(left).toEqual([]);
      },
      { aftermaths: ["kill", "names-lost"] },
    );
  });
});
