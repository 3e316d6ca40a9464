import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/fs/disk.ts";
import { recoverRewrites } from "../../src/shrink/recover.ts";
import { diskThatDiesAfter } from "../crash/disk-that-dies.ts";
import { everyDeath } from "../crash/every-death.ts";
import { type Call, intercept } from "../crash/intercept.ts";
import { cuttableDisk } from "../crash/power-cut.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { diskWithoutLinks } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { swapFirstLine } from "../support/shrink/appending.ts";

const litter = (folder: string): readonly string[] =>
  fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tmp|\.json$/.test(name));

function oldLog(): { readonly folder: string; readonly path: string } {
  const folder = temporaryFolder();
  const path = join(folder, "log");
  fs.writeFileSync(path, "old\nkept\n");
  return { folder, path };
}

/** Names of the calls of a swap, in their order, those for its journal left out. */
async function callsOf(
  folder: string,
  path: string,
  before: (call: Call) => void,
): Promise<readonly string[]> {
  const names: string[] = [];
  const rewrites = join(folder, "rewrites");
  const disk = intercept(quickDisk, (call, run) => {
    before(call);
    if (!call.path.startsWith(rewrites)) names.push(call.name);
    return run();
  });
  expect(await swapFirstLine(disk, path, rewrites, "new")).toMatchObject({ kind: "done" });
  return names;
}

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

  it("brings over a line that reaches the old file after almost 50 ms", async () => {
    const { folder, path } = oldLog();
    const writer = fs.openSync(path, "a");
    let waitedMs = 0;
    const wait = async (ms: number): Promise<void> => {
      waitedMs += ms;
      if (waitedMs === 48) fs.writeSync(writer, "late\n");
    };
    expect(await swapFirstLine(quickDisk, path, join(folder, "rewrites"), "new", { wait })).toMatchObject({
      kind: "done",
      carried: 5,
    });
    fs.closeSync(writer);
    expect(waitedMs).toBe(50);
    expect(fs.readFileSync(path, "utf8")).toBe("new\nkept\nlate\n");
  });

  it.each(["contents-lost", "names-lost"] as const)(
    "has late lines on the disk when it returns: a power cut (%s) does not take them",
    async (aftermath) => {
      const { folder, path } = oldLog();
      const grave = join(folder, "grave");
      fs.mkdirSync(grave);
      const { disk, cut } = cuttableDisk(quickDisk, grave);
      await swapFirstLine(withLateWriter(disk, path, ["late\n"], ""), path, join(folder, "rewrites"), "new");
      cut(aftermath);
      expect(fs.readFileSync(path, "utf8")).toBe("new\nkept\nlate\n");
    },
  );

  it("makes lines durable that came while it wrote, before it renames", async () => {
    const { folder, path } = oldLog();
    const made = await callsOf(folder, path, (call) => {
      if (call.name === "link") fs.appendFileSync(path, "meanwhile\n");
    });
    const written = made.lastIndexOf("write");
    expect(made.indexOf("fsync", written)).toBeGreaterThan(written);
    expect(made.indexOf("fsync", written)).toBeLessThan(made.indexOf("rename", written));
    expect(fs.readFileSync(path, "utf8")).toBe("new\nkept\nmeanwhile\n");
  });

  it("makes the second name of the old file durable before another file gets its name", async () => {
    const { folder, path } = oldLog();
    const made = await callsOf(folder, path, () => {});
    const linked = made.indexOf("link");
    expect(made.slice(linked, made.indexOf("rename", linked))).toContain("fsyncFolder");
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

  it("leaves a file alone that took the name just before the rename", async () => {
    const { folder, path } = oldLog();
    const disk = intercept(quickDisk, (call, run) => {
      const result = run();
      if (call.name === "utimes") {
        fs.writeFileSync(`${path}.other`, "OTHERS..\n");
        fs.renameSync(`${path}.other`, path);
      }
      return result;
    });
    expect(await swapFirstLine(disk, path, join(folder, "rewrites"), "new")).toEqual({ kind: "changed" });
    expect(fs.readFileSync(path, "utf8")).toBe("OTHERS..\n");
    expect(litter(folder)).toEqual([]);
  });

  it("gives up if a log grows that must not: nothing is changed", async () => {
    const { folder, path } = oldLog();
    const disk = intercept(quickDisk, (call, run) => {
      if (call.name === "link") fs.appendFileSync(path, "more\n");
      return run();
    });
    const swapped = await swapFirstLine(disk, path, join(folder, "rewrites"), "new", { ifGrown: "give-up" });
    expect(swapped).toEqual({ kind: "changed" });
    expect(fs.readFileSync(path, "utf8")).toBe("old\nkept\nmore\n");
    expect(litter(folder)).toEqual([]);
  });

  it("leaves a log alone that somebody has opened meanwhile", async () => {
    const { folder, path } = oldLog();
    const swapped = await swapFirstLine(quickDisk, path, join(folder, "rewrites"), "new", {
      isHeld: () => true,
    });
    expect(swapped).toEqual({ kind: "held" });
    expect(fs.readFileSync(path, "utf8")).toBe("old\nkept\n");
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
