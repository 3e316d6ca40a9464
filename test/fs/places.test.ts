import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expandHome, findPlaces, insideOf } from "../../src/fs/places.ts";

describe("findPlaces()", () => {
  it.each([
    [undefined, "/home/u/.sessions"],
    ["", "/home/u/.sessions"],
    ["/data/s", "/data/s"],
    ["~/s", "/home/u/s"],
    ["~", "/home/u"],
    ["s/t", "/work/p/s/t"],
    ["../s", "/work/s"],
  ])("SESSIONS_HOME=%s is %s", (value, home) => {
    const places = findPlaces({ home: "/home/u", variables: { SESSIONS_HOME: value }, folder: "/work/p" });
    expect(places).toEqual({
      home,
      index: join(home, "index"),
      cache: join(home, "cache"),
      archive: join(home, "archive"),
      site: join(home, "site"),
      raw: join(home, "raw"),
      flat: join(home, "flat"),
      notes: join(home, "notes"),
      rewrites: join(home, "rewrites"),
      logs: join(home, "logs"),
      backups: join(home, "backups"),
      receipt: join(home, "receipt.json"),
      config: join(home, "config.json"),
      version: join(home, "version.json"),
      lock: join(home, "lock"),
    });
  });
});

describe("expandHome()", () => {
  it.each([
    ["~", "/home/u"],
    ["~/a", "/home/u/a"],
    ["~other/a", "~other/a"],
    ["/a/~/b", "/a/~/b"],
    ["a", "a"],
  ])("%s is %s", (path, expanded) => {
    expect(expandHome(path, "/home/u")).toBe(expanded);
  });
});

describe("insideOf()", () => {
  it.each([
    ["/a", "/a/b", true],
    ["/a", "/a/b/c", true],
    ["/a/", "/a/b", true],
    ["/a", "/a/..b", true],
    ["/a", "/a/...", true],
    ["/", "/a", true],
    ["/a", "/a", false],
    ["/a", "/a/", false],
    ["/a", "/a/b/..", false],
    ["/a", "/a/../b", false],
    ["/a", "/ab", false],
    ["/a", "/", false],
    ["/a", "/a/b/../../c", false],
    ["/a/b", "/a", false],
  ])("%s, %s: %s", (folder, path, inside) => {
    expect(insideOf(folder, path)).toBe(inside);
  });
});
