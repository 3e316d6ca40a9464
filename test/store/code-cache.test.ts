import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { type CodeName, keepCode, readCode } from "../../src/store/code-cache.ts";
import { createMemoryDisk } from "../../src/store/memory-disk.ts";
import { findPlaces } from "../../src/store/places.ts";

const places = findPlaces({ home: "/home/ana", variables: {}, folder: "/" });
const code = Buffer.from("compiled");

function makeStore(): ReturnType<typeof createMemoryDisk> {
  const disk = createMemoryDisk(() => 0);
  for (const folder of ["/home", "/home/ana", places.home]) disk.mkdir(folder);
  return disk;
}

const names = (disk: ReturnType<typeof createMemoryDisk>): readonly string[] =>
  disk.readdir(places.cache).map(({ name }) => name);

const named = (command: string, program: string, engine = "v20-x64", part = "program"): CodeName => ({
  command,
  part,
  program,
  engine,
});

describe("keepCode() and readCode()", () => {
  test("give back what was kept, for the same command, program, part and engine alone", () => {
    const disk = makeStore();
    keepCode(disk, places, named("search", "p1"), code);
    expect(readCode(disk, places, named("search", "p1"))).toEqual(code);
    expect(readCode(disk, places, named("list", "p1"))).toBeUndefined();
    expect(readCode(disk, places, named("search", "p2"))).toBeUndefined();
    expect(readCode(disk, places, named("search", "p1", "v22-x64"))).toBeUndefined();
    expect(readCode(disk, places, named("search", "p1", "v20-x64", "more"))).toBeUndefined();
    expect(readCode(disk, places, named("../search", "p1"))).toBeUndefined();
  });

  test("the code of a new program takes the place of the old one, that of another engine stands beside it", () => {
    const disk = makeStore();
    keepCode(disk, places, named("search", "p1"), code);
    keepCode(disk, places, named("list", "p1"), code);
    keepCode(disk, places, named("search", "p2"), code);
    keepCode(disk, places, named("search", "p2", "v20-x64", "more"), code);
    keepCode(disk, places, named("search", "p2", "v22-x64"), code);
    expect(names(disk).toSorted()).toEqual([
      "code.list.p1.program.v20-x64",
      "code.search.p2.more.v20-x64",
      "code.search.p2.program.v20-x64",
      "code.search.p2.program.v22-x64",
    ]);
  });

  test("code that is not what was kept is none", () => {
    const disk = makeStore();
    keepCode(disk, places, named("search", "p1"), code);
    const path = `${places.cache}/code.search.p1.program.v20-x64`;
    const bytes = Buffer.from(disk.readFile(path, 1_000) ?? "");
    for (const broken of [bytes.subarray(0, 3), bytes.subarray(0, -1), Buffer.from("?".repeat(12))]) {
      disk.unlink(path);
      const handle = disk.open(path, "create");
      disk.write(handle, broken);
      disk.close(handle);
      expect(readCode(disk, places, named("search", "p1"))).toBeUndefined();
    }
  });
});
