import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/fs/disk.ts";
import { acquireLock, tryLock } from "../../src/fs/lock.ts";
import type { Processes } from "../../src/fs/processes.ts";
import { sweepTempFiles } from "../../src/fs/sweep-temp-files.ts";
import { everyDeath } from "./every-death.ts";
import { diskWithoutLinks } from "./sick-disks.ts";
import { type Village, village } from "./village.ts";

interface Story {
  readonly path: string;
  readonly people: Village;
  readonly victim: Processes;
}

function begin(folder: string): Story {
  const people = village();
  return { path: join(folder, "lock"), people, victim: people.born() };
}

/** The victim is dead: the next process gets the lock, alone, and nothing piles up. */
async function nextOneGetsIt(disk: Disk, folder: string, { path, people, victim }: Story): Promise<void> {
  people.kill(victim);
  const next = await acquireLock(disk, path, people.born(), { wait: async () => {}, timeoutMs: 5_000 });
  expect(tryLock(disk, path, people.born()).kind).toBe("held");
  next.release();
  sweepTempFiles(disk, folder, { now: Number.MAX_SAFE_INTEGER });
  expect(fs.readdirSync(folder)).toEqual([]);
}

describe.each<[string, (disk: Disk) => Disk]>([
  ["with hard links", (disk) => disk],
  ["without hard links", diskWithoutLinks],
])("a process that is killed at every call, %s", (_, linking) => {
  it("while it takes a free lock and gives it back", async () => {
    const { count } = await everyDeath(
      (_disk, folder) => begin(folder),
      (disk, _folder, { path, victim }) => {
        const attempt = tryLock(linking(disk), path, victim);
        if (attempt.kind !== "locked") throw new Error("not locked");
        attempt.lock.release();
      },
      (disk, folder, story) => nextOneGetsIt(disk, folder, story),
    );
    // Estimated from a sample, which another seed makes smaller.
    expect(count).toBeGreaterThan(10);
  });

  it("while it takes over a dead one's lock", async () => {
    const { count } = await everyDeath(
      (disk, folder) => {
        const story = begin(folder);
        const dead = story.people.born();
        tryLock(disk, story.path, dead);
        story.people.kill(dead);
        return story;
      },
      (disk, _folder, { path, victim }) => {
        if (tryLock(linking(disk), path, victim).kind !== "locked") throw new Error("not locked");
      },
      (disk, folder, story) => nextOneGetsIt(disk, folder, story),
    );
    expect(count).toBeGreaterThan(30);
  });

  it("while it takes over from one that died while it took over", async () => {
    await everyDeath(
      (disk, folder) => {
        const story = begin(folder);
        const [dead, heir] = [story.people.born(), story.people.born()];
        tryLock(disk, story.path, dead);
        const { token } = JSON.parse(fs.readFileSync(story.path, "utf8"));
        const heirFile = `${story.path}.${token}.heir`;
        const other = join(folder, "other");
        tryLock(disk, other, heir);
        fs.renameSync(other, heirFile);
        // While the heir lives, nobody else may touch the lock.
        story.people.kill(dead);
        expect(tryLock(disk, story.path, story.victim)).toMatchObject({
          kind: "held",
          by: { owner: { pid: heir.pid } },
        });
        story.people.kill(heir);
        return story;
      },
      (disk, _folder, { path, victim }) => {
        if (tryLock(linking(disk), path, victim).kind !== "locked") throw new Error("not locked");
      },
      (disk, folder, story) => nextOneGetsIt(disk, folder, story),
    );
  });
});
