import { cpSync, existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type BundleSize, bundleSizes, SIZES_END, SIZES_START } from "../scripts/make-bundle-sizes.ts";
import { run } from "../src/cli/run.ts";
import { quickDisk } from "./crash/quick-disk.ts";
import { makeWorld, type TestWorld } from "./support/make-world.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const demo = join(root, "fixtures/demo");
const SESSION = "87f01b2f";
const LAST_USED = new Date(Date.UTC(2026, 10, 10));

/** The example history as somebody's own logs, so that commands that write can be run, too. */
function makeHome(): TestWorld {
  const world = { ...makeWorld({ nowMs: Date.UTC(2026, 10, 16) }), disk: quickDisk };
  cpSync(demo, world.home, { recursive: true });
  const logs = readdirSync(world.home, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.jsonl?$/.test(path),
  );
  // None of them is being written.
  for (const path of logs) utimesSync(join(world.home, path), LAST_USED, LAST_USED);
  return world;
}

/** Splits a line as a shell does. */
function wordsOf(line: string): readonly string[] {
  return Array.from(line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g), ([, a, b, c]) => a ?? b ?? c ?? "");
}

async function runLine(
  line: string,
  world: TestWorld,
): Promise<{ readonly code: number; readonly said: string }> {
  const [program, ...args] = wordsOf(line);
  expect(program).toBe("sessions");
  const from = [world.out().length, world.err().length] as const;
  const code = await run(args, world);
  return { code, said: world.out().slice(from[0]) + world.err().slice(from[1]) };
}

/** Commands that only say something is amiss in a home that is not set up, and those that need more than a pipe. */
const otherCodes: Readonly<Record<string, number>> = { "sessions doctor": 3 };

describe("docs/BENCHMARKS.md", () => {
  test("has the size of every bundle, not far from what it is (`npm run docs:sizes`)", () => {
    const text = readFileSync(join(root, "docs/BENCHMARKS.md"), "utf8");
    const table = text.slice(text.indexOf(SIZES_START), text.indexOf(SIZES_END));
    const written = new Map(
      Array.from(table.matchAll(/^\| `(.+?)` \| ([\d,]+) KB/gm), ([, file = "", kb = ""]) => [
        file,
        Number(kb.replaceAll(",", "")) * 1_000,
      ]),
    );
    const sizes = bundleSizes();
    expect([...written.keys()].sort()).toEqual(sizes.map(({ file }) => file).sort());
    // Every change of the sources changes them a little; small ones are rounded.
    const isFar = ({ file, bytes }: BundleSize): boolean =>
      Math.abs(bytes - (written.get(file) ?? 0)) > bytes * 0.15 + 1_000;
    expect(sizes.filter(isFar)).toEqual([]);
  });
});

describe("docs/GUIDE.md", () => {
  const guide = readFileSync(join(root, "docs/GUIDE.md"), "utf8");
  const lines = Array.from(guide.matchAll(/^```\n(.*?)^```$/gms), ([, block = ""]) =>
    block.trim().split("\n"),
  ).flat();

  test("has commands, and each of them answers, in the order of the page", async () => {
    expect(lines.length).toBeGreaterThan(20);
    const world = makeHome();
    for (const line of lines) {
      // In the folder of no project there is no newest session.
      const given = line.replace(/--project \.|\blast\b/, (word) => (word === "last" ? SESSION : ""));
      const { code, said } = await runLine(given, world);
      expect([line, code, said]).toEqual([line, otherCodes[line] ?? 0, expect.stringMatching(/\S/)]);
    }
    expect(existsSync(join(world.folder, "token-refresh.html"))).toBe(true);
    expect(existsSync(join(world.folder, "history/index.html"))).toBe(true);
  });
});

describe("README.md", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const rows = Array.from(
    readme.matchAll(/^\| .*? \| (`(?:sessions|claude)\b.*?) \|$/gm),
    ([, cell = ""]) => cell,
  );
  const lines = rows.flatMap((cell) =>
    Array.from(cell.matchAll(/`(sessions[^`]*)`/g), ([, line = ""]) => line),
  );

  /** What a table can't know, or what takes a terminal, a browser or another program: tested elsewhere. */
  const untested = [
    "sessions pick",
    "sessions serve --open",
    "sessions mcp",
    "sessions install",
    "sessions completion install",
  ];

  /** Commands that need another machine. */
  const elsewhere = /^sessions (?:remote|sync|push|pull)\b|--remote\b/;

  test("every command of its table answers", async () => {
    expect(lines.length).toBeGreaterThan(25);
    const world = makeHome();
    await run(["archive"], world);
    const isTested = (line: string): boolean => !untested.includes(line) && !elsewhere.test(line);
    for (const line of lines.filter(isTested)) {
      const given = line
        .replace("--project .", "")
        .replace(/\b(?:last|3f542803)\b/, SESSION)
        .replace(" --exec", "")
        .replace("toolu_01AbC", "toolu_019NYQF9Q5WJYbPshzvpvVpD");
      const { code, said } = await runLine(given, world);
      expect([line, [0, otherCodes[line] ?? 0].includes(code), said]).toEqual([
        line,
        true,
        expect.stringMatching(/\S/),
      ]);
    }
  });

  /** Commands that write sessions: without any they say so, and those that can say what they would do. */
  const needLogs: Readonly<Record<string, string | null>> = {
    "sessions flatten last": "sessions flatten last --dry-run",
    "sessions unflatten last": "sessions unflatten last --dry-run",
    "sessions resume last --exec": "sessions resume last",
    "sessions restore 87f01b2f": null,
  };

  test("every command of its table answers from the example history, or says that it can't", async () => {
    const world = { ...makeWorld({ nowMs: Date.UTC(2026, 10, 16) }), disk: quickDisk };
    const isTested = (line: string): boolean => !untested.includes(line) && !elsewhere.test(line);
    const more = ["sessions compact last --dry-run", "sessions flatten 87f01b2f --dry-run"];
    for (const line of [...lines.filter(isTested), ...more]) {
      const instead = needLogs[line];
      const { code, said } = await runLine(line, world);
      const isRight = instead === undefined ? [0, otherCodes[line] ?? 0].includes(code) : code === 1;
      expect([line, isRight, said]).toEqual([line, true, expect.stringMatching(/\S/)]);
      expect(said).not.toMatch(/nothing to do|would be moved out.*\b0 blocks/i);
      if (instead === undefined) continue;
      expect(said).toMatch(/no agent has sessions here yet|the archive is empty/);
      if (instead !== null) expect([instead, (await runLine(instead, world)).code]).toEqual([instead, 0]);
    }
    expect(existsSync(join(world.folder, "session.html"))).toBe(true);
    expect(existsSync(join(world.folder, "history/index.html"))).toBe(true);
    expect(Object.keys(needLogs).filter((line) => !lines.includes(line))).toEqual([]);
  });

  test("its pictures are there", () => {
    const pictures = Array.from(readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g), ([, path = ""]) => path);
    expect(pictures.length).toBeGreaterThan(3);
    for (const path of pictures) expect(existsSync(join(root, path)), path).toBe(true);
  });
});
