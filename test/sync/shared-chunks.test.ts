import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHUNK_BYTES } from "../../src/archive/raw/chunk.ts";
import { readGeneration } from "../../src/archive/raw/generations.ts";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import { openPlace, openRemote } from "../../src/remote/sync.ts";
import { type RepositoryProof, verifyRepository } from "../../src/remote/verify-repository.ts";
import { allArchived } from "../../src/search/select-archived.ts";
import { locking } from "../support/archive/archiving.ts";
import {
  archiveAll,
  folderRemote,
  makeMachine,
  shareRepository,
  sync,
  type TestMachine,
  testFolder,
} from "../support/sync/machines.ts";

const ID = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";

interface Scene {
  readonly laptop: TestMachine;
  readonly desk: TestMachine;
  readonly remote: ReturnType<typeof folderRemote>;
}

async function makeScene(): Promise<Scene> {
  const root = testFolder();
  const laptop = makeMachine("laptop", join(root, "ana"), []);
  const desk = makeMachine("desk", join(root, "desk"), []);
  const remote = folderRemote(join(root, "nas"));
  fs.mkdirSync(remote.url);
  await shareRepository(remote, [laptop, desk]);
  return { laptop, desk, remote };
}

/** A log of two chunks, as a copy of a project has it; the texts tell one chunk from another. */
function writeLog({ home }: TestMachine, project: string, texts: readonly [string, string]): void {
  const folder = join(home, ".claude", "projects", `-home-ana-${project}`);
  fs.mkdirSync(folder, { recursive: true });
  const line = (text: string, length: number): string => {
    const make = (content: string): string =>
      `${JSON.stringify({
        type: "user",
        sessionId: ID,
        uuid: text,
        cwd: "/home/ana/shop",
        timestamp: "2026-01-05T10:00:00.000Z",
        message: { role: "user", content },
      })}\n`;
    return make(text.padEnd(length - make("").length, "."));
  };
  const [first, second] = texts;
  fs.writeFileSync(join(folder, `${ID}.jsonl`), line(first, CHUNK_BYTES) + line(second, 1_000));
}

/** Damages the chunk of a session of this machine that begins there. */
function harm({ library }: TestMachine, project: string, offset: number): void {
  const session = allArchived(library, "local").find(({ files }) =>
    files.some(({ path }) => path.includes(`-home-ana-${project}/`)),
  );
  if (session === undefined) throw new Error(`no session of ${project}`);
  const { agent, id, copy, location } = session;
  const found = readGeneration(library.disk, location, 1, { agent, id, copy });
  const chunk =
    found.kind === "good" && found.manifest.files[0]?.chunks.find((each) => each.offset === offset);
  if (!chunk) throw new Error("no such chunk");
  fs.writeFileSync(join(location, "1", `${chunk.sha256}.br`), "x");
}

async function prove({ desk, remote }: Scene): Promise<RepositoryProof> {
  const { repository } = await openRemote(desk.library, remote, locking, openPlace(desk.library, remote));
  return verifyRepository(repository, { onProgress: () => {}, pause: async () => {} });
}

describe("sessions that have chunks in common", () => {
  test.each(["shop", "shop-copy"])(
    "if %s is damaged here, the other is pushed whole, and the manifest names nothing that is missing",
    async (damaged) => {
      const scene = await makeScene();
      const { laptop, desk, remote } = scene;
      writeLog(laptop, "shop", ["one", "same"]);
      writeLog(laptop, "shop-copy", ["two", "same"]);
      await archiveAll(laptop);
      harm(laptop, damaged, 0);
      const { problems } = await sync(laptop, remote);
      expect(problems).toHaveLength(1);
      expect(await prove(scene)).toMatchObject({ damages: [], sessions: 1 });
      expect(await sync(desk, remote)).toMatchObject({ problems: [], pulled: { sessions: 1 } });
    },
  );

  test.each(["shop", "shop-copy"])(
    "a chunk that is damaged in %s is pushed from the other",
    async (damaged) => {
      const scene = await makeScene();
      const { laptop, desk, remote } = scene;
      writeLog(laptop, "shop", ["one", "same"]);
      writeLog(laptop, "shop-copy", ["two", "same"]);
      await archiveAll(laptop);
      harm(laptop, damaged, CHUNK_BYTES);
      expect(await sync(laptop, remote)).toMatchObject({ problems: [] });
      expect(await prove(scene)).toMatchObject({ damages: [], sessions: 2 });
      await sync(desk, remote);
      expect((await verifyArchive(desk.library)).damages).toEqual([]);
    },
  );

  test("a generation whose chunks are in one that can't be pushed is whole on the other machine", async () => {
    const { laptop, desk, remote } = await makeScene();
    writeLog(laptop, "shop", ["one", "first"]);
    await archiveAll(laptop);
    // Another end, not a longer one: a generation that has the first chunk in common with the one before.
    writeLog(laptop, "shop", ["one", "second"]);
    await archiveAll(laptop);
    const [session] = allArchived(laptop.library, "local");
    const location = session?.location ?? "";
    expect(fs.readdirSync(location)).toEqual(["1", "2"]);
    expect(fs.readdirSync(join(location, "2"))).toHaveLength(2);
    fs.writeFileSync(join(location, "1", "manifest.json"), "{}");
    expect((await sync(laptop, remote)).problems).toHaveLength(1);
    expect(await sync(desk, remote)).toMatchObject({ problems: [], pulled: { sessions: 1 } });
    expect((await verifyArchive(desk.library)).damages).toEqual([]);
    expect(await sync(desk, remote, { check: true })).toMatchObject({
      problems: [],
      pulled: { sessions: 0 },
    });
  });
});
