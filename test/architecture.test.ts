import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { importCircles, judgeSource, layers, loadedFiles } from "./support/judge-source.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" })
  .map((path) => `src/${path.replaceAll("\\", "/")}`)
  .filter((path) => /\.(?:m?[jt]s|tsx)$/.test(path));
const isOf = (path: string, layer: string): boolean =>
  path === `src/${layer}` || path.startsWith(`src/${layer}/`);

describe("the source", () => {
  test("has files in every layer", () => {
    expect(sources.length).toBeGreaterThan(50);
    const empty = layers.filter((layer) => !sources.some((path) => isOf(path, layer)));
    expect(empty).toEqual([]);
  });

  test("imports in one direction, gets its world handed in, branches on no agent's name outside src/agents, and comes in files of a readable size", () => {
    expect(sources.flatMap((path) => judgeSource(path, readFileSync(root + path, "utf8")))).toEqual([]);
  });

  test("has no files that import each other in a circle, but for types", () => {
    expect(importCircles(sources, (path) => readFileSync(root + path, "utf8"))).toEqual([]);
  });
});

describe("importCircles()", () => {
  test("finds a circle of two or more files, and none of types or of what is loaded later", () => {
    const files: Readonly<Record<string, string>> = {
      "src/a.ts": 'import { b } from "./b.ts";',
      "src/b.ts": 'export { c } from "./c/c.ts";',
      "src/c/c.ts": 'import "../b.ts"; import { d } from "../d.ts";',
      "src/d.ts": 'import type { A } from "./a.ts"; const a = () => import("./a.ts");',
    };
    expect(importCircles(Object.keys(files), (path) => files[path] ?? "")).toEqual([
      "src/b.ts → src/c/c.ts → src/b.ts",
    ]);
  });
});

describe("the bundle of search", () => {
  test("reads the logs of every agent, and has nothing of what changes them", () => {
    const loaded = new Set(["src/cli/bundles/search.ts"]);
    // The picker has a bundle of its own, which `search -i` takes it from (build.mjs).
    const apart = "src/cli/pick/run-pick.ts";
    for (const path of loaded)
      for (const file of loadedFiles(path, readFileSync(root + path, "utf8")))
        if (file !== apart) loaded.add(file);
    expect([...loaded]).toContain("src/agents/agents.ts");
    const isAction = (path: string): boolean =>
      /\/(?:actions|compact|fork|flatten|hooks|retention)\.ts$/.test(path) && isOf(path, "agents");
    expect([...loaded].filter(isAction)).toEqual([]);
  });
});

describe("judgeSource()", () => {
  test.each([
    ["src/session/a.ts", 'import { b } from "./b/c.ts";'],
    ["src/session/b/a.ts", 'import { b } from "../c.ts";'],
    ["src/agents/pi/a.ts", 'import type { B } from "../../session/b.ts";'],
    ["src/agents/pi/a.ts", 'import type { B } from "../checkpoints/b.ts";'],
    ["src/fs/a.ts", 'import fs from "node:fs";'],
    ["src/fs/places.ts", 'import { homedir } from "node:os"; homedir();'],
    ["src/shrink/a.ts", 'export { b } from "../fs/b.ts";'],
    ["src/integrations/a.ts", 'const b = await import("../index.ts");'],
    ["src/cli/a.ts", 'import { b } from "../integrations/b.ts"; import yargs from "yargs";'],
    ["src/cli/commands/a.ts", 'import { openHistory } from "../../index.ts";'],
    ["src/cli/commands/search.ts", 'import { searchSessions } from "../../search/search-sessions.ts";'],
    ["src/cli/commands/version.ts", 'import manifest from "../../../package.json" with { type: "json" };'],
    ["src/cli/main.ts", 'import process from "node:process"; process.exitCode = 0; Date.now();'],
    ["src/redact/a.ts", "const b = new Date(0); const c = { process: 1 }; c.process; Date.parse('x');"],
    ["src/redact/a.ts", `${"\n".repeat(450)}`],
    ["src/agents/a.ts", 'if (agent === "claude") run();'],
    ["src/cli/a.ts", 'const says = "pi"; const folder = join(home, "claude");'],
  ])("finds nothing wrong in %s with %j", (path, text) => {
    expect(judgeSource(path, text)).toEqual([]);
  });

  test.each([
    [
      "src/session/a.ts",
      'import { b } from "../agents/b.ts";',
      "session must not import agents (src/agents/b.ts)",
    ],
    [
      "src/render/x/a.ts",
      'import type { B } from "../../search/b.ts";',
      "render must not import search (src/search/b.ts)",
    ],
    [
      "src/agents/a.ts",
      'export * from "../archive/b.ts";',
      "agents must not import archive (src/archive/b.ts)",
    ],
    [
      "src/agents/pi/a.ts",
      'import { b } from "../claw/b.ts";',
      "pi must not import claw: agents know nothing of each other",
    ],
    [
      "src/search/a.ts",
      'const b = import("../shrink/b.ts");',
      "search must not import shrink (src/shrink/b.ts)",
    ],
    ["src/fs/a.ts", 'new URL("../cli/b.ts", import.meta.url);', "fs must not import cli (src/cli/b.ts)"],
    ["src/shrink/a.ts", 'let b: import("../cli/b.ts").B;', "shrink must not import cli (src/cli/b.ts)"],
    [
      "src/retention/a.ts",
      'import "../integrations/b.ts";',
      "retention must not import integrations (src/integrations/b.ts)",
    ],
    ["src/cli/a.ts", 'import fs from "node:fs/promises";', "cli must not import node:fs/promises"],
    ["src/archive/a.ts", 'import fs from "fs";', "archive must not import fs"],
    [
      "src/cli/commands/a.ts",
      'import { b } from "../../search/b.ts";',
      "commands use the library, not src/search/b.ts",
    ],
    [
      "src/extract/a.ts",
      'import { spawn } from "node:child_process";',
      "extract is pure and must not import node:child_process",
    ],
    ["src/archive/a.ts", 'import process from "node:process";', "imports node:process"],
    ["src/cli/a.ts", 'import { x } from "../../test/x.ts";', "imports test/x.ts, which is outside src"],
    ["src/cli/a.ts", "await import(name);", "imports what only a run can tell"],
    ["src/other/a.ts", 'import { b } from "./b.ts";', "is in no folder that the list of layers has"],
    ["src/redact/a.ts", "const b = process.env;", "uses process, which is to be passed in"],
    ["src/redact/a.ts", "globalThis.process.exit();", "uses process, which is to be passed in"],
    ["src/redact/a.ts", "const b = Date.now();", "uses Date.now, which is to be passed in"],
    ["src/redact/a.ts", "const b = new Date();", "uses new Date(), which is to be passed in"],
    ["src/redact/a.ts", "const b = Date();", "uses Date(), which is to be passed in"],
    ["src/archive/a.ts", "const b = Math.random();", "uses Math.random, which is to be passed in"],
    ["src/archive/a.ts", "console.log(1);", "uses console, which is to be passed in"],
    ["src/archive/a.ts", "Deno.cwd();", "uses Deno, which is to be passed in"],
    ["src/archive/a.ts", "os.homedir();", "uses os.homedir, which is to be passed in"],
    [
      "src/archive/a.ts",
      'import { homedir } from "node:os"; homedir();',
      "uses homedir, which is to be passed in",
    ],
    ...[
      'if (agent === "claude") run();',
      'switch (agent) { case "claude": run(); }',
      'const names = ["claude"];',
      "const table = { claude: 1 };",
      'const table = { "claude": 1 };',
      "type Table = { claude: 1 };",
      'type Name = "claude";',
      'const session = { agent: "claude" };',
      'const row = table["claude"];',
    ].map((text): [string, string, string] => [
      "src/cli/a.ts",
      text,
      'knows "claude" by name: what differs between agents belongs into src/agents',
    ]),
  ])("finds in %s with %j: %s", (path, text, what) => {
    expect(judgeSource(path, text)).toEqual([`${path}:1: ${what}`]);
  });

  test("finds a file that is too long", () => {
    expect(judgeSource("src/redact/a.ts", "\n".repeat(451))).toEqual([
      "src/redact/a.ts:451: is longer than 450 lines",
    ]);
  });
});

describe("docs/ARCHITECTURE.md", () => {
  const text = readFileSync(`${root}docs/ARCHITECTURE.md`, "utf8");
  const paths = [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)].map(([, path = ""]) => path);

  test("names only files that exist", () => {
    expect(paths.length).toBeGreaterThan(20);
    const all = [
      ...sources,
      ...readdirSync(`${root}test`, { recursive: true, encoding: "utf8" }).map((path) => `test/${path}`),
    ];
    const missing = paths.filter(
      (path) => !all.some((source) => source === path || source.endsWith(`/${path}`)),
    );
    expect(missing).toEqual([]);
  });
});
