import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import type { ObjectStore } from "../../src/remote/object-store.ts";
import type { Remote } from "../../src/remote/remotes.ts";
import { openPlace, openRemote } from "../../src/remote/sync.ts";
import { verifyRepository } from "../../src/remote/verify-repository.ts";
import { allArchived } from "../../src/search/select-archived.ts";
import { listSessions } from "../../src/search/session-catalog.ts";
import { locking } from "../support/archive/archiving.ts";
import { makeAccess } from "../support/make-library.ts";
import {
  archiveAll,
  filesOf,
  makeMachine,
  shareRepository,
  sync,
  type TestMachine,
  testFolder,
} from "../support/sync/machines.ts";
import { pythonWithMoto, type S3Server, startS3 } from "../support/sync/s3-server.ts";

const python = pythonWithMoto();
if (python === undefined)
  console.warn("SKIPPED: the tests with S3 need Python with moto (pip install 'moto[server]')");

describe.skipIf(python === undefined)("with a real S3 server", () => {
  let server: S3Server;
  let buckets = 0;
  beforeAll(async () => {
    server = await startS3(python ?? "");
  });
  afterAll(() => server.stop());

  /** A machine with the credentials of the server. */
  const withKeys = ({ library, ...machine }: TestMachine): TestMachine => ({
    ...machine,
    library: {
      ...library,
      environment: {
        ...library.environment,
        variables: { ...library.environment.variables, ...server.variables },
      },
    },
  });

  async function makeRemote(): Promise<Remote> {
    const bucket = `sessions-${++buckets}`;
    await server.makeBucket(bucket);
    return { name: "box", kind: "s3", url: `s3://${bucket}/some/prefix`, endpoint: server.endpoint };
  }

  async function twoMachines(): Promise<{
    laptop: TestMachine;
    desk: TestMachine;
    remote: Remote;
    root: string;
  }> {
    const root = testFolder();
    const laptop = withKeys(makeMachine("laptop", join(root, "laptop", "ana"), [".claude"]));
    const desk = withKeys(makeMachine("desk", join(root, "desk", "Users", "ana"), [".pi", ".codex"]));
    const remote = await makeRemote();
    await shareRepository(remote, [laptop, desk]);
    for (const machine of [laptop, desk]) await archiveAll(machine);
    return { laptop, desk, remote, root };
  }

  test("put-if-absent, get, list and delete are those of the port", async () => {
    const remote = await makeRemote();
    const { library } = withKeys(makeMachine("laptop", testFolder(), []));
    const store = openPlace(library, remote);
    const bytes = Buffer.from("one");
    expect(await store.put("objects/aa/1", bytes)).toBe(true);
    expect(await store.put("objects/aa/1", Buffer.from("two"))).toBe(false);
    expect(Buffer.from((await store.get("objects/aa/1", 100)) ?? "")).toEqual(bytes);
    // One byte more than allowed shows that it is too large.
    expect(await store.get("objects/aa/1", 1)).toHaveLength(2);
    expect(await store.get("objects/aa/2", 100)).toBeUndefined();
    expect(await store.put("objects/aa/empty", Buffer.alloc(0))).toBe(true);
    expect(await store.get("objects/aa/empty", 100)).toHaveLength(0);
    const listed = await store.list("objects/");
    expect(listed.map(({ name, bytes: size }) => `${name} ${size}`).sort()).toEqual([
      "objects/aa/1 3",
      "objects/aa/empty 0",
    ]);
    const now = await store.now();
    for (const { storedAt } of listed) expect(Math.abs(now - storedAt)).toBeLessThan(60_000);
    await store.delete("objects/aa/1");
    await store.delete("objects/aa/1");
    expect(await store.list("objects/aa/1")).toEqual([]);
  });

  test("lists more objects than one page has", async () => {
    const remote = await makeRemote();
    const { library } = withKeys(makeMachine("laptop", testFolder(), []));
    const store = openPlace(library, remote);
    const names = Array.from({ length: 1_010 }, (_, n) => `objects/aa/${n}`);
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => store.put(name, Buffer.from("x"))));
    expect((await store.list("objects/")).map(({ name }) => name).sort()).toEqual(names.toSorted());
  });

  test("two homes with different paths: each has every session of the other, byte for byte", async () => {
    const { laptop, desk, remote, root } = await twoMachines();
    for (const machine of [laptop, desk, laptop])
      expect(await sync(machine, remote)).toMatchObject({ problems: [] });
    for (const [machine, other] of [
      [laptop, desk],
      [desk, laptop],
    ] as const) {
      const { rows } = await listSessions(machine.library, makeAccess(machine.library));
      const own = allArchived(other.library, "local").filter(({ files }) => files[0]?.role === "main");
      const theirs = rows
        .filter(({ digest }) => digest.machine === other.name)
        .map(({ digest }) => digest.id);
      expect(theirs.sort()).toEqual(expect.arrayContaining(own.map(({ id }) => id)));
      const to = join(root, "restored", other.name);
      await restoreSessions(machine.library, allArchived(machine.library, other.name), { to, locking });
      const originals = filesOf(other.home);
      const restored = filesOf(to);
      expect(restored.size).toBeGreaterThan(3);
      for (const [name, bytes] of restored) expect(originals.get(name), name).toBe(bytes);
      expect((await verifyArchive(machine.library)).damages).toEqual([]);
    }
    const { repository } = await openRemote(
      laptop.library,
      remote,
      locking,
      openPlace(laptop.library, remote),
    );
    const proof = await verifyRepository(repository, { onProgress: () => {}, pause: async () => {} });
    expect(proof).toMatchObject({ damages: [], unnamed: 0, sessions: expect.any(Number) });
    expect(await sync(laptop, remote)).toMatchObject({ pushed: { objects: 0 }, pulled: { objects: 0 } });
  });

  test("wrong credentials, a missing bucket and a server that is gone say so", async () => {
    const { laptop, remote } = await twoMachines();
    const missing = { ...remote, url: "s3://no-such-bucket/x" };
    await expect(sync(laptop, missing)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining("bucket"),
    });
    const { AWS_ACCESS_KEY_ID: _, ...rest } = laptop.library.environment.variables;
    const stranger = {
      ...laptop,
      library: { ...laptop.library, environment: { ...laptop.library.environment, variables: rest } },
    };
    await expect(async () => sync(stranger, remote)).rejects.toThrow("there are no credentials");
    const gone = { ...remote, endpoint: "http://127.0.0.1:9" };
    await expect(sync(laptop, gone)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining("Cannot reach"),
    });
  });

  test("a line that is cut at some request is taken up again by the next sync", async () => {
    const { laptop, desk, remote } = await twoMachines();
    for (let n = 0, isCut = true; isCut; n += 9) {
      let calls = 0;
      const store = openPlace(laptop.library, remote);
      const guard = <T>(work: Promise<T>): Promise<T> =>
        calls++ === n ? work.then(() => Promise.reject(new Error("cut"))) : work;
      const cut: ObjectStore = {
        ...store,
        put: (name, bytes) => guard(store.put(name, bytes)),
        get: (name, maxBytes) => guard(store.get(name, maxBytes)),
        list: (prefix) => guard(store.list(prefix)),
      };
      isCut = await sync(laptop, remote, {}, cut).then(
        () => false,
        (error: unknown) => error instanceof Error && error.message === "cut",
      );
    }
    expect(await sync(desk, remote)).toMatchObject({ problems: [] });
    expect(allArchived(desk.library, "laptop").length).toBe(allArchived(laptop.library, "local").length);
    expect(fs.existsSync(join(desk.library.places.home, "incoming"))).toBe(false);
  });
});
