import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { judgeSource, rooms } from "./support/judge-source.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" })
  .map((path) => `src/${path.replaceAll("\\", "/")}`)
  .filter((path) => /\.m?[jt]s$/.test(path));

describe("the source", () => {
  test("was seen", () => {
    expect(sources.length).toBeGreaterThan(50);
    for (const room of rooms) {
      expect(sources.filter((path) => path.startsWith(`src/${room}/`)).length).toBeGreaterThan(1);
    }
  });

  test("imports in one direction, gets its world handed in, and comes in files of a readable size", () => {
    expect(sources.flatMap((path) => judgeSource(path, readFileSync(root + path, "utf8")))).toEqual([]);
  });
});

describe("judgeSource()", () => {
  test.each([
    ["src/core/a.ts", 'import { b } from "./b/c.ts";'],
    ["src/core/b/a.ts", 'import { b } from "../c.ts";'],
    ["src/formats/a.ts", 'import type { B } from "../core/b.ts";'],
    ["src/store/a.ts", 'import fs from "node:fs";'],
    ["src/fs/places.ts", 'import { homedir } from "node:os"; homedir();'],
    ["src/operations/a.ts", 'export { b } from "../store/b.ts";'],
    ["src/integrations/a.ts", 'const b = await import("../operations/b.ts");'],
    ["src/cli/a.ts", 'import { b } from "../integrations/b.ts"; import yargs from "yargs";'],
    ["src/cli/version.ts", 'import manifest from "../../package.json" with { type: "json" };'],
    ["src/cli/main.ts", 'import process from "node:process"; process.exitCode = 0; Date.now();'],
    ["src/core/a.ts", "const b = new Date(0); const c = { process: 1 }; c.process; Date.parse('x');"],
    ["src/core/a.ts", `${"\n".repeat(350)}`],
  ])("finds nothing wrong in %s with %j", (path, text) => {
    expect(judgeSource(path, text)).toEqual([]);
  });

  test.each([
    [
      "src/core/a.ts",
      'import { b } from "../formats/b.ts";',
      "core must not import formats (src/formats/b.ts)",
    ],
    [
      "src/core/x/a.ts",
      'import type { B } from "../../store/b.ts";',
      "core must not import store (src/store/b.ts)",
    ],
    ["src/formats/a.ts", 'export * from "../store/b.ts";', "formats must not import store (src/store/b.ts)"],
    [
      "src/store/a.ts",
      'const b = import("../formats/b.ts");',
      "store must not import formats (src/formats/b.ts)",
    ],
    [
      "src/store/a.ts",
      'new URL("../cli/b.ts", import.meta.url);',
      "store must not import cli (src/cli/b.ts)",
    ],
    [
      "src/operations/a.ts",
      'let b: import("../cli/b.ts").B;',
      "operations must not import cli (src/cli/b.ts)",
    ],
    [
      "src/integrations/a.ts",
      'import "../store/b.ts";',
      "integrations must not import store (src/store/b.ts)",
    ],
    ["src/cli/a.ts", 'import fs from "node:fs/promises";', "cli must not import node:fs/promises"],
    ["src/operations/a.ts", 'import fs from "fs";', "operations must not import fs"],
    [
      "src/core/a.ts",
      'import { spawn } from "node:child_process";',
      "core is pure and must not import node:child_process",
    ],
    ["src/operations/a.ts", 'import process from "node:process";', "imports node:process"],
    ["src/cli/a.ts", 'import { x } from "../../test/x.ts";', "imports test/x.ts, which is outside src"],
    ["src/cli/a.ts", "await import(name);", "imports what only a run can tell"],
    ["src/other/a.ts", 'import { b } from "./b.ts";', "stands in no room"],
    ["src/core/a.ts", "const b = process.env;", "uses process, which is to be passed in"],
    ["src/core/a.ts", "globalThis.process.exit();", "uses process, which is to be passed in"],
    ["src/core/a.ts", "const b = Date.now();", "uses Date.now, which is to be passed in"],
    ["src/core/a.ts", "const b = new Date();", "uses new Date(), which is to be passed in"],
    ["src/core/a.ts", "const b = Date();", "uses Date(), which is to be passed in"],
    ["src/operations/a.ts", "const b = Math.random();", "uses Math.random, which is to be passed in"],
    ["src/operations/a.ts", "console.log(1);", "uses console, which is to be passed in"],
    ["src/operations/a.ts", "Deno.cwd();", "uses Deno, which is to be passed in"],
    ["src/operations/a.ts", "os.homedir();", "uses os.homedir, which is to be passed in"],
    [
      "src/operations/a.ts",
      'import { homedir } from "node:os"; homedir();',
      "uses homedir, which is to be passed in",
    ],
  ])("finds in %s with %j: %s", (path, text, what) => {
    expect(judgeSource(path, text)).toEqual([`${path}:1: ${what}`]);
  });

  test("finds a file that is too long", () => {
    expect(judgeSource("src/core/a.ts", "\n".repeat(351))).toEqual([
      "src/core/a.ts:351: is longer than 350 lines",
    ]);
  });
});
