import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolders } from "../../src/fs/folders.ts";
import { isTempName, replaceFile } from "../../src/fs/replace-file.ts";
import { sweepTempFiles } from "../../src/fs/sweep-temp-files.ts";
import { everyDeath } from "./every-death.ts";

const chunks = (...texts: readonly string[]): readonly Uint8Array[] => texts.map((text) => Buffer.from(text));
const read = (path: string): string => fs.readFileSync(path, "utf8");

describe("replaceFile(), killed at every call", () => {
  it("leaves the whole old or the whole new file, with its mode and time, and litter that the sweep takes", async () => {
    const { count } = await everyDeath(
      (_, folder) => {
        const path = join(folder, "log.jsonl");
        fs.writeFileSync(path, "old");
        fs.chmodSync(path, 0o640);
        return path;
      },
      (disk, _, path) =>
        replaceFile(disk, path, chunks("new ", "in ", "parts"), { mode: "keep", mtimeMs: 1_600_000_000_000 }),
      (disk, folder, path, { diedAt }) => {
        const text = read(path);
        expect(diedAt === undefined ? ["new in parts"] : ["old", "new in parts"]).toContain(text);
        expect(disk.stat(path)?.mode).toBe(0o640);
        if (text !== "old") expect(disk.stat(path)?.mtimeMs).toBe(1_600_000_000_000);
        const litter = fs.readdirSync(folder).filter((name) => name !== "log.jsonl");
        expect(litter.every(isTempName)).toBe(true);
        expect(litter.length).toBeLessThanOrEqual(1);
        if (diedAt === undefined) expect(litter).toEqual([]);
        sweepTempFiles(disk, folder, { now: Number.MAX_SAFE_INTEGER });
        expect(fs.readdirSync(folder)).toEqual(["log.jsonl"]);
        // Running it again is as good as having run it once.
        replaceFile(disk, path, "again");
        expect(read(path)).toBe("again");
      },
    );
    expect(count).toBeGreaterThan(20);
  });

  it("exclusive: leaves no file or the whole one", async () => {
    await everyDeath(
      (_, folder) => join(folder, "chunk"),
      (disk, _, path) => replaceFile(disk, path, "whole", { exclusive: true }),
      (disk, folder, path, { diedAt }) => {
        if (diedAt === undefined || fs.existsSync(path)) expect(read(path)).toBe("whole");
        const again = replaceFile(disk, path, "whole", { exclusive: true });
        expect(["done", "exists"]).toContain(again.kind);
        expect(read(path)).toBe("whole");
        sweepTempFiles(disk, folder, { now: Number.MAX_SAFE_INTEGER });
        expect(fs.readdirSync(folder)).toEqual(["chunk"]);
      },
    );
  });

  it("behind a link: the link stays, its target is old or new", async () => {
    await everyDeath(
      (_, folder) => {
        fs.mkdirSync(join(folder, "real"));
        fs.writeFileSync(join(folder, "real", "a"), "old");
        fs.symlinkSync("real/a", join(folder, "link"));
        return join(folder, "link");
      },
      (disk, _, path) => replaceFile(disk, path, "new"),
      (_disk, folder, path, { diedAt }) => {
        expect(fs.readlinkSync(path)).toBe("real/a");
        expect(diedAt === undefined ? ["new"] : ["old", "new"]).toContain(read(path));
        expect(fs.readdirSync(folder).toSorted()).toEqual(["link", "real"]);
      },
    );
  });

  it("does not care which reading call it dies at either", async () => {
    const { count } = await everyDeath(
      (_, folder) => {
        fs.writeFileSync(join(folder, "a"), "old");
        return join(folder, "a");
      },
      (disk, _, path) => {
        const expected = disk.stat(path);
        if (expected === undefined) throw new Error("no file");
        return replaceFile(disk, path, disk.readChunks(path, { chunkSize: 2 }), {
          expect: expected,
          mode: 0o644,
        });
      },
      (_disk, _folder, path) => expect(read(path)).toBe("old"),
      { counting: "all" },
    );
    expect(count).toBeGreaterThan(40);
  });
});

describe("makeFolders(), killed at every call", () => {
  it("can be run again, and what is in its folders then is durable", async () => {
    await everyDeath(
      () => {},
      (disk, folder) => {
        makeFolders(disk, join(folder, "a", "b"));
        replaceFile(disk, join(folder, "a", "b", "file"), "text");
      },
      (disk, folder, _, { diedAt }) => {
        if (diedAt === undefined) expect(read(join(folder, "a", "b", "file"))).toBe("text");
        makeFolders(disk, join(folder, "a", "b"));
        expect(disk.stat(join(folder, "a", "b"))?.kind).toBe("folder");
      },
    );
  });
});
