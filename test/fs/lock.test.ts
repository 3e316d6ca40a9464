import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/errors.ts";
import type { Disk } from "../../src/fs/disk.ts";
import { acquireLock, type Lock, type LockAttempt, tryLock, withLock } from "../../src/fs/lock.ts";
import type { Processes } from "../../src/fs/processes.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import type { Call } from "../crash/intercept.ts";
import { quickDisk as disk } from "../crash/quick-disk.ts";
import { diskThatFailsAt, diskThatPausesAt, diskWithoutLinks, readOnlyDisk } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { village } from "../crash/village.ts";

/** What is read below /proc, and the temp file that nobody else knows, are no moments to be paused at. */
const isAboutTheLock = (call: Call): boolean =>
  (call.to ?? call.path).includes("/lock") || call.name === "readdir";

const noWait = { wait: async () => {} };

function held(attempt: LockAttempt): Lock {
  if (attempt.kind !== "locked") throw new Error("the lock is not ours");
  return attempt.lock;
}

describe.each([
  ["with hard links", disk],
  ["without hard links", diskWithoutLinks(disk)],
])("tryLock(), %s", (_, linking) => {
  it("holds the lock, and keeps others out until it is released", () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const { born } = village();
    const [a, b] = [born(), born()];
    const lock = held(tryLock(linking, path, a));
    expect(lock.isOurs()).toBe(true);
    expect(disk.stat(path)?.mode).toBe(0o600);
    expect(tryLock(linking, path, b)).toMatchObject({ kind: "held", by: { owner: { pid: a.pid } } });
    expect(tryLock(linking, path, a).kind).toBe("held");
    lock.release();
    expect(fs.readdirSync(folder)).toEqual([]);
    held(tryLock(linking, path, b)).release();
  });

  it("takes over the lock of a dead process", () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const { born, kill } = village();
    const [a, b] = [born(), born()];
    const dead = held(tryLock(linking, path, a));
    kill(a);
    const lock = held(tryLock(linking, path, b));
    expect(dead.isOurs()).toBe(false);
    dead.release();
    expect(lock.isOurs()).toBe(true);
    expect(fs.readdirSync(folder)).toEqual(["lock"]);
    lock.release();
  });

  /** At each call of one process, two others do all that they can. */
  it("never lets two hold it, wherever one of them is paused meanwhile", () => {
    const stories: readonly (readonly string[])[] = [
      ["b takes"],
      ["b takes", "b releases"],
      ["b takes", "b dies"],
      ["b takes", "b releases", "c takes"],
      ["b takes", "b dies", "c takes"],
      ["b takes", "b dies", "c takes", "c releases"],
    ];
    let pauses = 0;
    for (const story of stories) {
      for (let n = 0; ; n++) {
        const path = join(temporaryFolder(), "lock");
        const { born, kill } = village();
        const people = { x: born(), b: born(), c: born() };
        tryLock(linking, path, people.x);
        kill(people.x);
        const holders = new Map<string, Lock>();
        const act = (line: string): void => {
          const who = line.startsWith("b") ? "b" : "c";
          if (line.endsWith("dies")) {
            kill(people[who]);
            holders.delete(who);
          } else if (line.endsWith("releases")) {
            holders.get(who)?.release();
            holders.delete(who);
          } else {
            const attempt = tryLock(linking, path, people[who]);
            if (attempt.kind === "locked") holders.set(who, attempt.lock);
          }
        };
        let paused = false;
        const meanwhile = (): void => {
          paused = true;
          for (const line of story) act(line);
        };
        const slow = diskThatPausesAt(linking, n, meanwhile, isAboutTheLock);
        const mine = tryLock(slow, path, born());
        if (mine.kind === "locked") holders.set("a", mine.lock);
        expect([...holders.keys()].length, `${story.join(", ")}; paused at ${n}`).toBeLessThanOrEqual(1);
        for (const lock of holders.values()) expect(lock.isOurs()).toBe(true);
        if (!paused) break;
        pauses++;
      }
    }
    expect(pauses).toBeGreaterThan(100);
  });

  it("never lets two hold it, if one is paused while it waits for another that is paused", () => {
    const folder = temporaryFolder();
    let nested = 0;
    const story = (n: number, m: number): "paused twice" | "paused once" | "never paused" => {
      const path = join(folder, "lock");
      const { born, kill } = village();
      const [x, a, b, c] = [born(), born(), born(), born()];
      tryLock(linking, path, x);
      kill(x);
      const holders: Lock[] = [];
      const take = (on: Disk, who: Processes): void => {
        const attempt = tryLock(on, path, who);
        if (attempt.kind === "locked") holders.push(attempt.lock);
      };
      let pauses = 0;
      const pausing = (at: number, meanwhile: () => void): Disk =>
        diskThatPausesAt(linking, at, meanwhile, isAboutTheLock);
      const inner = pausing(m, () => {
        pauses++;
        take(linking, c);
      });
      const outer = pausing(n, () => {
        pauses++;
        take(inner, b);
      });
      take(outer, a);
      expect(holders.length, `paused at ${n} and ${m}`).toBeLessThanOrEqual(1);
      for (const name of fs.readdirSync(folder)) fs.rmSync(join(folder, name));
      return pauses === 2 ? "paused twice" : pauses === 1 ? "paused once" : "never paused";
    };
    for (let n = 0; story(n, 1_000) !== "never paused"; n++) {
      for (let m = 0; story(n, m) === "paused twice"; m++) nested++;
    }
    expect(nested).toBeGreaterThan(200);
  });
});

describe("tryLock()", () => {
  it("leaves alone the lock of a process on another host or in another container", () => {
    const path = join(temporaryFolder(), "lock");
    const there = village("there").born();
    tryLock(disk, path, there);
    const here = { ...village("here").born(), exists: () => false };
    expect(tryLock(disk, path, here)).toMatchObject({ kind: "held", by: { owner: { host: "there" } } });
  });

  it.each(["", "{", "[]", "null", '{"pid":1}', '{"token":"../../x","pid":1,"host":"h"}', "\0".repeat(100)])(
    "does not understand %j, and waits before it calls that dead",
    async (content) => {
      const folder = temporaryFolder();
      const path = join(folder, "lock");
      fs.writeFileSync(path, content);
      const me = village().born();
      expect(tryLock(disk, path, me)).toMatchObject({ kind: "held", by: { owner: undefined } });
      let waited = 0;
      const lock = await acquireLock(disk, path, me, {
        wait: async (ms) => {
          waited += ms;
        },
      });
      expect(waited).toBeGreaterThanOrEqual(2_000);
      expect(waited).toBeLessThan(3_000);
      lock.release();
      expect(fs.readdirSync(folder)).toEqual([]);
    },
  );

  it("does not call a file dead that is unfinished now and then", async () => {
    const path = join(temporaryFolder(), "lock");
    fs.writeFileSync(path, "");
    let time = 1_000;
    const wait = async (): Promise<void> => {
      time += 1_000;
      fs.rmSync(path);
      fs.writeFileSync(path, "");
      fs.utimesSync(path, time, time);
    };
    await expect(acquireLock(disk, path, village().born(), { wait, timeoutMs: 10_000 })).rejects.toThrow(
      "unknown",
    );
  });

  it("says what is wrong with the folder", () => {
    const folder = temporaryFolder();
    const me = village().born();
    expect(() => tryLock(disk, join(folder, "missing", "lock"), me)).toThrow(/Cannot lock .*no such file/);
    expect(() => tryLock(readOnlyDisk(disk), join(folder, "lock"), me)).toThrow(/read-only/);
    fs.mkdirSync(join(folder, "lock"));
    expect(() => tryLock(disk, join(folder, "lock"), me)).toThrow(/it is a folder/);
  });

  it("does not spin where a link to nothing has the lock's name", () => {
    const path = join(temporaryFolder(), "lock");
    fs.symlinkSync("nowhere", path);
    expect(tryLock(disk, path, village().born()).kind).toBe("held");
  });

  it("does not spin where somebody copied a dead lock over its heir file", () => {
    const path = join(temporaryFolder(), "lock");
    const { born, kill } = village();
    const dead = born();
    tryLock(disk, path, dead);
    kill(dead);
    const { token } = JSON.parse(fs.readFileSync(path, "utf8"));
    fs.copyFileSync(path, `${path}.${token}.heir`);
    expect(tryLock(disk, path, born()).kind).toBe("held");
  });

  it("leaves no lock or a whole one, at whatever call the disk fails once", () => {
    let failures = 0;
    for (let n = 0; ; n++) {
      const folder = temporaryFolder();
      const path = join(folder, "lock");
      const { born, kill } = village();
      const [x, a, b] = [born(), born(), born()];
      tryLock(disk, path, x);
      kill(x);
      const failing = diskThatFailsAt(disk, n);
      try {
        const attempt = tryLock(failing.disk, path, a);
        if (attempt.kind === "locked") attempt.lock.release();
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
      }
      expect(failing.leftOpen()).toEqual([]);
      kill(a);
      held(tryLock(disk, path, b)).release();
      if (failing.failedAt() === undefined) break;
      failures++;
    }
    expect(failures).toBeGreaterThan(30);
  });
});

it("a process does not wait for itself, at whatever call the disk failed while it locked or released", () => {
  let failures = 0;
  for (let n = 0; ; n++) {
    const path = join(temporaryFolder(), "lock");
    const { born, kill } = village();
    const [dead, self] = [born(), born()];
    tryLock(disk, path, dead);
    kill(dead);
    const failing = diskThatFailsAt(disk, n);
    let lock: Lock | undefined;
    try {
      lock = held(tryLock(failing.disk, path, self));
      lock.release();
    } catch (error) {
      expect(error).toBeInstanceOf(UserError);
    }
    held(tryLock(disk, path, self)).release();
    expect(fs.existsSync(path)).toBe(false);
    if (failing.failedAt() === undefined) break;
    failures++;
  }
  expect(failures).toBeGreaterThan(30);
});

describe("release()", () => {
  it("leaves alone a lock that now belongs to another process", () => {
    const path = join(temporaryFolder(), "lock");
    const { born } = village();
    const lock = held(tryLock(disk, path, born()));
    fs.rmSync(path);
    const other = held(tryLock(disk, path, born()));
    lock.release();
    expect(other.isOurs()).toBe(true);
  });

  it("does nothing the second time", () => {
    const lock = held(tryLock(disk, join(temporaryFolder(), "lock"), village().born()));
    lock.release();
    lock.release();
  });
});

describe("acquireLock()", () => {
  it("waits for a living process, and says so before each pause", async () => {
    const path = join(temporaryFolder(), "lock");
    const { born } = village();
    const first = held(tryLock(disk, path, born()));
    const told: number[] = [];
    const lock = await acquireLock(disk, path, born(), {
      wait: async () => {
        if (told.length === 5) first.release();
      },
      onWait: (by, waitedMs) => {
        expect(by.owner?.host).toBe("village");
        told.push(waitedMs);
      },
    });
    expect(lock.isOurs()).toBe(true);
    expect(told.length).toBe(5);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  });

  it("gives up after its time, with the process that is in the way", async () => {
    const path = join(temporaryFolder(), "lock");
    const { born } = village();
    const first = born();
    tryLock(disk, path, first);
    let waited = 0;
    const wait = async (ms: number): Promise<void> => {
      waited += ms;
    };
    await expect(acquireLock(disk, path, born(), { wait, timeoutMs: 5_000 })).rejects.toThrow(
      expect.objectContaining({
        name: "UserError",
        exitCode: 4,
        message: `Cannot lock ${JSON.stringify(path)}: process ${first.pid} holds it`,
        hint: expect.stringContaining("wait for it"),
      }),
    );
    expect(waited).toBe(5_000);
  });

  it("names host and file if the process can't be checked from here", async () => {
    const path = join(temporaryFolder(), "lock");
    tryLock(disk, path, village("there").born());
    await expect(
      acquireLock(disk, path, village("here").born(), { ...noWait, timeoutMs: 0 }),
    ).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringContaining('on "there"'),
        hint: expect.stringContaining(JSON.stringify(path)),
      }),
    );
  });
});

describe("withLock()", () => {
  it("releases the lock when the work ends, also where it fails", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const during: string[] = [];
    const result = await withLock(disk, path, nodeProcesses, noWait, async () => {
      during.push(...fs.readdirSync(folder));
      return 42;
    });
    expect(result).toBe(42);
    expect(during).toEqual(["lock"]);
    const fails = withLock(disk, path, nodeProcesses, noWait, () => {
      throw new Error("no");
    });
    await expect(fails).rejects.toThrow("no");
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
