import { Buffer } from "node:buffer";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, diskFrom } from "../../src/fs/disk.ts";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { replaceFile } from "../../src/fs/replace-file.ts";
import { Death, diskThatDiesAfter } from "./disk-that-dies.ts";
import { everyDeath } from "./every-death.ts";
import { randomFrom } from "./kill-at-random.ts";
import { cuttableDisk } from "./power-cut.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function write(disk: Disk, path: string, text: string, sync: boolean): void {
  const handle = disk.open(path, "create");
  disk.write(handle, Buffer.from(text));
  if (sync) disk.fsync(handle);
  disk.close(handle);
}

const read = (path: string): string => fs.readFileSync(path, "utf8");

describe("diskThatDiesAfter()", () => {
  it("makes n changing calls, then none, and every later call throws", () => {
    const folder = temporaryFolder();
    const { disk, diedAt, calls } = diskThatDiesAfter(nodeDisk, 2);
    disk.mkdir(join(folder, "a"));
    expect(disk.stat(join(folder, "a"))?.kind).toBe("folder");
    disk.mkdir(join(folder, "b"));
    expect(diedAt()).toBeUndefined();
    expect(() => disk.mkdir(join(folder, "c"))).toThrow(Death);
    expect(() => disk.stat(folder)).toThrow(Death);
    expect(() => disk.rmdir(join(folder, "a"))).toThrow(Death);
    expect(() => disk.readFile(join(folder, "x"), 10)).toThrow(Death);
    expect(diedAt()).toMatchObject({ name: "mkdir", path: join(folder, "c") });
    expect(calls().length).toBe(2);
    expect(fs.readdirSync(folder).toSorted()).toEqual(["a", "b"]);
  });

  it("counts every call if asked to", () => {
    const folder = temporaryFolder();
    const { disk } = diskThatDiesAfter(nodeDisk, 1, { counting: "all" });
    disk.stat(folder);
    expect(() => disk.stat(folder)).toThrow(Death);
  });

  it.each([
    [0, ""],
    [0.5, "12345"],
    [1, "1234567890"],
  ])("a write that dies has written %d of its bytes", (written, expected) => {
    const path = join(temporaryFolder(), "a");
    const { disk, leftOpen } = diskThatDiesAfter(nodeDisk, 1, { written });
    expect(() => write(disk, path, "1234567890", true)).toThrow(Death);
    expect(read(path)).toBe(expected);
    expect(leftOpen()).toEqual([]);
  });
});

describe("cuttableDisk()", () => {
  const prepare = () => {
    const base = temporaryFolder();
    const [folder, grave] = [join(base, "folder"), join(base, "grave")];
    fs.mkdirSync(folder);
    fs.mkdirSync(grave);
    return { folder, path: (name: string) => join(folder, name), ...cuttableDisk(nodeDisk, grave) };
  };

  it("kill: loses nothing", () => {
    const { disk, cut, path } = prepare();
    write(disk, path("a"), "text", false);
    cut("kill");
    expect(read(path("a"))).toBe("text");
  });

  it("contents-lost: loses bytes without fsync, under whatever name they are by now", () => {
    const { disk, cut, path } = prepare();
    write(disk, path("a"), "text", false);
    disk.rename(path("a"), path("b"));
    write(disk, path("c"), "text", true);
    cut("contents-lost");
    expect(read(path("b"))).toBe("");
    expect(read(path("c"))).toBe("text");
  });

  it("contents-lost: keeps what was there before an append, and what was synced in between", () => {
    const { disk, cut, path } = prepare();
    fs.writeFileSync(path("a"), "old ");
    const handle = disk.open(path("a"), "append");
    disk.write(handle, Buffer.from("synced "));
    disk.fsync(handle);
    disk.write(handle, Buffer.from("lost"));
    cut("contents-lost");
    disk.close(handle);
    expect(read(path("a"))).toBe("old synced ");
  });

  it("names-lost: takes back what no fsync of the folder made durable, and only that", () => {
    const { disk, cut, folder, path } = prepare();
    for (const name of ["target", "removed", "linked", "kept"]) fs.writeFileSync(path(name), name);
    fs.mkdirSync(path("old-folder"));
    write(disk, path("durable"), "durable", true);
    disk.unlink(path("kept"));
    disk.fsyncFolder(folder);

    write(disk, path("new"), "new", true);
    disk.rename(path("new"), path("target"));
    disk.unlink(path("removed"));
    disk.link(path("linked"), path("second"));
    disk.mkdir(path("new-folder"));
    write(disk, join(path("new-folder"), "inside"), "x", true);
    disk.fsyncFolder(path("new-folder"));
    disk.rmdir(path("old-folder"));
    cut("names-lost");
    expect(fs.readdirSync(folder).toSorted()).toEqual([
      "durable",
      "linked",
      "old-folder",
      "removed",
      "target",
    ]);
    expect(read(path("target"))).toBe("target");
    expect(read(path("removed"))).toBe("removed");
  });

  it("names-lost: a rename between folders is durable when both are", () => {
    const { disk, cut, path, folder } = prepare();
    fs.mkdirSync(path("to"));
    fs.writeFileSync(path("a"), "a");
    disk.rename(path("a"), join(path("to"), "a"));
    disk.fsyncFolder(path("to"));
    cut("names-lost");
    expect(fs.readdirSync(folder).toSorted()).toEqual(["a", "to"]);
  });
});

describe("everyDeath()", () => {
  const setup = (_: Disk, folder: string): string => {
    fs.writeFileSync(join(folder, "a"), "old");
    return join(folder, "a");
  };
  const isOldOrNew = (
    _disk: Disk,
    _folder: string,
    path: string,
    ending: { diedAt: string | undefined },
  ): void => {
    expect(ending.diedAt === undefined ? ["new!"] : ["old", "new!"]).toContain(read(path));
  };
  const replaceOn = (change: (disk: Disk) => Disk) => (disk: Disk, _: string, path: string) =>
    replaceFile(change(disk), path, "new!");

  it("finds nothing wrong with replaceFile(), and says how often it killed it", async () => {
    const deaths = await everyDeath(
      setup,
      replaceOn((disk) => disk),
      isOldOrNew,
    );
    expect(deaths.calls).toEqual(["open", "write", "fsync", "rename", "fsyncFolder"]);
    // Each call: killed twice (with and without a part of a write), and two power cuts.
    expect(deaths.count).toBe(5 * 4);
  });

  it.each<[string, (disk: Disk) => Disk, RegExp]>([
    ["the fsync of the file", (disk) => diskFrom({ ...disk, fsync: () => {} }), /contents-lost/],
    [
      "the fsync of the folder",
      (disk) => diskFrom({ ...disk, fsyncFolder: () => {} }),
      /completed, names-lost/,
    ],
  ])("would notice if %s were missing", async (_, change, where) => {
    await expect(everyDeath(setup, replaceOn(change), isOldOrNew, { stride: 1 })).rejects.toThrow(where);
  });

  it("would notice a file that is written in place", async () => {
    const inPlace = (disk: Disk, _: string, path: string): void => {
      disk.unlink(path);
      write(disk, path, "new!", true);
    };
    await expect(everyDeath(setup, inPlace, isOldOrNew, { stride: 1 })).rejects.toThrow(
      /Died at call 1 \(open/,
    );
  });

  it("refuses an operation that it could not kill, and one that leaves a file open", async () => {
    await expect(everyDeath(setup, () => {}, isOldOrNew)).rejects.toThrow();
    await expect(
      everyDeath(
        setup,
        () => {},
        () => {},
      ),
    ).rejects.toThrow("nothing to kill");
    const leaky = (disk: Disk, folder: string): unknown => disk.open(join(folder, "b"), "create");
    await expect(everyDeath(setup, leaky, () => {})).rejects.toThrow("left open");
  });

  it("passes on what an operation throws by itself", async () => {
    const failing = (): never => {
      throw new Error("by itself");
    };
    await expect(everyDeath(setup, failing, () => {})).rejects.toThrow("by itself");
  });
});

describe("randomFrom()", () => {
  it("returns the same numbers for the same seed, spread over 0 to 1", () => {
    const [a, b] = [randomFrom(7), randomFrom(7)];
    const numbers = Array.from({ length: 1000 }, a);
    expect(Array.from({ length: 1000 }, b)).toEqual(numbers);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(numbers.filter((number) => number < 0.5).length).toBeGreaterThan(400);
    expect(randomFrom(8)()).not.toBe(numbers[0]);
  });
});
