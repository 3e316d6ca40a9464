import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { generationNumbers, sessionFolder } from "../../src/archive/raw/generations.ts";
import { mirrorKey } from "../../src/archive/raw/mirror-session.ts";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import { forgetSession, undoForget } from "../../src/forget.ts";
import { openFolderStore } from "../../src/remote/folder-store.ts";
import { thisMachine } from "../../src/remote/machine.ts";
import { openAccess, ownIdentity } from "../../src/remote/repository-key.ts";
import { openSession } from "../../src/search/open-session.ts";
import { allArchived } from "../../src/search/select-archived.ts";
import { listSessions } from "../../src/search/session-catalog.ts";
import { archiving, locking } from "../support/archive/archiving.ts";
import { makeAccess } from "../support/make-library.ts";
import {
  archiveAll,
  filesOf,
  folderRemote,
  makeMachine,
  shareRepository,
  sync,
  type TestMachine,
  testFolder,
} from "../support/sync/machines.ts";

const CLAUDE_ID = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";
const isLog = (name: string): boolean => !name.startsWith(".sessions") && !name.endsWith("history.jsonl");

async function twoMachines(): Promise<{
  readonly laptop: TestMachine;
  readonly desk: TestMachine;
  readonly remote: ReturnType<typeof folderRemote>;
  readonly root: string;
}> {
  const root = testFolder();
  const laptop = makeMachine("laptop", join(root, "laptop", "ana"), [".claude"]);
  const desk = makeMachine("desk", join(root, "desk", "Users", "ana"), [".pi", ".codex"]);
  const remote = folderRemote(join(root, "nas"));
  fs.mkdirSync(remote.url);
  await shareRepository(remote, [laptop, desk]);
  for (const machine of [laptop, desk]) await archiveAll(machine);
  return { laptop, desk, remote, root };
}

describe("two machines with different homes", () => {
  test("each lists, shows and restores every session of the other, byte for byte", async () => {
    const { laptop, desk, remote, root } = await twoMachines();
    const first = await sync(laptop, remote);
    expect(first).toMatchObject({ problems: [], pushed: { sessions: 8 }, pulled: { sessions: 0 } });
    const second = await sync(desk, remote);
    expect(second).toMatchObject({ problems: [], pulled: { sessions: 8 } });
    const third = await sync(laptop, remote);
    expect(third).toMatchObject({ problems: [], pushed: { sessions: 0, objects: 0 } });
    expect(third.pulled.sessions).toBe(second.pushed.sessions);

    for (const [machine, other] of [
      [laptop, desk],
      [desk, laptop],
    ] as const) {
      const { rows } = await listSessions(machine.library, makeAccess(machine.library));
      const theirs = rows.filter(({ digest }) => digest.machine === other.name);
      const own = rows.filter(({ digest }) => digest.machine === undefined);
      const alone = await listSessions(other.library, makeAccess(other.library));
      expect(theirs.map(({ digest }) => digest.id).sort()).toEqual(
        alone.rows
          .filter(({ digest }) => digest.machine === undefined)
          .map(({ digest }) => digest.id)
          .sort(),
      );
      expect(own.length + theirs.length).toBe(rows.length);
      for (const { digest } of theirs) {
        const open = openSession(machine.library, [digest.id]);
        expect(open).toMatchObject({ machine: other.name, source: null, state: "kept" });
        expect(open.session.turns.length).toBeGreaterThan(0);
      }
      const to = join(root, "restored", other.name);
      const answer = await restoreSessions(machine.library, allArchived(machine.library, other.name), {
        to,
        locking,
      });
      expect(answer.problems).toEqual([]);
      const restored = filesOf(to, isLog);
      expect(restored.size).toBeGreaterThan(3);
      const originals = filesOf(other.home, isLog);
      for (const [name, bytes] of restored) expect(originals.get(name), name).toBe(bytes);
      const logs = [...originals.keys()].filter((name) => name.endsWith(".jsonl"));
      expect([...restored.keys()]).toEqual(expect.arrayContaining(logs));
      const { damages } = await verifyArchive(machine.library);
      expect(damages).toEqual([]);
    }
  });

  test("a second sync pushes and pulls nothing, and a dry run says what the next would do", async () => {
    const { laptop, desk, remote } = await twoMachines();
    const planned = await sync(laptop, remote, { dryRun: true });
    expect(filesOf(join(remote.url, "manifests")).size).toBe(0);
    const done = await sync(laptop, remote);
    expect(planned.pushed).toEqual(done.pushed);
    const wouldPull = await sync(desk, remote, { dryRun: true });
    expect(allArchived(desk.library, "laptop")).toEqual([]);
    expect(wouldPull.pulled.sessions).toBe((await sync(desk, remote)).pulled.sessions);
    const before = filesOf(remote.url);
    expect(await sync(desk, remote)).toMatchObject({ pushed: { objects: 0 }, pulled: { objects: 0 } });
    expect(filesOf(remote.url)).toEqual(before);
  });

  test("a session that grows is pushed and pulled again, as the same session", async () => {
    const { laptop, desk, remote } = await twoMachines();
    await sync(laptop, remote);
    await sync(desk, remote);
    const [log] = [...filesOf(join(laptop.home, ".claude")).keys()].filter((name) =>
      name.includes(CLAUDE_ID),
    );
    const path = join(laptop.home, ".claude", log ?? "");
    fs.appendFileSync(path, `${fs.readFileSync(path, "utf8").split("\n")[3]}\n`);
    await archiveAll(laptop);
    expect(await sync(laptop, remote)).toMatchObject({ pushed: { sessions: 1 } });
    expect(await sync(desk, remote)).toMatchObject({ pulled: { sessions: 1 } });
    const [session, other] = allArchived(desk.library, "laptop").filter(({ id }) => id === CLAUDE_ID);
    expect(other).toBeUndefined();
    expect(session?.files[0]?.size).toBe(fs.statSync(path).size);
  });

  test("a generation that was pushed stays in the repository, even if the archive can't read it any more", async () => {
    const { laptop, desk, remote } = await twoMachines();
    const [log = ""] = [...filesOf(join(laptop.home, ".claude")).keys()].filter((name) =>
      name.includes(CLAUDE_ID),
    );
    const path = join(laptop.home, ".claude", log);
    const first = fs.readFileSync(path, "utf8");
    await sync(laptop, remote);
    // Other content, not a continuation: the archive keeps both as generations.
    fs.writeFileSync(path, first.replaceAll("refresh", "renewal"));
    await archiveAll(laptop);
    await sync(laptop, remote);
    const raw = join(laptop.library.places.raw, "claude", CLAUDE_ID);
    fs.writeFileSync(join(raw, "1", "manifest.json"), "{}");
    await sync(laptop, remote);
    await sync(desk, remote);
    const [session] = allArchived(desk.library, "laptop").filter(({ id }) => id === CLAUDE_ID);
    expect(generationNumbers(desk.library.disk, session?.location ?? "")).toEqual([1, 2]);
  });

  test("the store learns nothing: neither names nor texts nor paths are in it", async () => {
    const { laptop, remote } = await twoMachines();
    await sync(laptop, remote);
    const all = filesOf(remote.url);
    expect(all.size).toBeGreaterThan(10);
    for (const [name, base64] of all) {
      const text = `${name}\n${Buffer.from(base64, "base64").toString("latin1")}`;
      for (const secret of ["laptop", "token refresh", "claude", CLAUDE_ID, "/ana", "AGE-SECRET-KEY"])
        expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
    }
  });

  test.each([
    [0o2770, 0o660],
    [0o755, 0o644],
    [0o700, 0o600],
  ])("what is in a folder of mode %o can be read by whoever may read that", async (folder, file) => {
    const { laptop, remote } = await twoMachines();
    fs.chmodSync(remote.url, folder);
    await sync(laptop, remote);
    const modes = (name: string): number => fs.statSync(join(remote.url, name)).mode & 0o7777;
    const [object = ""] = [...filesOf(join(remote.url, "objects")).keys()];
    expect(modes(`objects/${object}`)).toBe(file);
    expect(modes(`objects/${object}/..`)).toBe(folder);
  });

  test("a session of both is one session with two copies, also under the same path", async () => {
    const root = testFolder();
    const laptop = makeMachine("laptop", join(root, "a"), [".claude"]);
    const desk = makeMachine("desk", join(root, "b"), [".claude"]);
    const remote = folderRemote(join(root, "nas"));
    fs.mkdirSync(remote.url);
    await shareRepository(remote, [laptop, desk]);
    for (const machine of [laptop, desk, laptop]) {
      await archiveAll(machine);
      await sync(machine, remote);
    }
    const { rows } = await listSessions(laptop.library, makeAccess(laptop.library));
    expect(rows.map(({ copies, digest }) => [copies, digest.machine])).toEqual(
      rows.map(() => [2, undefined]),
    );
    const { others } = openSession(laptop.library, [CLAUDE_ID]);
    expect(others).toEqual([expect.stringMatching(/^desk:\//)]);
    // Archiving again takes no log of this machine for one of the other.
    await archiveAll(laptop);
    expect(allArchived(laptop.library, "local")).toHaveLength(rows.length);
  });
});

describe("restore of a session of another machine", () => {
  test("maps the home, and other folders as the config says, so that the agent resumes it here", async () => {
    const root = testFolder();
    const laptop = makeMachine("laptop", join(root, "ana"), [".claude"]);
    const desk = makeMachine("desk", join(root, "desk"), [], { paths: { "/home/ana": join(root, "mine") } });
    const remote = folderRemote(join(root, "nas"));
    for (const folder of [remote.url, join(root, "mine", "shop")]) fs.mkdirSync(folder, { recursive: true });
    await shareRepository(remote, [laptop, desk]);
    await archiveAll(laptop);
    await sync(laptop, remote);
    await sync(desk, remote);
    const [session] = allArchived(desk.library, "laptop").filter(({ id }) => id === CLAUDE_ID);
    const answer = await restoreSessions(desk.library, session === undefined ? [] : [session], { locking });
    const shop = join(root, "mine", "shop");
    expect(answer.sessions[0]).toMatchObject({
      outcome: "restored",
      machine: "laptop",
      move: { from: "/home/ana/shop", to: shop },
      missingProject: null,
      resume: { folder: shop },
    });
    const path = answer.sessions[0]?.files[0]?.path ?? "";
    expect(path.startsWith(join(desk.home, ".claude", "projects"))).toBe(true);
    expect(fs.readFileSync(path, "utf8")).toContain(`"cwd":"${shop}"`);
  });

  test("says so if its project is not here, and keeps its bytes", async () => {
    const { laptop, desk, remote } = await twoMachines();
    await sync(laptop, remote);
    await sync(desk, remote);
    const [session] = allArchived(desk.library, "laptop").filter(({ id }) => id === CLAUDE_ID);
    const answer = await restoreSessions(desk.library, session === undefined ? [] : [session], { locking });
    expect(answer.sessions[0]).toMatchObject({
      outcome: "restored",
      move: null,
      missingProject: "/home/ana/shop",
    });
  });
});

describe("forgetting", () => {
  test("on the machine of a session removes it from the others; undoing brings it back", async () => {
    const { laptop, desk, remote } = await twoMachines();
    for (const machine of [laptop, desk]) await sync(machine, remote);
    const key = { agent: "claude", id: CLAUDE_ID, copy: null } as const;
    await forgetSession(laptop.library, key, archiving);
    await sync(laptop, remote);
    const done = await sync(desk, remote);
    expect(done.tombstones.forgotten.map(({ id }) => id)).toEqual([CLAUDE_ID]);
    const idsOn = async ({ library }: TestMachine): Promise<readonly string[]> =>
      (await listSessions(library, makeAccess(library))).rows.map(({ digest }) => digest.id);
    expect(await idsOn(desk)).not.toContain(CLAUDE_ID);
    await undoForget(laptop.library, key, archiving);
    await sync(laptop, remote);
    await sync(desk, remote);
    expect(await idsOn(desk)).toContain(CLAUDE_ID);
  });

  test("on another machine forgets it on its own machine, too; undoing there brings it back here", async () => {
    const { laptop, desk, remote } = await twoMachines();
    for (const machine of [laptop, desk]) await sync(machine, remote);
    const mirrored = mirrorKey({ agent: "claude", id: CLAUDE_ID }, thisMachine(laptop.library, "").id, null);
    await forgetSession(desk.library, mirrored, archiving);
    await sync(desk, remote);
    const done = await sync(laptop, remote);
    expect(done.tombstones.forgotten.map(({ id }) => id)).toEqual([CLAUDE_ID]);
    expect(allArchived(laptop.library, "local").map(({ id }) => id)).not.toContain(CLAUDE_ID);
    // It does not come back from the log, which is still there.
    await archiveAll(laptop);
    await sync(laptop, remote);
    expect((await sync(desk, remote)).pulled.sessions).toBe(0);
    await undoForget(desk.library, mirrored, archiving);
    await sync(desk, remote);
    expect((await sync(laptop, remote)).tombstones.broughtBack.map(({ id }) => id)).toEqual([CLAUDE_ID]);
    expect(allArchived(laptop.library, "local").map(({ id }) => id)).toContain(CLAUDE_ID);
  });

  test("on another machine can be undone on its own, for good, also if the other one never syncs again", async () => {
    const { laptop, desk, remote, root } = await twoMachines();
    for (const machine of [laptop, desk]) await sync(machine, remote);
    const key = { agent: "claude", id: CLAUDE_ID, copy: null } as const;
    const mirrored = mirrorKey(key, thisMachine(laptop.library, "").id, null);
    await forgetSession(desk.library, mirrored, archiving);
    await sync(desk, remote);
    expect((await sync(laptop, remote)).tombstones.forgotten).toHaveLength(1);
    await undoForget(laptop.library, key, archiving);
    for (let run = 0; run < 2; run++)
      expect((await sync(laptop, remote)).tombstones).toEqual({ forgotten: [], broughtBack: [] });
    expect(allArchived(laptop.library, "local").map(({ id }) => id)).toContain(CLAUDE_ID);
    // A third machine gets it, though the desk's tombstone is still there.
    const third = makeMachine("third", join(root, "third"), []);
    const access = await openAccess(
      openFolderStore(laptop.library.disk, remote.url),
      remote,
      await ownIdentity(laptop.library),
    );
    await access.admit((await ownIdentity(third.library)).recipient);
    await sync(third, remote);
    expect(allArchived(third.library, "laptop").map(({ id }) => id)).toContain(CLAUDE_ID);
    expect((await sync(desk, remote)).tombstones.broughtBack.map(({ id }) => id)).toEqual([CLAUDE_ID]);
    expect(allArchived(desk.library, "laptop").map(({ id }) => id)).toContain(CLAUDE_ID);
    // Forgetting it once more counts again.
    const later = { ...desk.library, now: () => desk.library.now() + 1_000 };
    await forgetSession(later, mirrored, archiving);
    await sync(desk, remote);
    expect((await sync(laptop, remote)).tombstones.forgotten).toHaveLength(1);
  });

  test("on another machine can be undone on its own when the data is purged, for good", async () => {
    const { laptop, desk, remote } = await twoMachines();
    for (const machine of [laptop, desk]) await sync(machine, remote);
    const key = { agent: "claude", id: CLAUDE_ID, copy: null } as const;
    const mirrored = mirrorKey(key, thisMachine(laptop.library, "").id, null);
    await forgetSession(desk.library, mirrored, archiving);
    await sync(desk, remote);
    await sync(laptop, remote);
    const week: TestMachine = {
      ...laptop,
      library: { ...laptop.library, now: () => laptop.library.now() + 8 * 86_400_000 },
    };
    await archiveAll(week);
    expect(await undoForget(week.library, key, archiving)).toEqual({ ...key, broughtBack: false });
    await archiveAll(week);
    for (let run = 0; run < 2; run++)
      expect((await sync(week, remote)).tombstones).toEqual({ forgotten: [], broughtBack: [] });
    expect(allArchived(week.library, "local").map(({ id }) => id)).toContain(CLAUDE_ID);
    expect((await sync(desk, remote)).tombstones.broughtBack.map(({ id }) => id)).toEqual([CLAUDE_ID]);
    expect(allArchived(desk.library, "laptop").map(({ id }) => id)).toContain(CLAUDE_ID);
  });

  test("is not taken back by another remote, where the machine that forgot has not been since", async () => {
    const { laptop, desk, remote, root } = await twoMachines();
    const stick = { ...folderRemote(join(root, "stick")), name: "stick" };
    fs.mkdirSync(stick.url);
    await shareRepository(stick, [laptop, desk]);
    for (const each of [remote, stick])
      for (const machine of [laptop, desk, laptop]) await sync(machine, each);
    const mirrored = mirrorKey({ agent: "claude", id: CLAUDE_ID }, thisMachine(laptop.library, "").id, null);
    await forgetSession(desk.library, mirrored, archiving);
    await sync(desk, remote);
    expect((await sync(laptop, remote)).tombstones.forgotten).toHaveLength(1);
    expect((await sync(laptop, stick)).tombstones).toEqual({ forgotten: [], broughtBack: [] });
    expect(allArchived(laptop.library, "local").map(({ id }) => id)).not.toContain(CLAUDE_ID);
    await undoForget(desk.library, mirrored, archiving);
    await sync(desk, remote);
    expect((await sync(laptop, remote)).tombstones.broughtBack).toHaveLength(1);
  });

  test("bytes leave the store after 7 days, by the clock of the store, and only if nothing names them", async () => {
    const { laptop, desk, remote } = await twoMachines();
    for (const machine of [laptop, desk]) await sync(machine, remote);
    const objects = (): number => filesOf(join(remote.url, "objects")).size;
    const before = objects();
    await forgetSession(laptop.library, { agent: "claude", id: CLAUDE_ID, copy: null }, archiving);
    expect(await sync(laptop, remote)).toMatchObject({ garbage: { objects: 0, manifests: 0 } });
    const later = (days: number) => {
      const store = openFolderStore(laptop.library.disk, remote.url);
      return { ...store, now: async () => (await store.now()) + days * 86_400_000 };
    };
    // A machine whose clock is wrong removes nothing: the store's counts.
    const skewed = { ...laptop, library: { ...laptop.library, now: () => Date.UTC(2040, 1, 1) } };
    expect(await sync(skewed, remote)).toMatchObject({ garbage: { objects: 0 } });
    expect(await sync(laptop, remote, {}, later(6))).toMatchObject({ garbage: { objects: 0, manifests: 0 } });
    const { garbage } = await sync(laptop, remote, {}, later(8));
    expect(garbage).toMatchObject({ manifests: 1, postponed: null });
    expect(garbage.objects).toBeGreaterThan(1);
    expect(objects()).toBe(before - garbage.objects);
    expect(await sync(desk, remote)).toMatchObject({ problems: [] });
    expect(await sync(laptop, remote, { check: true })).toMatchObject({ pushed: { mended: 0, objects: 0 } });
  });

  test("nothing is removed that only has an old mtime: it may just have come from another machine", async () => {
    const { laptop, desk, remote } = await twoMachines();
    await sync(laptop, remote);
    // As a program that synchronizes folders does: objects are there before the manifest that names them.
    const manifests = join(remote.url, "manifests");
    fs.renameSync(manifests, `${remote.url}-manifests`);
    const ago = Date.now() / 1000 - 30 * 86_400;
    for (const name of filesOf(remote.url).keys()) fs.utimesSync(join(remote.url, name), ago, ago);
    expect(await sync(desk, remote)).toMatchObject({ garbage: { objects: 0, postponed: null } });
    fs.cpSync(`${remote.url}-manifests`, manifests, { recursive: true });
    expect(await sync(desk, remote)).toMatchObject({ problems: [], pulled: { sessions: 8 } });
  });

  test("to know what is garbage, no record is fetched that is here", async () => {
    const { laptop, desk, remote } = await twoMachines();
    for (const machine of [laptop, desk, laptop]) await sync(machine, remote);
    const store = openFolderStore(laptop.library.disk, remote.url);
    const fetched: string[] = [];
    const watched = {
      ...store,
      now: async () => (await store.now()) + 8 * 86_400_000,
      get: (name: string, maxBytes: number) => {
        fetched.push(name);
        return store.get(name, maxBytes);
      },
    };
    expect(await sync(laptop, remote, {}, watched)).toMatchObject({ problems: [], garbage: { objects: 0 } });
    expect(fetched.filter((name) => name.startsWith("objects/"))).toEqual([]);
  });

  test("where machines push often, the manifests of a week are read once a day", async () => {
    const { laptop, desk, remote } = await twoMachines();
    for (const machine of [laptop, desk]) await sync(machine, remote);
    const [log = ""] = [...filesOf(join(laptop.home, ".claude")).keys()].filter((name) =>
      name.includes(CLAUDE_ID),
    );
    const path = join(laptop.home, ".claude", log);
    const line = `${fs.readFileSync(path, "utf8").split("\n")[3]}\n`;
    for (let pushed = 0; pushed < 3; pushed++) {
      fs.appendFileSync(path, line);
      await archiveAll(laptop);
      await sync(laptop, remote);
    }
    const store = openFolderStore(desk.library.disk, remote.url);
    const dayMs = 86_400_000;
    /** A store in which the first and second manifest were followed so many days ago, the third just now. */
    const storeAfter = (days: number): { readonly store: typeof store; readonly fetched: string[] } => {
      const fetched: string[] = [];
      const now = Date.now() + days * dayMs;
      return {
        fetched,
        store: {
          ...store,
          now: async () => now,
          list: async (prefix) =>
            (await store.list(prefix)).map((each) =>
              each.name.endsWith("/00000004") ? { ...each, storedAt: now } : each,
            ),
          get: (name, maxBytes) => {
            fetched.push(name);
            return store.get(name, maxBytes);
          },
        },
      };
    };
    const early = storeAfter(7.5);
    expect(await sync(desk, remote, {}, early.store)).toMatchObject({
      garbage: { objects: 0, manifests: 0 },
    });
    const { id } = thisMachine(laptop.library, "");
    const fetched = early.fetched.filter((name) => name.startsWith(`manifests/${id}/`));
    expect(new Set(fetched)).toEqual(new Set([`manifests/${id}/00000004`]));
    const due = storeAfter(8.5);
    expect(await sync(desk, remote, {}, due.store)).toMatchObject({ garbage: { manifests: 2 } });
  });

  test("here, while the session is fetched: it is not taken over", async () => {
    const { laptop, desk, remote } = await twoMachines();
    for (const machine of [laptop, desk]) await sync(machine, remote);
    const [log = ""] = [...filesOf(join(laptop.home, ".claude")).keys()].filter((name) =>
      name.includes(CLAUDE_ID),
    );
    const path = join(laptop.home, ".claude", log);
    fs.appendFileSync(path, `${fs.readFileSync(path, "utf8").split("\n")[3]}\n`);
    await archiveAll(laptop);
    await sync(laptop, remote);
    const mirrored = mirrorKey({ agent: "claude", id: CLAUDE_ID }, thisMachine(laptop.library, "").id, null);
    const store = openFolderStore(desk.library.disk, remote.url);
    let isForgotten = false;
    const racing = {
      ...store,
      get: async (name: string, maxBytes: number) => {
        if (name.startsWith("objects/") && !isForgotten) {
          isForgotten = true;
          await forgetSession(desk.library, mirrored, archiving);
        }
        return store.get(name, maxBytes);
      },
    };
    await sync(desk, remote, {}, racing);
    expect(isForgotten).toBe(true);
    expect(fs.existsSync(sessionFolder(desk.library.places.raw, mirrored))).toBe(false);
    await undoForget(desk.library, mirrored, archiving);
    expect(await sync(desk, remote)).toMatchObject({ problems: [], pulled: { sessions: 1 } });
    expect(allArchived(desk.library, "laptop").map(({ id }) => id)).toContain(CLAUDE_ID);
  });
});

describe("two machines with one id, because one was cloned", () => {
  test("that push at the same moment lose no session of each other", async () => {
    const { laptop, desk, remote, root } = await twoMachines();
    const clone = makeMachine("laptop", join(root, "clone"), [".claw"]);
    thisMachine(laptop.library, "");
    for (const name of ["machine.json", "identity.txt"]) {
      fs.mkdirSync(clone.library.places.home, { recursive: true });
      fs.copyFileSync(join(laptop.library.places.home, name), join(clone.library.places.home, name));
    }
    await archiveAll(clone);
    const store = openFolderStore(laptop.library.disk, remote.url);
    let isPushing = false;
    const racing = {
      ...store,
      put: async (name: string, bytes: Uint8Array) => {
        if (name.startsWith("manifests/") && !isPushing) {
          isPushing = true;
          await sync(clone, remote);
        }
        return store.put(name, bytes);
      },
    };
    await sync(laptop, remote, {}, racing);
    expect(isPushing).toBe(true);
    await sync(desk, remote);
    const ids = allArchived(desk.library, "laptop").map(({ agent }) => agent);
    expect(new Set(ids)).toEqual(new Set(["claude", "claw"]));
  });
});
