import { Buffer } from "node:buffer";
import fs from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { FoundFile, LogRoot, Peek } from "../../src/agents/agent.ts";
import type { Disk } from "../../src/fs/disk.ts";
import { nodeDisk as disk } from "../../src/fs/node-disk.ts";
import { findFiles, peekOn, type SourceFile, type SourceRoot } from "../../src/fs/sources.ts";
import { diskThatFailsAt, diskThatPausesAt, unreadableDisk } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";

function makeFiles(folder: string, paths: readonly string[]): void {
  for (const path of paths) {
    fs.mkdirSync(join(folder, path, ".."), { recursive: true });
    fs.writeFileSync(join(folder, path), path);
  }
}

interface LookOptions {
  readonly depth?: number;
  readonly on?: Disk;
  readonly extensions?: readonly string[];
  readonly mayRead?: (real: string) => boolean;
}

function look(folder: string, options: LookOptions = {}) {
  const root = { folder, depth: options.depth ?? 9, extensions: options.extensions ?? [".jsonl"] };
  const { files, problems } = findFiles(options.on ?? disk, root, options.mayRead);
  return { names: files.map(({ path }) => relative(folder, path)), files, problems };
}

describe("findFiles()", () => {
  it("speaks of roots and files as formats do", () => {
    expectTypeOf<LogRoot>().toExtend<SourceRoot>();
    expectTypeOf<SourceFile>().toExtend<FoundFile>();
    expectTypeOf(peekOn(disk)).toExtend<Peek>();
  });

  it("finds files with their size, time and inode, in order", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["b/2.jsonl", "b/1.jsonl", "a/x/1.jsonl", "z.jsonl"]);
    const { files, names, problems } = look(folder);
    expect(names).toEqual(["a/x/1.jsonl", "b/1.jsonl", "b/2.jsonl", "z.jsonl"]);
    expect(problems).toEqual([]);
    const real = disk.stat(join(folder, "z.jsonl"));
    expect(files[3]).toEqual({
      path: join(folder, "z.jsonl"),
      size: 7,
      mtimeMs: real?.mtimeMs,
      inode: real?.inode,
    });
  });

  it.each([
    [1, ["1.jsonl"]],
    [2, ["1.jsonl", "a/2.jsonl"]],
    [3, ["1.jsonl", "a/2.jsonl", "a/b/3.jsonl"]],
  ])("looks %i deep", (depth, expected) => {
    const folder = temporaryFolder();
    makeFiles(folder, ["1.jsonl", "a/2.jsonl", "a/b/3.jsonl"]);
    expect(look(folder, { depth }).names.toSorted()).toEqual(expected);
  });

  it("looks only at the extensions that it is given", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["a.jsonl", "a.json", "a.jsonl.bak", "a.JSONL", "jsonl", ".jsonl"]);
    expect(look(folder).names).toEqual([".jsonl", "a.jsonl"]);
    expect(look(folder, { extensions: [".json", ".bak"] }).names).toEqual(["a.json", "a.jsonl.bak"]);
    expect(look(folder, { extensions: [] }).names).toEqual([]);
  });

  it("finds nothing, without a problem, where there is no root", () => {
    const folder = temporaryFolder();
    expect(look(join(folder, "missing"))).toMatchObject({ files: [], problems: [] });
    makeFiles(folder, ["file"]);
    expect(look(join(folder, "file", "x"))).toMatchObject({ files: [], problems: [] });
    expect(look(join(folder, "file")).problems).toEqual([
      { path: join(folder, "file"), line: 0, what: "it is not a folder" },
    ]);
  });

  it("finds no folder or pipe that is named like a log", () => {
    const folder = temporaryFolder();
    fs.mkdirSync(join(folder, "a.jsonl"));
    const odd: Disk = {
      ...disk,
      readdir: (path) => [...disk.readdir(path), { name: "pipe.jsonl", kind: "other" }],
    };
    expect(look(folder, { on: odd, depth: 1 })).toMatchObject({ files: [], problems: [] });
  });

  it("follows links to folders and files", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["elsewhere/deep/1.jsonl", "elsewhere/2.log"]);
    fs.mkdirSync(join(folder, "root"));
    fs.symlinkSync("../elsewhere", join(folder, "root", "link"));
    fs.symlinkSync("../elsewhere/2.log", join(folder, "root", "2.jsonl"));
    expect(look(join(folder, "root")).names).toEqual(["link/deep/1.jsonl", "2.jsonl"]);
    expect(look(join(folder, "root"), { depth: 2 }).names).toEqual(["2.jsonl"]);
    fs.symlinkSync("root", join(folder, "root-link"));
    expect(look(join(folder, "root-link")).names.length).toBe(2);
  });

  it("follows a link to a file only into folders of logs, and names the others", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["elsewhere/shadow", "logs/2.log", "root/a/1.jsonl", "root/a/kept.log"]);
    const root = join(folder, "root");
    fs.symlinkSync("../elsewhere/shadow", join(root, "0.jsonl"));
    fs.symlinkSync("../logs/2.log", join(root, "2.jsonl"));
    fs.symlinkSync("a/kept.log", join(root, "3.jsonl"));
    const mayRead = (real: string): boolean => real.startsWith(join(folder, "logs"));
    const { names, problems } = look(root, { mayRead });
    expect(names).toEqual(["a/1.jsonl", "2.jsonl", "3.jsonl"]);
    const what = `it was not read: it is a link to ${join(folder, "elsewhere/shadow")}, which is not in a folder of logs`;
    expect(problems).toEqual([{ path: join(root, "0.jsonl"), line: 0, what }]);
    expect(look(root).names).toEqual(["a/1.jsonl", "3.jsonl"]);
  });

  it("finds a file once, under its own name, however many links lead to it", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["m/1.jsonl"]);
    fs.symlinkSync("m", join(folder, "a"));
    fs.symlinkSync("m", join(folder, "z"));
    fs.symlinkSync("m/1.jsonl", join(folder, "0.jsonl"));
    expect(look(folder).names).toEqual(["m/1.jsonl"]);
  });

  it("follows links in the order of names, those of folders between them", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["elsewhere/1.jsonl", "root/b/2.jsonl", "root/c.jsonl"]);
    for (const name of ["b/x.jsonl", "d.jsonl"])
      fs.symlinkSync(join(folder, "elsewhere/1.jsonl"), join(folder, "root", name));
    const mayRead = (): boolean => true;
    expect(look(join(folder, "root"), { mayRead }).names).toEqual(["b/2.jsonl", "c.jsonl", "b/x.jsonl"]);
    fs.symlinkSync(join(folder, "elsewhere/1.jsonl"), join(folder, "root", "a.jsonl"));
    expect(look(join(folder, "root"), { mayRead }).names).toEqual(["b/2.jsonl", "c.jsonl", "a.jsonl"]);
  });

  it("survives links that lead in circles, out of the root, or nowhere", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["outside.jsonl", "root/a/1.jsonl", "root/b/2.jsonl"]);
    const root = join(folder, "root");
    fs.symlinkSync(".", join(root, "self"));
    fs.symlinkSync("..", join(root, "up"));
    fs.symlinkSync("/", join(root, "everything"));
    fs.symlinkSync("../b", join(root, "a", "to-b"));
    fs.symlinkSync("../a", join(root, "b", "to-a"));
    fs.symlinkSync("nowhere", join(root, "dangling.jsonl"));
    fs.symlinkSync("loop.jsonl", join(root, "loop.jsonl"));
    const { names, problems } = look(root, { depth: 50 });
    expect(names).toEqual(["a/1.jsonl", "b/2.jsonl"]);
    expect(problems).toEqual([{ path: join(root, "loop.jsonl"), line: 0, what: "its links form a cycle" }]);
  });

  it("reports a folder that can't be read, and goes on", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["a/1.jsonl", "b/2.jsonl", "c/3.jsonl"]);
    const half = unreadableDisk(disk, (path) => path === join(folder, "b"));
    expect(look(folder, { on: half })).toMatchObject({
      names: ["a/1.jsonl", "c/3.jsonl"],
      problems: [{ path: join(folder, "b"), line: 0, what: "permission denied" }],
    });
  });

  it.each([
    ["file", "bad\ufffd.jsonl"],
    ["folder", "bad\ufffd"],
    ["link", "bad\ufffd"],
  ] as const)("reports a %s whose name is no UTF-8", (kind, name) => {
    const folder = temporaryFolder();
    makeFiles(folder, ["good.jsonl"]);
    const odd: Disk = {
      ...disk,
      readdir: (path) => [...disk.readdir(path), { name, kind }],
    };
    expect(look(folder, { on: odd })).toMatchObject({
      names: ["good.jsonl"],
      problems: [{ path: join(folder, name), line: 0, what: "its name is not valid UTF-8" }],
    });
  });

  it("never throws, whatever call fails, and finds what does not depend on it", () => {
    const folder = temporaryFolder();
    makeFiles(folder, ["a/1.jsonl", "b/2.jsonl"]);
    fs.mkdirSync(join(folder, "c"));
    fs.symlinkSync("../a", join(folder, "c", "link"));
    let failures = 0;
    for (let n = 0; ; n++) {
      const failing = diskThatFailsAt(disk, n);
      const { names, problems } = look(folder, { on: failing.disk });
      if (failing.failedAt() === undefined) break;
      expect(problems.length).toBe(1);
      expect(problems[0]?.what).toBe("the disk reports an input/output error");
      if (n > 2) expect(names.length).toBeGreaterThanOrEqual(1);
      failures++;
    }
    expect(failures).toBeGreaterThan(7);
  });

  it("does not mind that everything vanishes while it looks", () => {
    for (let n = 0; n < 12; n++) {
      const folder = join(temporaryFolder(), "root");
      makeFiles(folder, ["a/1.jsonl", "b/2.jsonl"]);
      const vanishing = diskThatPausesAt(disk, n, () => fs.rmSync(folder, { recursive: true }));
      expect(look(folder, { on: vanishing }).problems).toEqual([]);
    }
  });
});

describe("peekOn()", () => {
  it("reads the first 64 KiB, each time into bytes of their own", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "long"), Buffer.alloc(70_000, "x"));
    fs.writeFileSync(join(folder, "short"), "abc");
    const peek = peekOn(disk);
    const long = peek(join(folder, "long"));
    expect(peek(join(folder, "short")).toString()).toBe("abc");
    expect(long).toEqual(Buffer.alloc(65_536, "x"));
  });

  it("is empty where a file can't be read", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "a"), "abc");
    expect(peekOn(disk)(join(folder, "missing")).length).toBe(0);
    expect(peekOn(disk)(folder).length).toBe(0);
    expect(peekOn(unreadableDisk(disk, () => true))(join(folder, "a")).length).toBe(0);
  });
});
