import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { rowsOf } from "../real/support/claude-files.ts";
import { makeBrokenHome } from "./make-broken-home.ts";

describe("makeBrokenHome()", () => {
  const broken = makeBrokenHome({ hugeLineMb: 17 });
  afterAll(() => broken.remove());

  test("makes a log of valid JSON with one line that is too long to be decoded whole", () => {
    expect(broken.huge.lineBytes).toBeGreaterThan(17 * 1024 * 1024);
    expect(statSync(broken.huge.path).size).toBeGreaterThan(broken.huge.lineBytes);
    expect(rowsOf(broken.huge.path)).toHaveLength(3);
  });

  test("makes logs that can be read beside those that cannot", () => {
    for (const { path, request } of broken.readable)
      expect(JSON.stringify(rowsOf(path)[0])).toContain(request);
    if (broken.unreadable !== undefined) expect(statSync(broken.unreadable).mode & 0o777).toBe(0);
    if (broken.pipe !== undefined) expect(lstatSync(broken.pipe).isFIFO()).toBe(true);
  });

  test("makes folders that lead back to themselves", () => {
    expect(broken.loops.length).toBeGreaterThan(0);
    for (const folder of broken.loops) {
      const links = lstatSync(folder).isSymbolicLink() ? [folder] : readdirSync(folder);
      expect(links).toHaveLength(1);
    }
  });

  test("leaves nothing behind", () => {
    const another = makeBrokenHome({ hugeLineMb: 1 });
    another.remove();
    expect(existsSync(another.home)).toBe(false);
  });
});
