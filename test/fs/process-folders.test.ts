import { isAbsolute } from "node:path";
import process from "node:process";
import { afterEach, describe, expect, test } from "vitest";
import { homeFolder, workingFolder } from "../../src/fs/process-folders.ts";

describe("homeFolder()", () => {
  const before = process.env.HOME;
  afterEach(() => {
    if (before === undefined) delete process.env.HOME;
    else process.env.HOME = before;
  });

  test.each(["", "relative/home"])("is a whole path if HOME is %j", (home) => {
    process.env.HOME = home;
    expect(isAbsolute(homeFolder())).toBe(true);
  });
});

describe("workingFolder()", () => {
  const gone = (): string => {
    throw new Error("ENOENT: no such file or directory, uv_cwd");
  };

  test("is where npm was called", () => {
    expect(workingFolder({ cwd: () => "/package", env: { INIT_CWD: "/work/shop" } })).toBe("/work/shop");
    expect(workingFolder({ cwd: () => "/work/shop", env: {} })).toBe("/work/shop");
  });

  test("is still known by its name if it was removed", () => {
    expect(workingFolder({ cwd: gone, env: { PWD: "/work/tree" } })).toBe("/work/tree");
    expect(isAbsolute(workingFolder({ cwd: gone, env: {} }))).toBe(true);
    expect(isAbsolute(workingFolder({ cwd: gone, env: { PWD: "tree" } }))).toBe(true);
  });
});
