import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeSnapshot } from "../../src/agents/log-snapshot.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import { forgetSession } from "../../src/forget.ts";
import type { Library } from "../../src/fs/library.ts";
import { checkFlattened } from "../../src/integrations/doctor/check-store.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import { checkSidecars } from "../../src/shrink/check-sidecars.ts";
import { flattenSession } from "../../src/shrink/flatten-session.ts";
import { openSidecar } from "../../src/shrink/open-sidecar.ts";
import { planUnflatten } from "../../src/shrink/plan-unflatten.ts";
import { retrieveBlock } from "../../src/shrink/retrieve-block.ts";
import { type UnflattenAnswer, unflattenSession } from "../../src/shrink/unflatten-session.ts";
import { diskThatFailsAt } from "../crash/sick-disks.ts";
import { archiving } from "../support/archive/archiving.ts";
import fc from "../support/fc.ts";
import { TOOL_SESSION } from "../support/shrink/tool-log.ts";
import {
  atOnce,
  CALLS,
  LOG,
  logsOf,
  lostValues,
  pathIn,
  putOld,
  sidecarOf,
  twoStores,
  VALUES,
} from "../support/shrink/two-stores.ts";

const agent = "claude";
const session = { agent, id: TOOL_SESSION, copy: null } as const;

const flatten = async (library: Library, minBytes = 1024, named = TOOL_SESSION): Promise<unknown> =>
  flattenSession(library, selectSession(library, [named]), {
    rule: { minBytes, copies: true },
    locking: atOnce,
    force: true,
  });
const unflatten = async (library: Library, named = TOOL_SESSION): Promise<UnflattenAnswer> =>
  unflattenSession(library, selectSession(library, [named]), { locking: atOnce, force: true });
const textOf = (library: Library, id: string): string =>
  [...(retrieveBlock(library, selectSession(library, [TOOL_SESSION]), id).blocks[0]?.text?.() ?? [])].join(
    "",
  );
const read = (path: string): string => fs.readFileSync(path, "utf8");
const changeOneSpace = (path: string): void =>
  putOld(path, read(path).replace('"isSidechain":false,"cwd":', '"isSidechain": false,"cwd":'));
const changeEachLine = (path: string): void =>
  putOld(path, read(path).replaceAll('"isSidechain":false,"cwd":', '"isSidechain": false,"cwd":'));
const withSpaces = LOG.replaceAll('"isSidechain":false,"cwd":', '"isSidechain": false,"cwd":');
const overwrite = (path: string, at: number): void => {
  const handle = fs.openSync(path, "r+");
  // Deno ignores the position of a string.
  fs.writeSync(handle, Buffer.from("XXXXXXXX"), 0, 8, at);
  fs.closeSync(handle);
};
const otherProject = (library: Library): string => {
  const folder = join(library.environment.home, "other");
  fs.mkdirSync(folder, { recursive: true });
  return folder;
};
/** Where the block of toolu_d begins, whose bytes no other block has. */
const inBlock = (library: Library): number =>
  (openSidecar(library.disk, sidecarOf(library))?.index.blocks.find(
    ({ toolUseId }) => toolUseId === "toolu_d",
  )?.offset ?? 0) + 2;
const inIndex = (library: Library): number => fs.statSync(sidecarOf(library)).size - 300;
const inEnd = (library: Library): number => fs.statSync(sidecarOf(library)).size - 40;
const RAW_GONE = "the archive is gone";

describe("flattenSession()", () => {
  it("fails at any call with ENOSPC: the log is as it was, or the sidecar has every block of its markers", async () => {
    let failures = 0;
    let replaced = 0;
    for (let call = 0; ; call++) {
      const { stores, path } = twoStores();
      const [library] = stores;
      await archiveSessions(library, archiving);
      const failing = diskThatFailsAt(library.disk, call, "ENOSPC", ({ mutates }) => mutates);
      await flatten({ ...library, disk: failing.disk }).catch(() => {});
      if (failing.failedAt() === undefined) break;
      failures++;
      if (read(path) === LOG) continue;
      replaced++;
      const sidecar = openSidecar(library.disk, sidecarOf(library));
      const plan = planUnflatten(agent, takeSnapshot(library, path), { sidecar, archived: () => [] });
      expect([failing.failedAt(), plan.missing, plan.isExact]).toEqual([failing.failedAt(), [], true]);
    }
    expect(failures).toBeGreaterThan(40);
    expect(replaced).toBeGreaterThan(5);
  });

  it("does not fail because it can't note that the write is its own", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    fs.mkdirSync(`${library.places.rewrites}/claude/${TOOL_SESSION}.json/x`, { recursive: true });
    await flatten(library);
    expect(read(path)).not.toBe(LOG);
    await unflatten(library);
    expect(read(path)).toBe(LOG);
  });

  it("keeps blocks of lines that it does not find any more", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library, 3_000);
    changeEachLine(path);
    await flatten(library, 1_000);
    expect(lostValues({ stores })).toEqual([]);
    fs.rmSync(library.places.raw, { recursive: true });
    expect(await unflatten(library)).toMatchObject({ blocksLeft: 0, markersLeft: 0 });
    expect(read(path)).toBe(withSpaces);
  });
});

describe("unflattenSession()", () => {
  it.each([
    ["has its archive", false],
    [RAW_GONE, true],
  ])("puts blocks back into lines that were changed: %s", async (_, isGone) => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library);
    changeEachLine(path);
    if (isGone) fs.rmSync(library.places.raw, { recursive: true });
    const answer = await unflatten(library);
    // Without the archive nobody knows where the list of toolu_c belongs: it leaves no marker.
    expect(answer).toMatchObject({ markersLeft: 0, isExact: false, blocksLeft: isGone ? 1 : 0 });
    expect(fs.existsSync(sidecarOf(library))).toBe(isGone);
    if (!isGone) expect(read(path)).toBe(withSpaces);
    expect(answer.problems.length).toBe(isGone ? 1 : 0);
    expect(lostValues({ stores })).toEqual([]);
  });

  it("works on a log that was restored into another project", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library);
    await archiveSessions(library, archiving);
    fs.rmSync(path);
    await restoreSessions(library, [session], { locking: atOnce, into: otherProject(library) });
    const moved = pathIn(library, otherProject(library));
    expect(await unflatten(library)).toMatchObject({
      blocks: 4,
      blocksLeft: 0,
      markersLeft: 0,
      sidecar: null,
    });
    expect(read(moved)).toBe(
      LOG.replaceAll('"cwd":"/home/ana/shop"', `"cwd":${JSON.stringify(otherProject(library))}`),
    );
  });

  it("leaves a sidecar that another copy of the log needs, and takes that copy by its path", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library);
    const copy = pathIn(library, "/home/ana/copy");
    putOld(copy, read(path));
    const first = await unflatten(library, path);
    expect(first).toMatchObject({ blocks: 4, isExact: true, sidecar: sidecarOf(library) });
    expect(first.problems).toMatchObject([{ path: copy }]);
    expect([read(path) === LOG, read(copy) === LOG]).toEqual([true, false]);
    expect(await unflatten(library, copy)).toMatchObject({ blocks: 4, sidecar: null, problems: [] });
    expect(read(copy)).toBe(LOG);
    expect(fs.existsSync(sidecarOf(library))).toBe(true);
    expect(await unflatten(library, path)).toMatchObject({ blocks: 0, sidecar: null, problems: [] });
    expect(fs.existsSync(sidecarOf(library))).toBe(false);
  });

  it("of two stores that flattened one log, each puts back what it has and says what it has not", async () => {
    const { stores, path } = twoStores();
    const [first, second] = stores;
    await flatten(first, 3_000);
    await flatten(second, 1_000);
    const part = await unflatten(second);
    expect(part.markersLeft).toBeGreaterThan(0);
    expect(part.problems).toMatchObject([{ path }]);
    expect(await unflatten(first)).toMatchObject({ markersLeft: 0, problems: [] });
    expect(read(path)).toBe(LOG);
  });

  it("the first of two stores has all of it in its archive", async () => {
    const { stores, path } = twoStores();
    const [first, second] = stores;
    await flatten(first, 3_000);
    await flatten(second, 1_000);
    expect(await unflatten(first)).toMatchObject({ blocksLeft: 0, markersLeft: 0 });
    expect(read(path)).toBe(LOG);
    expect(await unflatten(second)).toMatchObject({ blocks: 0, sidecar: null, problems: [] });
    expect(fs.existsSync(sidecarOf(second))).toBe(false);
  });

  it("finds everything in the archive if the sidecar is gone", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library);
    fs.rmSync(sidecarOf(library));
    expect(textOf(library, "toolu_a")).toBe(CALLS[0]?.result);
    expect(await unflatten(library)).toMatchObject({ blocks: 4, isExact: true, wasFlat: true, problems: [] });
    expect(read(path)).toBe(LOG);
  });

  it("says so if a marker's block is nowhere", async () => {
    const { stores } = twoStores();
    const [library] = stores;
    await flatten(library);
    fs.rmSync(sidecarOf(library));
    fs.rmSync(library.places.raw, { recursive: true });
    const answer = await unflatten(library);
    expect(answer).toMatchObject({ blocks: 0, wasFlat: true });
    expect(answer.markersLeft).toBeGreaterThan(3);
    expect(answer.problems).toHaveLength(1);
  });

  it.each([
    ["a block", inBlock],
    ["the index", inIndex],
    ["the end", inEnd],
  ])(
    "uses what can be read of a sidecar of which %s is damaged, and the archive for the rest",
    async (_, at) => {
      const { stores, path } = twoStores();
      const [library] = stores;
      await flatten(library);
      const sidecar = sidecarOf(library);
      overwrite(sidecar, at(library));
      expect(checkSidecars(library, { blocks: true }).findings).toMatchObject([
        { ...session, path: sidecar },
      ]);
      for (const { id, result } of CALLS.slice(0, 3)) expect(textOf(library, id)).toBe(result);
      const answer = await unflatten(library);
      expect(answer).toMatchObject({ blocks: 4, blocksLeft: 0, markersLeft: 0 });
      expect(answer.problems).toMatchObject([{ path: sidecar }]);
      expect(read(path)).toBe(LOG);
      expect(fs.existsSync(sidecar)).toBe(false);
      await flatten(library);
      expect(checkSidecars(library, { blocks: true }).findings).toEqual([]);
      expect(await unflatten(library)).toMatchObject({ isExact: true, problems: [] });
    },
  );

  it.each([
    ["a block", inBlock],
    ["the index", inIndex],
  ])("of which %s is damaged, and without the archive, the sidecar stays", async (_, at) => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library);
    overwrite(sidecarOf(library), at(library));
    fs.rmSync(library.places.raw, { recursive: true });
    const answer = await unflatten(library);
    expect(answer.blocks).toBeGreaterThan(0);
    expect(answer.problems.length).toBeGreaterThan(1);
    expect(answer.sidecar).toBe(sidecarOf(library));
    expect(read(path)).not.toBe(LOG);
    // One block is lost with the damage; nothing else is.
    expect(lostValues({ stores }).length).toBeLessThanOrEqual(1);
  });

  it("that can't be read, without an archive, exits with 5 and changes nothing", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library);
    fs.writeFileSync(sidecarOf(library), "nothing of the kind");
    fs.rmSync(library.places.raw, { recursive: true });
    const before = read(path);
    await expect(unflatten(library)).rejects.toMatchObject({ exitCode: 5 });
    await expect(flatten(library)).rejects.toMatchObject({ exitCode: 5 });
    expect(read(path)).toBe(before);
    expect(read(sidecarOf(library))).toBe("nothing of the kind");
    expect(() => textOf(library, "toolu_a")).toThrow("could not be read");
  });
});

describe("an intact sidecar", () => {
  it("has all that is put back, where each line was changed too: the archive only shows places", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library);
    changeEachLine(path);
    const { fromArchive, blocks, problems } = await unflatten(library);
    expect({ fromArchive, problems }).toEqual({ fromArchive: 0, problems: [] });
    expect(blocks).toBeGreaterThan(0);
    expect(read(path)).toBe(withSpaces);
  });
});

describe("checkSidecars()", () => {
  it("names the sidecars of logs that are not here, which unflatten leaves", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    await flatten(library);
    expect(checkSidecars(library, { blocks: false }).withoutLog).toEqual([]);
    fs.rmSync(path);
    expect(checkSidecars(library, { blocks: false })).toMatchObject({
      sidecars: 1,
      findings: [],
      withoutLog: [session],
    });
    expect(checkFlattened(library)).toMatchObject({
      state: "note",
      what: expect.stringContaining("1 sidecar of logs that are not here"),
      fix: expect.stringContaining(`sessions unflatten ${TOOL_SESSION}`),
    });
  });

  it("finds logs with markers that nothing serves, and only these", async () => {
    const { stores, path } = twoStores();
    const [library] = stores;
    expect(checkSidecars(library, { blocks: true })).toMatchObject({ sidecars: 0, findings: [] });
    await flatten(library);
    expect(checkSidecars(library, { blocks: true })).toMatchObject({
      sidecars: 1,
      flattenedLogs: 1,
      findings: [],
    });
    fs.rmSync(sidecarOf(library));
    expect(checkSidecars(library, { blocks: true }).findings).toEqual([]);
    fs.rmSync(library.places.raw, { recursive: true });
    expect(checkSidecars(library, { blocks: false }).findings).toMatchObject([{ ...session, path }]);
    await forgetSession(library, session, { locking: atOnce });
    expect(checkSidecars(library, { blocks: false }).findings).toEqual([]);
  });
});

/** What may happen to a log and its sidecars. The last ones do damage that only the archive can mend. */
const deeds = {
  flattenFirst: ({ stores }) => flatten(stores[0], 1_000),
  flattenLess: ({ stores }) => flatten(stores[0], 3_000),
  flattenSecond: ({ stores }) => flatten(stores[1], 400),
  unflattenFirst: ({ stores }) => unflatten(stores[0]),
  unflattenSecond: ({ stores }) => unflatten(stores[1]),
  unflattenCopies: async ({ stores: [library] }) => {
    for (const path of logsOf(library)) await unflatten(library, path);
  },
  archive: ({ stores: [library] }) => archiveSessions(library, archiving),
  changeOneSpace: async ({ stores: [library] }) => logsOf(library).forEach(changeOneSpace),
  copy: async ({ stores: [library] }) => {
    const [log = ""] = logsOf(library);
    putOld(pathIn(library, "/home/ana/copy"), read(log));
  },
  append: async ({ stores: [library] }) => {
    const [log = ""] = logsOf(library);
    putOld(log, `${read(log)}{"type":"last-prompt","lastPrompt":"x","sessionId":"${TOOL_SESSION}"}\n`);
  },
  move: async ({ stores: [library] }) => {
    await archiveSessions(library, archiving);
    for (const log of logsOf(library)) fs.rmSync(log);
    await restoreSessions(library, [session], { locking: atOnce, into: otherProject(library) });
  },
} satisfies Record<string, (two: ReturnType<typeof twoStores>) => Promise<unknown>>;

const harm = {
  removeSidecar: async ({ stores: [library] }) => fs.rmSync(sidecarOf(library), { force: true }),
  damageBlock: async ({ stores: [library] }) => {
    if (fs.existsSync(sidecarOf(library))) overwrite(sidecarOf(library), 10);
  },
  damageIndex: async ({ stores: [library] }) => {
    const path = sidecarOf(library);
    if (fs.existsSync(path)) overwrite(path, Math.max(0, fs.statSync(path).size - 400));
  },
} satisfies typeof deeds | Record<string, (two: ReturnType<typeof twoStores>) => Promise<unknown>>;

describe("whatever happens in whatever order", () => {
  const run = async (
    names: readonly string[],
    check: (two: ReturnType<typeof twoStores>, done: readonly string[]) => void,
  ): Promise<void> => {
    const two = twoStores();
    const done: string[] = [];
    for (const name of names) {
      const deed = Object.entries({ ...deeds, ...harm }).find(([key]) => key === name)?.[1];
      // What is refused must lose nothing either.
      await deed?.(two).catch((error: unknown) => {
        expect(error).toMatchObject({ exitCode: expect.any(Number) });
      });
      done.push(name);
      check(two, done);
    }
  };

  it("each value that was moved out is in a log or in a sidecar, without any help of the archive", async () => {
    expect(VALUES.length).toBeGreaterThan(6);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(deeds)), { minLength: 2, maxLength: 9 }),
        (names) =>
          run(names, (two, done) =>
            expect([done, lostValues(two).map((value) => value.slice(0, 40))]).toEqual([done, []]),
          ),
      ),
      { numRuns: 40 },
    );
  });

  it("and with a sidecar that is damaged or gone, `retrieve` prints each result", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys({ ...deeds, ...harm })), { minLength: 3, maxLength: 9 }),
        (names) =>
          run(["flattenFirst", ...names], ({ stores: [library] }, done) => {
            for (const { id, result } of CALLS.slice(0, 3))
              expect([done, textOf(library, id)]).toEqual([done, result]);
          }),
      ),
      { numRuns: 40 },
    );
  });
});
