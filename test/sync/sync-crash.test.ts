import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { openFolderStore } from "../../src/remote/folder-store.ts";
import { openPlace, openRemote } from "../../src/remote/sync.ts";
import { verifyRepository } from "../../src/remote/verify-repository.ts";
import { allArchived } from "../../src/search/select-archived.ts";
import { Death, diskThatDiesAfter } from "../crash/disk-that-dies.ts";
import { quickDisk } from "../crash/quick-disk.ts";
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

/** No process has it: the lock of the dead is nobody's. */
const DEAD_PID = 4_194_300;
/** Prime, so that deaths fall on every kind of call. */
const STRIDE = 7;

interface Scene {
  readonly laptop: TestMachine;
  readonly desk: TestMachine;
  readonly remote: ReturnType<typeof folderRemote>;
}

async function makeScene(): Promise<Scene> {
  const root = testFolder();
  const laptop = makeMachine("laptop", join(root, "ana"), [".codex"]);
  const desk = makeMachine("desk", join(root, "desk"), [".pi"]);
  const remote = folderRemote(join(root, "nas"));
  fs.mkdirSync(remote.url);
  await shareRepository(remote, [laptop, desk]);
  await archiveAll(laptop);
  return { laptop, desk, remote };
}

describe("a machine that dies at any call to its disk", () => {
  test.each(["pushing", "pulling"] as const)(
    "while %s loses nothing, and the next sync completes it",
    async (phase) => {
      let deaths = 0;
      for (let n = 0, hasDied = true; hasDied; n += STRIDE) {
        const scene = await makeScene();
        const { laptop, desk, remote } = scene;
        if (phase === "pulling") await sync(laptop, remote);
        const victim = phase === "pushing" ? laptop : desk;
        const { disk, diedAt } = diskThatDiesAfter(quickDisk, n);
        const mortal = { ...victim, library: { ...victim.library, disk } };
        // The folder is another machine's disk: it lives on, and a file there is whole or not there.
        const store = openFolderStore(phase === "pushing" ? disk : quickDisk, remote.url);
        try {
          await sync(
            mortal,
            remote,
            { locking: { ...locking, processes: { ...nodeProcesses, pid: DEAD_PID } } },
            store,
          );
        } catch (error) {
          expect(error).toBeInstanceOf(Death);
        }
        hasDied = diedAt() !== undefined;
        if (hasDied) deaths++;
        for (const machine of [laptop, desk])
          expect(await sync(machine, remote)).toMatchObject({ problems: [] });
        const pulled = allArchived(desk.library, "laptop");
        expect(pulled.map(({ id }) => id).sort()).toEqual(
          allArchived(laptop.library, "local")
            .map(({ id }) => id)
            .sort(),
        );
        expect(pulled.every(({ markdown }) => markdown !== null)).toBe(true);
        for (const { library } of [laptop, desk]) {
          const { damages, strays } = await verifyArchive(library);
          expect([damages, strays]).toEqual([[], 0]);
          expect(fs.existsSync(join(library.places.home, "incoming"))).toBe(false);
        }
        const { repository } = await openRemote(
          laptop.library,
          remote,
          locking,
          openPlace(laptop.library, remote),
        );
        const proof = await verifyRepository(repository, { onProgress: () => {}, pause: async () => {} });
        expect(proof).toMatchObject({ damages: [], unnamed: 0, sessions: pulled.length });
      }
      expect(deaths).toBeGreaterThan(5);
    },
  );
});
