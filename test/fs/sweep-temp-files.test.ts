import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk as disk } from "../../src/fs/node-disk.ts";
import { isTempName, replaceFile, tempPathFor } from "../../src/fs/replace-file.ts";
import { sweepTempFiles } from "../../src/fs/sweep-temp-files.ts";
import { diskThatPausesAt, unreadableDisk } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

function makeFile(path: string, ageMs: number): string {
  fs.writeFileSync(path, "x");
  disk.utimes(path, NOW - ageMs, NOW - ageMs);
  return path;
}

describe("tempPathFor()", () => {
  it("is beside the target, is unique, and is recognised", () => {
    const names = Array.from({ length: 100 }, () => tempPathFor("/some/folder/file.jsonl"));
    expect(new Set(names).size).toBe(100);
    for (const name of names) {
      expect(name.startsWith("/some/folder/.sessions-")).toBe(true);
      expect(isTempName(name.slice("/some/folder/".length))).toBe(true);
    }
  });
});

describe("sweepTempFiles()", () => {
  it("removes only files older than an hour", () => {
    const folder = temporaryFolder();
    const old = makeFile(tempPathFor(join(folder, "a")), HOUR + 1);
    const young = makeFile(tempPathFor(join(folder, "a")), HOUR - 1);
    const others = [
      ".sessions-.tmp",
      ".sessions-0123.tmp",
      "x.sessions-0123456789abcdef.tmp",
      "a.jsonl",
      "a.tmp",
    ].map((name) => makeFile(join(folder, name), 100 * HOUR));
    const result = sweepTempFiles(disk, folder, { now: NOW });
    expect(result).toEqual({ removed: [old], bytes: 1, problems: [] });
    for (const path of [young, ...others]) expect(fs.existsSync(path)).toBe(true);
  });

  it("spares a file that was given an old mtime just before its rename", () => {
    const folder = temporaryFolder();
    const path = tempPathFor(join(folder, "a"));
    fs.writeFileSync(path, "x");
    disk.utimes(path, NOW, NOW - 100 * HOUR);
    expect(sweepTempFiles(disk, folder, { now: NOW }).removed).toEqual([]);
  });

  it("never takes a file from under replaceFile(), whatever time that gives it", () => {
    let sweeps = 0;
    for (let n = 0; ; n++) {
      const folder = temporaryFolder();
      let swept = false;
      const sweeping = diskThatPausesAt(disk, n, () => {
        swept = true;
        expect(sweepTempFiles(disk, folder, { now: Date.now() }).removed).toEqual([]);
      });
      expect(replaceFile(sweeping, join(folder, "a"), "text", { mtimeMs: NOW - 100 * HOUR }).kind).toBe(
        "done",
      );
      if (!swept) break;
      sweeps++;
    }
    expect(sweeps).toBeGreaterThan(8);
  });

  it("looks as deep as requested", () => {
    const folder = temporaryFolder();
    fs.mkdirSync(join(folder, "a", "b"), { recursive: true });
    const deep = makeFile(tempPathFor(join(folder, "a", "b", "x")), 2 * HOUR);
    expect(sweepTempFiles(disk, folder, { now: NOW, depth: 2 }).removed).toEqual([]);
    expect(sweepTempFiles(disk, folder, { now: NOW, depth: 3 }).removed).toEqual([deep]);
  });

  it("reports a folder that it can't read, and goes on", () => {
    const folder = temporaryFolder();
    fs.mkdirSync(join(folder, "shut"));
    const old = makeFile(tempPathFor(join(folder, "z")), 2 * HOUR);
    const half = unreadableDisk(disk, (path) => path === join(folder, "shut"));
    expect(sweepTempFiles(half, folder, { now: NOW, depth: 2 })).toEqual({
      removed: [old],
      bytes: 1,
      problems: [{ path: join(folder, "shut"), line: 0, what: "permission denied" }],
    });
  });

  it("finds nothing in a folder that does not exist", () => {
    expect(sweepTempFiles(disk, join(temporaryFolder(), "missing"), { now: NOW })).toEqual({
      removed: [],
      bytes: 0,
      problems: [],
    });
  });
});
