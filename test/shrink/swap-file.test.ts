import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Disk } from "../../src/fs/disk.ts";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { planEdits, type RewritePlan } from "../../src/jsonl/rewrite-plan.ts";
import { recoverRewrites } from "../../src/shrink/recover.ts";
import { type Swapped, swapFile } from "../../src/shrink/swap-file.ts";
import { diskThatDiesAfter } from "../crash/disk-that-dies.ts";
import { everyDeath } from "../crash/every-death.ts";
import { type Call, intercept } from "../crash/intercept.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { diskWithoutLinks } from "../crash/sick-disks.ts";
import { bundleScript } from "../crash/spawn-script.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { numbersIn, startAppending, upTo } from "../support/shrink/appending.ts";

const appender = bundleScript("scripts/append-numbers.ts");
afterAll(() => appender.remove());

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const noWait = async (_ms: number): Promise<void> => {};

/** Replaces the first line by another, whatever follows. */
function swapFirstLine(
  disk: Disk,
  path: string,
  rewrites: string,
  line: string,
  wait = noWait,
): Promise<Swapped> {
  const before = fs.readFileSync(path);
  const stat = disk.stat(path);
  if (stat === undefined) throw new Error("no file");
  const bytes = before.subarray(0, stat.size);
  const plan: RewritePlan = planEdits(
    [{ from: 0, to: bytes.indexOf(0x0a), with: Buffer.from(line) }],
    bytes.length,
  );
  return swapFile(disk, {
    ...{ path, expected: { ...stat, size: bytes.length }, sha256: hashOf(bytes), plan, rewrites, wait },
    mtimeOf: ({ mtimeMs }) => mtimeMs,
    isHeld: () => false,
  });
}

const litter = (folder: string): readonly string[] =>
  fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tmp|\.json$/.test(name));

describe("swapFile()", () => {
  it("loses no line of a process that appends every 5 ms: 200 rounds", { timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    const paths = ["a", "b", "c", "d"].map((name) => join(folder, `${name}.jsonl`));
    for (const path of paths) fs.writeFileSync(path, "first\n", { mode: 0o640 });
    const appending = await startAppending(appender.path, paths);
    const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    let carried = 0;
    await Promise.all(
      paths.map(async (path) => {
        for (let round = 0; round < 50; ) {
          const done = await swapFirstLine(nodeDisk, path, join(folder, "rewrites"), `first ${round}`, wait);
          // Between the look and the open it may have grown twice: then it is not what was planned.
          if (done.kind !== "done") continue;
          carried += done.carried;
          round++;
        }
      }),
    );
    const count = await appending.end();
    expect(count).toBeGreaterThan(100);
    for (const path of paths) {
      expect(numbersIn(path)).toEqual(upTo(count));
      expect(fs.readFileSync(path, "utf8").split("\n")[0]).toBe("first 49");
      expect(fs.statSync(path).mode & 0o7777).toBe(0o640);
    }
    expect(carried).toBeGreaterThan(0);
    expect(litter(folder)).toEqual([]);
  });

  /** Acts when the file has just been replaced: a writer that had opened it writes now, another opens it anew. */
  function withLateWriter(under: Disk, path: string, late: readonly string[], fresh: string): Disk {
    const old = fs.openSync(path, "a");
    let isDone = false;
    return intercept(under, (call: Call, run) => {
      const result = run();
      if (call.name === "rename" && call.to === path && !isDone) {
        isDone = true;
        fs.writeSync(old, late[0] ?? "");
        if (fresh !== "") fs.appendFileSync(path, fresh);
        fs.writeSync(old, late.slice(1).join(""));
        fs.closeSync(old);
      }
      return result;
    });
  }

  it.each([
    ["nothing new came", ["late\n"], "", "new\nkept\nlate\n"],
    ["something new came before", ["late\n"], "fresh\n", "new\nkept\nlate\nfresh\n"],
    ["several came", ["late 1\n", "late 2\n"], "fresh\n", "new\nkept\nlate 1\nlate 2\nfresh\n"],
  ])("puts late lines where they belong: %s", async (_, late, fresh, expected) => {
    const folder = temporaryFolder();
    const path = join(folder, "log");
    fs.writeFileSync(path, "old\nkept\n");
    const disk = withLateWriter(quickDisk, path, late, fresh);
    const done = await swapFirstLine(disk, path, join(folder, "rewrites"), "new");
    expect(done.kind).toBe("done");
    expect(fs.readFileSync(path, "utf8")).toBe(expected);
    expect(litter(folder)).toEqual([]);
  });

  it("killed at any call, loses no late line: the next run brings it over", async () => {
    let died = 0;
    for (let n = 0; ; n++) {
      const folder = temporaryFolder();
      const path = join(folder, "log");
      const rewrites = join(folder, "rewrites");
      fs.writeFileSync(path, "old\nkept\n");
      const mortal = diskThatDiesAfter(
        withLateWriter(quickDisk, path, ["late 1\n", "late 2\n"], "fresh\n"),
        n,
      );
      await swapFirstLine(mortal.disk, path, rewrites, "new").catch(() => undefined);
      recoverRewrites(quickDisk, rewrites, () => true);
      const text = fs.readFileSync(path, "utf8");
      const isOld = text === "old\nkept\n";
      if (!isOld) expect(text, `call ${n}`).toBe("new\nkept\nlate 1\nlate 2\nfresh\n");
      expect(litter(folder), `call ${n}`).toEqual([]);
      if (mortal.diedAt() === undefined) break;
      if (!isOld) died++;
    }
    expect(died).toBeGreaterThan(5);
  });

  it("killed at any call, leaves the old or the new file, and nothing else", async () => {
    const deaths = await everyDeath(
      (_, folder) => {
        const path = join(folder, "log");
        fs.writeFileSync(path, "old\nkept\n", { mode: 0o640 });
        return path;
      },
      (disk, folder, path) => swapFirstLine(disk, path, join(folder, "rewrites"), "new"),
      (disk, folder, path, { diedAt }) => {
        recoverRewrites(disk, join(folder, "rewrites"), () => true);
        const expected = diedAt === undefined ? ["new\nkept\n"] : ["old\nkept\n", "new\nkept\n"];
        expect(expected).toContain(fs.readFileSync(path, "utf8"));
        expect(litter(folder)).toEqual([]);
      },
    );
    expect(deaths.count).toBeGreaterThan(20);
  });

  it.each([
    ["it was written in place", (path: string) => fs.writeFileSync(path, "OLD\nkept\n")],
    ["it was cut short", (path: string) => fs.truncateSync(path, 4)],
    [
      "it is another file",
      (path: string) => {
        fs.writeFileSync(`${path}.other`, "old\nkept\n");
        fs.renameSync(`${path}.other`, path);
      },
    ],
  ])("does nothing where %s since", async (_, change) => {
    const folder = temporaryFolder();
    const path = join(folder, "log");
    fs.writeFileSync(path, "old\nkept\n");
    fs.utimesSync(path, 1_000, 1_000);
    let changed = "";
    const disk = intercept(quickDisk, (call, run) => {
      if (call.name === "open" && call.how === "create" && call.path.startsWith(join(folder, ".sessions"))) {
        change(path);
        changed = fs.readFileSync(path, "utf8");
      }
      return run();
    });
    expect(await swapFirstLine(disk, path, join(folder, "rewrites"), "new")).toEqual({ kind: "changed" });
    expect(fs.readFileSync(path, "utf8")).toBe(changed);
    expect(changed).not.toBe("");
    expect(litter(folder)).toEqual([]);
  });

  it("does it where there are no hard links", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "log");
    fs.writeFileSync(path, "old\nkept\n");
    await swapFirstLine(diskWithoutLinks(quickDisk), path, join(folder, "rewrites"), "new");
    expect(fs.readFileSync(path, "utf8")).toBe("new\nkept\n");
  });
});
