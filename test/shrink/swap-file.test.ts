import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/fs/disk.ts";
import { recoverRewrites } from "../../src/shrink/recover.ts";
import { diskThatDiesAfter } from "../crash/disk-that-dies.ts";
import { everyDeath } from "../crash/every-death.ts";
import { type Call, intercept } from "../crash/intercept.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { diskWithoutLinks } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { swapFirstLine } from "../support/shrink/appending.ts";

const litter = (folder: string): readonly string[] =>
  fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tmp|\.json$/.test(name));

describe("swapFile()", () => {
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
