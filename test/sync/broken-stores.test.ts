import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { describe, expect, test } from "vitest";
import { compress, hashOf } from "../../src/archive/raw/chunk.ts";
import { readGeneration } from "../../src/archive/raw/generations.ts";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import { forgetSession } from "../../src/forget.ts";
import { openFolderStore } from "../../src/remote/folder-store.ts";
import { thisMachine } from "../../src/remote/machine.ts";
import { machineManifestToJson } from "../../src/remote/machine-manifest.ts";
import { createObjectCipher, type ObjectCipher } from "../../src/remote/object-cipher.ts";
import { type ObjectStore, unreachable } from "../../src/remote/object-store.ts";
import { openRepository } from "../../src/remote/repository.ts";
import { createOrJoin, openAccess, ownIdentity } from "../../src/remote/repository-key.ts";
import { verifyRepository } from "../../src/remote/verify-repository.ts";
import { allArchived } from "../../src/search/select-archived.ts";
import { archiving } from "../support/archive/archiving.ts";
import fc from "../support/fc.ts";
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

interface Scene {
  readonly laptop: TestMachine;
  readonly desk: TestMachine;
  readonly remote: ReturnType<typeof folderRemote>;
  readonly root: string;
}

async function makeScene(): Promise<Scene> {
  const root = testFolder();
  const laptop = makeMachine("laptop", join(root, "ana"), [".codex"]);
  const desk = makeMachine("desk", join(root, "desk"), [".pi"]);
  const remote = folderRemote(join(root, "nas"));
  fs.mkdirSync(remote.url);
  await shareRepository(remote, [laptop, desk]);
  for (const machine of [laptop, desk]) await archiveAll(machine);
  return { laptop, desk, remote, root };
}

/** A store that fails at its nth call: before it has done it, or when it has done it and nobody hears of it. */
function failingStore(
  store: ObjectStore,
  n: number,
  when: "before" | "after",
): ObjectStore & { calls(): number } {
  let calls = 0;
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    const isIt = calls++ === n;
    if (isIt && when === "before") throw unreachable(store.place, "the line is cut");
    const result = await work();
    if (isIt) throw unreachable(store.place, "the line is cut");
    return result;
  };
  return {
    place: store.place,
    put: (name, bytes) => guard(() => store.put(name, bytes)),
    get: (name, maxBytes) => guard(() => store.get(name, maxBytes)),
    list: (prefix) => guard(() => store.list(prefix)),
    delete: (name) => guard(() => store.delete(name)),
    now: () => guard(() => store.now()),
    calls: () => calls,
  };
}

const storeOf = ({ library }: TestMachine, { url }: Scene["remote"]): ObjectStore =>
  openFolderStore(library.disk, url);

async function cipherOf({ laptop, remote }: Scene): Promise<ObjectCipher> {
  return (await openAccess(storeOf(laptop, remote), remote, await ownIdentity(laptop.library))).cipher;
}

/** All sessions of each machine, as the other has them. */
function exchanged({ laptop, desk }: Scene): readonly (readonly string[])[] {
  const ids = (machine: TestMachine, of: string): readonly string[] =>
    allArchived(machine.library, of)
      .map(({ id, state }) => `${id} ${state}`)
      .sort();
  return [ids(laptop, "desk"), ids(desk, "laptop")];
}

describe("a sync that is cut off", () => {
  test.each(["before", "after"] as const)(
    "at any call, %s it is done, is completed by the next",
    async (when) => {
      const whole = await makeScene();
      for (const machine of [whole.laptop, whole.desk, whole.laptop]) await sync(machine, whole.remote);
      const expected = exchanged(whole).map((list) => list.map((each) => each.split(" ")[0]));
      expect(expected.every((list) => list.length > 0)).toBe(true);
      for (let n = 0, isCut = true; isCut; n += n < 6 ? 1 : 7) {
        const scene = await makeScene();
        isCut = false;
        for (const machine of [scene.laptop, scene.desk]) {
          const store = failingStore(storeOf(machine, scene.remote), n, when);
          try {
            await sync(machine, scene.remote, {}, store);
          } catch (error) {
            expect(error).toMatchObject({ exitCode: 4, message: expect.stringContaining("the line is cut") });
            isCut = true;
          }
        }
        for (const machine of [scene.laptop, scene.desk, scene.laptop])
          expect(await sync(machine, scene.remote)).toMatchObject({ problems: [] });
        expect(exchanged(scene).map((list) => list.map((each) => each.split(" ")[0]))).toEqual(expected);
        for (const { library } of [scene.laptop, scene.desk]) {
          expect((await verifyArchive(library)).damages).toEqual([]);
          expect(fs.existsSync(join(library.places.home, "incoming"))).toBe(false);
        }
        expect(await sync(scene.laptop, scene.remote, { check: true })).toMatchObject({
          pushed: { mended: 0 },
        });
      }
    },
  );

  test("offline: says so, and changes nothing", async () => {
    const { laptop, remote } = await makeScene();
    fs.renameSync(remote.url, `${remote.url}-unplugged`);
    await expect(sync(laptop, remote)).rejects.toMatchObject({
      message: `Cannot reach ${remote.url}: there is no such folder`,
    });
    expect(fs.existsSync(remote.url)).toBe(false);
  });
});

describe("objects that are not what they should be", () => {
  test("a half-written, empty or flipped object is not pulled; its machine stores it again", async () => {
    const scene = await makeScene();
    const { laptop, desk, remote } = scene;
    await sync(laptop, remote);
    const objects = [...filesOf(join(remote.url, "objects")).keys()].map((name) =>
      join(remote.url, "objects", name),
    );
    const [first = "", second = "", third = ""] = objects;
    fs.truncateSync(first, 20);
    fs.truncateSync(second, 0);
    const bytes = fs.readFileSync(third);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    fs.writeFileSync(third, bytes);
    const pulled = await sync(desk, remote);
    expect(pulled.problems.length).toBeGreaterThan(0);
    expect((await verifyArchive(desk.library)).damages).toEqual([]);
    // By their size, two of them are found without reading; the third needs --check.
    expect(await sync(laptop, remote)).toMatchObject({ pushed: { mended: 2 }, problems: [] });
    expect(await sync(laptop, remote, { check: true })).toMatchObject({
      pushed: { mended: 1 },
      problems: [],
    });
    expect(await sync(desk, remote)).toMatchObject({ problems: [] });
    expect(exchanged(scene)[1]?.length).toBe(allArchived(laptop.library, "local").length);
  });

  test("of a damaged manifest the one before counts; its machine writes another", async () => {
    const { laptop, desk, remote } = await makeScene();
    await sync(laptop, remote);
    const [name = ""] = [...filesOf(join(remote.url, "manifests")).keys()];
    const torn = join(remote.url, "manifests", name.replace(/\d{8}$/, "00000002"));
    fs.writeFileSync(torn, "SESS1 and then the power went off in the middle of it");
    const pulled = await sync(desk, remote);
    expect(pulled.problems.map(({ what }) => what)).toEqual([
      expect.stringMatching(/was not sealed with this key/),
    ]);
    expect(pulled.pulled.sessions).toBeGreaterThan(0);
    expect(pulled.garbage).toMatchObject({ objects: 0 });
    expect((await sync(laptop, remote)).problems).toHaveLength(1);
    expect(fs.readdirSync(join(torn, ".."))).toHaveLength(3);
    for (const machine of [desk, laptop]) expect(await sync(machine, remote)).toMatchObject({ problems: [] });
  });

  test("an object under another name does not open", async () => {
    const { laptop, desk, remote } = await makeScene();
    await sync(laptop, remote);
    const [one = "", other = ""] = [...filesOf(join(remote.url, "objects")).keys()].map((name) =>
      join(remote.url, "objects", name),
    );
    fs.copyFileSync(one, other);
    expect((await sync(desk, remote)).problems.length).toBeGreaterThan(0);
    expect((await verifyArchive(desk.library)).damages).toEqual([]);
  });

  test.each<[string, (path: string, outside: string) => void]>([
    ["a pipe", (path) => void spawnSync("mkfifo", [path])],
    ["a folder", (path) => fs.mkdirSync(path)],
    ["a link to a device", (path) => fs.symlinkSync("/dev/zero", path)],
    ["a link to nothing", (path, outside) => fs.symlinkSync(join(outside, "x"), path)],
  ])("%s in the place of an object is named, and the rest is pushed and proven", async (_, put) => {
    const scene = await makeScene();
    const { laptop, desk, remote, root } = scene;
    await sync(desk, remote);
    const [object = ""] = [...filesOf(remote.url).keys()].filter((name) => name.startsWith("objects/"));
    const outside = join(root, "outside");
    fs.mkdirSync(outside);
    fs.rmSync(join(remote.url, object));
    put(join(remote.url, object), outside);
    expect((await sync(laptop, remote)).pushed.sessions).toBeGreaterThan(0);
    const { problems } = await sync(desk, remote);
    expect(problems).toEqual([
      expect.objectContaining({
        what: `${object} can't be stored in ${remote.url}: another file has its name; remove it`,
      }),
    ]);
    const repository = openRepository(storeOf(desk, remote), await cipherOf(scene));
    const proof = await verifyRepository(repository, { onProgress: () => {}, pause: async () => {} });
    expect(proof.damages.length).toBeGreaterThan(0);
    expect(proof.machines.map(({ name }) => name)).toEqual(["desk", "laptop"]);
    expect(fs.readdirSync(outside)).toEqual([]);
    fs.rmSync(join(remote.url, object), { recursive: true });
    expect(await sync(desk, remote)).toMatchObject({ problems: [] });
    expect(await sync(laptop, remote)).toMatchObject({ problems: [] });
  });

  test("nothing is written through a link in the place of a folder", async () => {
    const { desk, remote, root } = await makeScene();
    await sync(desk, remote);
    const outside = join(root, "outside");
    fs.mkdirSync(outside);
    const [part = ""] = fs.readdirSync(join(remote.url, "objects"));
    fs.rmSync(join(remote.url, "objects", part), { recursive: true });
    fs.symlinkSync(outside, join(remote.url, "objects", part));
    const { problems } = await sync(desk, remote);
    expect(problems).toEqual([
      expect.objectContaining({ what: expect.stringContaining(`objects/${part}/`) }),
    ]);
    expect(fs.readdirSync(outside)).toEqual([]);
  });

  test.each([
    ["the folder of all manifests", (): string => "manifests"],
    ["the folder of a machine", (machine: string): string => `manifests/${machine}`],
  ])("a link in the place of %s is an error, and no sync without an end", async (_, nameOf) => {
    const { desk, remote, root } = await makeScene();
    await sync(desk, remote);
    const [machine = ""] = fs.readdirSync(join(remote.url, "manifests"));
    const outside = join(root, "outside");
    fs.renameSync(join(remote.url, nameOf(machine)), outside);
    fs.symlinkSync(outside, join(remote.url, nameOf(machine)));
    const before = filesOf(outside);
    await expect(sync(desk, remote)).rejects.toMatchObject({
      exitCode: 4,
      message: `Cannot use ${remote.url}: no manifest can be stored in manifests/${machine}`,
      hint: expect.stringContaining("remove"),
    });
    expect(filesOf(outside)).toEqual(before);
  });

  test("what is in the place of the next manifests is passed over, and Ctrl-C is heard meanwhile", async () => {
    const { laptop, desk, remote } = await makeScene();
    await sync(desk, remote);
    await sync(laptop, remote);
    const [name = ""] = [...filesOf(join(remote.url, "manifests")).keys()].filter((each) =>
      each.startsWith(thisMachine(desk.library, "").id),
    );
    const manifests = (): readonly string[] => fs.readdirSync(join(remote.url, "manifests", name, ".."));
    const last = manifests().length;
    const inTheWay = join(remote.url, "manifests", name, "..", String(last + 1).padStart(8, "0"));
    fs.mkdirSync(inTheWay);
    const later = { ...desk, library: { ...desk.library, now: () => desk.library.now() + 1_000 } };
    const id = allArchived(later.library, "local")[0]?.id ?? "";
    await forgetSession(later.library, { agent: "pi", id, copy: null }, archiving);
    const pause = async (): Promise<void> => {
      throw new Error("interrupted");
    };
    await expect(sync(later, remote, { pause })).rejects.toThrow("interrupted");
    expect(manifests()).toHaveLength(last + 1);
    expect(await sync(later, remote)).toMatchObject({ problems: [] });
    expect(manifests()).toHaveLength(last + 2);
  });

  test.each<[string, (path: string) => void]>([
    ["damaged", (path) => fs.writeFileSync(path, "x".repeat(fs.statSync(path).size))],
    ["missing", (path) => fs.rmSync(path)],
  ])("a chunk that was pulled and is %s here is fetched again with check", async (_, harm) => {
    const { laptop, desk, remote } = await makeScene();
    await sync(laptop, remote);
    await sync(desk, remote);
    const [pulled] = allArchived(desk.library, "laptop");
    const folder = join(pulled?.location ?? "", "1");
    const [chunk = ""] = fs.readdirSync(folder).filter((name) => name.endsWith(".br"));
    harm(join(folder, chunk));
    expect((await verifyArchive(desk.library)).damages).toEqual([
      expect.objectContaining({ machine: "laptop", mendable: false }),
    ]);
    expect(await sync(desk, remote)).toMatchObject({ pulled: { sessions: 0 } });
    expect(await sync(desk, remote, { check: true })).toMatchObject({
      pulled: { sessions: 1, objects: 2 },
      problems: [],
    });
    expect((await verifyArchive(desk.library)).damages).toEqual([]);
  });

  test("what killed pushes left half written goes after an hour", async () => {
    const { laptop, remote } = await makeScene();
    await sync(laptop, remote);
    const [object = "", other = ""] = [...filesOf(join(remote.url, "objects")).keys()];
    const temp = (name: string, digit: string): string =>
      join(remote.url, "objects", name, "..", `.sessions-${digit.repeat(16)}.tmp`);
    const [old, young] = [temp(object, "0"), temp(other, "1")];
    for (const path of [old, young]) fs.writeFileSync(path, "x");
    const ago = Date.now() / 1000 - 7_200;
    fs.utimesSync(old, ago, ago);
    expect(await sync(laptop, remote)).toMatchObject({ problems: [] });
    expect([fs.existsSync(old), fs.existsSync(young)]).toEqual([false, true]);
  });

  test("objects that something else put there are left alone", async () => {
    const { laptop, remote } = await makeScene();
    fs.mkdirSync(join(remote.url, "objects"));
    fs.writeFileSync(join(remote.url, "objects", ".DS_Store"), "x");
    fs.writeFileSync(join(remote.url, "holiday.JPG"), "x");
    expect(await sync(laptop, remote)).toMatchObject({ problems: [] });
    expect(fs.existsSync(join(remote.url, "holiday.JPG"))).toBe(true);
  });
});

describe("a machine that has the key and means harm", () => {
  const EVIL = "00000000000000ff";

  interface GoodRecord {
    readonly id: string;
    readonly files: readonly { readonly chunks: readonly object[] }[];
  }

  /** What another machine would push: a manifest with one session, whose record is what `edit` makes of a good one. */
  async function hostile(
    scene: Scene,
    edit: (record: GoodRecord) => unknown,
    generation = 1,
    id = "aaaa-evil",
  ): Promise<void> {
    const { desk, remote } = scene;
    const repository = openRepository(storeOf(desk, remote), await cipherOf(scene));
    const bytes = Buffer.from('{"type":"session","id":"x"}\n');
    const chunk = { offset: 0, length: bytes.length, sha256: hashOf(bytes), stored: compress(bytes).length };
    await repository.putPacked(chunk.sha256, compress(bytes));
    const file = {
      path: "/home/eve/.pi/agent/sessions/x/a.jsonl",
      role: "main",
      root: "/home/eve/.pi/agent/sessions",
      mode: 0o600,
      mtimeMs: 0,
      inode: 1,
      size: bytes.length,
      sha256: hashOf(bytes),
      chunks: [chunk],
    };
    const good = {
      version: 1,
      agent: "pi",
      id,
      generation,
      log: file.path,
      markdown: null,
      files: [file],
      earlier: [],
    };
    const record = Buffer.from(JSON.stringify(edit(good)));
    await repository.putPacked(hashOf(record), compress(record));
    await repository.putManifest(1, {
      machine: { id: EVIL, name: "evil" },
      home: "/home/eve",
      recipient: "",
      sessions: [{ agent: "pi", id, copy: null, generations: [{ generation, record: hashOf(record) }] }],
      forgotten: [],
      undone: [],
    });
  }

  test.each<[string, (record: GoodRecord) => unknown]>([
    ["is of another session", (record) => ({ ...record, id: "other" })],
    ["is of another generation", (record) => ({ ...record, generation: 2 })],
    ["names a readable copy outside", (record) => ({ ...record, markdown: "../../.bashrc" })],
    ["has chunks that do not add up", (record) => ({ ...record, files: [{ ...record.files[0], size: 99 }] })],
    [
      "claims a hash that is a path",
      (record) => {
        const [file] = record.files;
        return {
          ...record,
          files: [{ ...file, chunks: [{ ...file?.chunks[0], sha256: "../../../../tmp/evil" }] }],
        };
      },
    ],
    [
      "says that it is of a third machine",
      (record) => ({
        ...record,
        origin: { machine: "0".repeat(16), name: "x", home: "/", copy: null, record: "0".repeat(64) },
      }),
    ],
    ["is no record", () => [1, 2, 3]],
  ])("a record that %s is reported, and nothing is written", async (_, edit) => {
    const scene = await makeScene();
    await hostile(scene, edit);
    const before = [...filesOf(scene.root).keys()].filter(
      (name) => !name.includes(".sessions") && !name.startsWith("nas"),
    );
    const { problems } = await sync(scene.laptop, scene.remote);
    expect(problems).toMatchObject([{ path: "evil:aaaa-evil" }]);
    expect(allArchived(scene.laptop.library, "evil")).toEqual([]);
    const after = [...filesOf(scene.root).keys()].filter(
      (name) => !name.includes(".sessions") && !name.startsWith("nas"),
    );
    expect(after).toEqual(before);
  });

  test.each([
    ["/home/eve/.pi/agent/sessions/../../../../../etc/cron.d/evil"],
    ["../../evil"],
    ["/etc/passwd"],
    ["/home/eve/.pi/agent/sessions/x\0y"],
  ])("a path such as %j stays in the record: restoring it is refused", async (path) => {
    const scene = await makeScene();
    await hostile(scene, (record) => ({ ...record, log: path, files: [{ ...record.files[0], path }] }));
    expect(await sync(scene.laptop, scene.remote)).toMatchObject({
      pulled: { sessions: expect.any(Number) },
    });
    const { restoreSessions } = await import("../../src/archive/restore-sessions.ts");
    const { locking } = await import("../support/archive/archiving.ts");
    const answer = await restoreSessions(scene.laptop.library, allArchived(scene.laptop.library, "evil"), {
      locking,
    });
    expect(answer.sessions.map(({ outcome }) => outcome)).toEqual(["refused"]);
    expect([...filesOf(scene.root).keys()].filter((name) => /evil$|passwd$/.test(name))).toEqual([]);
  });

  test("no bits but permissions are taken over", async () => {
    const scene = await makeScene();
    await hostile(scene, (record) => ({ ...record, files: [{ ...record.files[0], mode: 0o4755 }] }));
    await sync(scene.laptop, scene.remote);
    const [session] = allArchived(scene.laptop.library, "evil");
    const found = readGeneration(scene.laptop.library.disk, session?.location ?? "", 1);
    expect(found).toMatchObject({ manifest: { files: [{ mode: 0o755 }] } });
  });

  test("an id that is a path becomes a harmless name", async () => {
    const scene = await makeScene();
    const id = "../../../evil";
    await hostile(scene, (record) => record, 1, id);
    expect(await sync(scene.laptop, scene.remote)).toMatchObject({ problems: [] });
    const [session] = allArchived(scene.laptop.library, "evil");
    expect(session?.id).toBe(id);
    expect(session?.location.startsWith(join(scene.laptop.library.places.raw, "pi"))).toBe(true);
  });

  test("a bomb is not unpacked", async () => {
    const scene = await makeScene();
    const bomb = brotliCompressSync(Buffer.alloc(66 * 1024 * 1024), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    await hostile(scene, (record) => {
      const [file] = record.files;
      const chunk = { offset: 0, length: 1_048_576, sha256: "a".repeat(64), stored: bomb.length };
      return { ...record, files: [{ ...file, size: chunk.length, chunks: [chunk] }] };
    });
    const repository = openRepository(storeOf(scene.desk, scene.remote), await cipherOf(scene));
    await repository.putPacked("a".repeat(64), bomb);
    await repository.putPacked("b".repeat(64), bomb);
    await expect(repository.getRecord("b".repeat(64))).rejects.toThrow("it can't be unpacked");
    const { problems } = await sync(scene.laptop, scene.remote);
    expect(problems.map(({ what }) => what)).toEqual(["its chunk file can't be unpacked"]);
  });

  test("a log that is one chunk again and again is not taken over", async () => {
    const scene = await makeScene();
    const chunk = Buffer.alloc(1024 * 1024, "\n");
    const sha256 = hashOf(chunk);
    const { length } = chunk;
    const count = 9_000;
    const chunks = Array.from({ length: count }, (_, i) => ({
      offset: i * length,
      length,
      sha256,
      stored: 20,
    }));
    await hostile(scene, (record) => ({
      ...record,
      files: [{ ...record.files[0], size: count * length, chunks }],
    }));
    const repository = openRepository(storeOf(scene.desk, scene.remote), await cipherOf(scene));
    await repository.putPacked(sha256, compress(chunk));
    const { problems } = await sync(scene.laptop, scene.remote);
    expect(problems.map(({ what }) => what)).toEqual(["it claims to be larger than any session is"]);
    expect(allArchived(scene.laptop.library, "evil")).toEqual([]);
  });

  test("a manifest that makes no sense is reported, whatever is in it", async () => {
    const scene = await makeScene();
    const cipher = await cipherOf(scene);
    const store = storeOf(scene.desk, scene.remote);
    const name = `manifests/${EVIL}/00000001`;
    const good = machineManifestToJson({
      machine: { id: EVIL, name: "evil" },
      home: "/",
      recipient: "",
      sessions: [],
      forgotten: [],
      undone: [],
    }) as object;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("version", "machine", "name", "sessions", "forgotten"),
        fc.oneof(
          fc.constant(null),
          fc.integer(),
          fc.constant("a/b:c\u0007"),
          fc.constant([[1]]),
          fc.constant([null]),
        ),
        async (key, value) => {
          await store.delete(name);
          const json = Buffer.from(JSON.stringify({ ...good, [key]: value }));
          if (JSON.stringify({ ...good, [key]: value }) === JSON.stringify(good)) return;
          await store.put(name, cipher.seal(name, compress(json)));
          const isEmpty = Array.isArray(value) && value.length === 0;
          const { problems } = await sync(scene.laptop, scene.remote);
          if (!isEmpty && !(key === "version" && value === 1))
            expect(problems).toMatchObject([{ path: name }]);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("keys", () => {
  test("a machine without access gets instructions, and nothing is written", async () => {
    const { remote, root } = await makeScene();
    const third = makeMachine("third", join(root, "third"), [".pi"]);
    await archiveAll(third);
    const before = filesOf(remote.url);
    const { recipient } = await ownIdentity(third.library);
    await expect(sync(third, remote)).rejects.toMatchObject({
      exitCode: 4,
      hint: expect.stringContaining(`sessions remote key nas --add ${recipient}`),
    });
    expect(filesOf(remote.url)).toEqual(before);
  });

  test("a lost or wrong key says so, and nothing is changed", async () => {
    const scene = await makeScene();
    const { laptop, remote } = scene;
    await sync(laptop, remote);
    const before = filesOf(remote.url);
    const file = join(laptop.library.places.home, "identity.txt");
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const text = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, "# nothing here\n");
    await expect(sync(laptop, remote)).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringContaining("contains no age identity"),
    });
    fs.writeFileSync(file, text);
    // The wrapped key is of another repository.
    const other = testFolder();
    await createOrJoin(openFolderStore(laptop.library.disk, other), await ownIdentity(laptop.library));
    const nameIn = (folder: string): string[] => fs.readdirSync(join(folder, "keys"));
    const { recipient } = await ownIdentity(laptop.library);
    const own =
      nameIn(remote.url).find((name) =>
        fs.readFileSync(join(remote.url, "keys", name), "utf8").includes(recipient),
      ) ?? "";
    const [foreign = ""] = nameIn(other);
    fs.copyFileSync(join(other, "keys", foreign), join(remote.url, "keys", own));
    await expect(sync(laptop, remote)).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringContaining("does not open it"),
    });
    fs.writeFileSync(join(remote.url, "keys", own), Buffer.from(before.get(`keys/${own}`) ?? "", "base64"));
    expect(filesOf(remote.url)).toEqual(before);
    expect(await sync(laptop, remote)).toMatchObject({ problems: [] });
  });

  test("a key that is damaged there is written again by another machine", async () => {
    const { laptop, desk, remote } = await makeScene();
    await sync(laptop, remote);
    const { recipient } = await ownIdentity(desk.library);
    const [name = ""] = [...filesOf(join(remote.url, "keys")).keys()].filter((each) =>
      fs.readFileSync(join(remote.url, "keys", each), "utf8").includes(recipient),
    );
    const path = join(remote.url, "keys", name);
    fs.writeFileSync(path, fs.readFileSync(path).subarray(0, 100));
    await expect(sync(desk, remote)).rejects.toMatchObject({
      hint: expect.stringContaining(`sessions remote key nas --add ${recipient}`),
    });
    expect(await createOrJoin(storeOf(desk, remote), await ownIdentity(desk.library))).toBe("no access");
    const access = await openAccess(storeOf(laptop, remote), remote, await ownIdentity(laptop.library));
    expect(await access.admit(recipient)).toBe(false);
    expect(await sync(desk, remote)).toMatchObject({ problems: [] });
  });

  test("a machine does not replace its own key: it may be the only one", async () => {
    const { laptop, remote } = await makeScene();
    const before = filesOf(join(remote.url, "keys"));
    const identity = await ownIdentity(laptop.library);
    const access = await openAccess(storeOf(laptop, remote), remote, identity);
    expect(await access.admit(identity.recipient)).toBe(false);
    expect(filesOf(join(remote.url, "keys"))).toEqual(before);
  });

  test("a machine that has lost its identity learns that, not that it never had access", async () => {
    const { laptop, remote } = await makeScene();
    await sync(laptop, remote);
    fs.rmSync(join(laptop.library.places.home, "identity.txt"));
    await expect(sync(laptop, remote)).rejects.toMatchObject({
      exitCode: 5,
      message: "Cannot read the repository of nas: this machine has pushed there before, but its key is lost",
      hint: expect.stringContaining("put identity.txt"),
    });
  });

  test("without format.json, a machine with the key puts it back, and one without makes no second repository", async () => {
    const { laptop, desk, remote, root } = await makeScene();
    await sync(laptop, remote);
    const known = await openAccess(storeOf(laptop, remote), remote, await ownIdentity(laptop.library));
    fs.rmSync(join(remote.url, "format.json"));
    await expect(sync(laptop, remote)).rejects.toMatchObject({
      hint: expect.stringContaining(`sessions remote add nas ${remote.url}`),
    });
    const third = makeMachine("third", join(root, "third"), []);
    const before = filesOf(remote.url);
    await expect(
      createOrJoin(storeOf(third, remote), await ownIdentity(third.library)),
    ).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringContaining("sessions of another one are there"),
    });
    expect(filesOf(remote.url)).toEqual(before);
    const { fingerprint } = known;
    expect(await createOrJoin(storeOf(desk, remote), await ownIdentity(desk.library), fingerprint)).toBe(
      "created",
    );
    for (const machine of [laptop, desk]) expect(await sync(machine, remote)).toMatchObject({ problems: [] });
  });

  test("a repository of a later version is refused", async () => {
    const { laptop, remote } = await makeScene();
    const path = join(remote.url, "format.json");
    fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace('"version": 1', '"version": 2'));
    await expect(sync(laptop, remote)).rejects.toMatchObject({
      exitCode: 5,
      hint: expect.stringContaining("update"),
    });
  });

  test("a store that overwrites what is there gets no repository", async () => {
    const { laptop, root } = await makeScene();
    const folder = join(root, "new");
    fs.mkdirSync(folder);
    const store = openFolderStore(laptop.library.disk, folder);
    const careless: ObjectStore = {
      ...store,
      put: async (name, bytes) => {
        await store.delete(name);
        return store.put(name, bytes);
      },
    };
    await expect(createOrJoin(careless, await ownIdentity(laptop.library))).rejects.toMatchObject({
      exitCode: 4,
      message: `Cannot use ${folder}: it overwrites objects that are there`,
    });
    expect(fs.existsSync(join(folder, "format.json"))).toBe(false);
    expect(await createOrJoin(store, await ownIdentity(laptop.library))).toBe("created");
  });

  test("two machines that create a repository at once get one; an attempt that was killed is completed", async () => {
    const root = testFolder();
    const [a, b] = [makeMachine("a", join(root, "a"), []), makeMachine("b", join(root, "b"), [])];
    const folder = join(root, "nas");
    fs.mkdirSync(folder);
    const store = openFolderStore(a.library.disk, folder);
    const dies = {
      ...store,
      put: async (name: string, bytes: Uint8Array) =>
        name === "format.json" ? Promise.reject(new Error("killed")) : store.put(name, bytes),
    };
    await expect(createOrJoin(dies, await ownIdentity(a.library))).rejects.toThrow("killed");
    const [one, other] = await Promise.all([
      createOrJoin(store, await ownIdentity(a.library)),
      createOrJoin(store, await ownIdentity(b.library)),
    ]);
    expect([one, other].sort()).toEqual(["created", "no access"]);
    const winner = one === "created" ? a : b;
    const remote = folderRemote(folder);
    await expect(openAccess(store, remote, await ownIdentity(winner.library))).resolves.toMatchObject({});
  });
});

describe("a store that puts another repository in the place of ours", () => {
  /** A repository of somebody else, who has admitted the laptop and the desk: everybody can encrypt to a recipient. */
  async function replaceRepository({ laptop, desk, remote, root }: Scene): Promise<void> {
    const eve = makeMachine("eve", join(root, "eve"), []);
    const theirs = folderRemote(join(root, "theirs"));
    fs.mkdirSync(theirs.url);
    await shareRepository(theirs, [eve, laptop, desk]);
    fs.cpSync(theirs.url, remote.url, { recursive: true });
  }

  test("is refused by a machine that has read ours, and gets nothing", async () => {
    const scene = await makeScene();
    const { laptop, remote } = scene;
    await sync(laptop, remote);
    const { fingerprint } = await openAccess(
      storeOf(laptop, remote),
      remote,
      await ownIdentity(laptop.library),
    );
    const known = { ...remote, repository: fingerprint };
    expect(await sync(laptop, known)).toMatchObject({ problems: [] });
    await replaceRepository(scene);
    const before = filesOf(remote.url);
    await expect(sync(laptop, known)).rejects.toMatchObject({
      exitCode: 4,
      message: `Cannot use ${remote.url}: the repository there is another one than before`,
    });
    const identity = await ownIdentity(laptop.library);
    await expect(createOrJoin(storeOf(laptop, remote), identity, fingerprint)).rejects.toThrow("another one");
    // Without format.json, the key that was planted is not taken for one that this machine made.
    fs.rmSync(join(remote.url, "format.json"));
    expect(await createOrJoin(storeOf(laptop, remote), identity, fingerprint)).toBe("created");
    expect(await sync(laptop, known)).toMatchObject({ problems: [] });
    const objects = (files: ReadonlyMap<string, string>): readonly string[] =>
      [...files.keys()].filter((name) => name.startsWith("objects/"));
    expect(objects(filesOf(remote.url))).toEqual(objects(before));
  });

  test("an empty place in its stead gets no new repository", async () => {
    const { laptop, remote, root } = await makeScene();
    const { fingerprint } = await openAccess(
      storeOf(laptop, remote),
      remote,
      await ownIdentity(laptop.library),
    );
    const empty = join(root, "empty");
    fs.mkdirSync(empty);
    const store = openFolderStore(laptop.library.disk, empty);
    const identity = await ownIdentity(laptop.library);
    await expect(createOrJoin(store, identity, fingerprint)).rejects.toMatchObject({
      exitCode: 5,
      hint: expect.stringContaining("is its drive connected"),
    });
    expect(fs.readdirSync(empty)).toEqual([]);
  });

  test("a new repository takes no key that was there before", async () => {
    const scene = await makeScene();
    const { laptop, root } = scene;
    const place = join(root, "new");
    fs.mkdirSync(join(place, "keys"), { recursive: true });
    await replaceRepository({ ...scene, remote: folderRemote(place) });
    const theirs = await openAccess(
      openFolderStore(laptop.library.disk, place),
      folderRemote(place),
      await ownIdentity(laptop.library),
    );
    fs.rmSync(join(place, "format.json"));
    const store = openFolderStore(laptop.library.disk, place);
    expect(await createOrJoin(store, await ownIdentity(laptop.library))).toBe("created");
    const ours = await openAccess(store, folderRemote(place), await ownIdentity(laptop.library));
    expect(ours.fingerprint).not.toBe(theirs.fingerprint);
  });
});

describe("createObjectCipher()", () => {
  test("opens what it sealed, under the same name and with the same key alone", () => {
    const cipher = createObjectCipher(Buffer.alloc(32, 1));
    const stranger = createObjectCipher(Buffer.alloc(32, 2));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.nat(), (content, at) => {
        const sealed = cipher.seal("a", content);
        expect(cipher.open("a", sealed)).toEqual(Buffer.from(content));
        expect(() => cipher.open("b", sealed)).toThrow();
        expect(() => stranger.open("a", sealed)).toThrow();
        const flipped = Buffer.from(sealed);
        const place = at % flipped.length;
        flipped[place] = (flipped[place] ?? 0) ^ 0x10;
        expect(() => cipher.open("a", flipped)).toThrow();
        expect(() => cipher.open("a", sealed.subarray(0, place))).toThrow();
      }),
    );
    expect(cipher.nameOf("x")).not.toBe(stranger.nameOf("x"));
  });
});
