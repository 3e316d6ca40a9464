import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { makeWorld } from "../support/make-world.ts";
import { bundle, runBundle } from "../support/run-bundle.ts";

const demoLog = fileURLToPath(
  new URL(
    "../../fixtures/demo/.claude/projects/-home-ana-shop/87f01b2f-1b5d-461b-8db4-95cd4ce864a4.jsonl",
    import.meta.url,
  ),
);

/** A home with one session, maybe with an empty store. */
function makeHome(hasStore: boolean): string {
  const { home } = makeWorld();
  const project = join(home, ".claude/projects/-home-ana-shop");
  mkdirSync(project, { recursive: true });
  cpSync(demoLog, join(project, basename(demoLog)));
  if (hasStore) mkdirSync(join(home, ".sessions"));
  return home;
}

const cacheOf = (home: string): string => join(home, ".sessions", "cache");

/** Names of the code that is kept, without the engine. */
function codeIn(home: string): readonly string[] {
  if (!existsSync(cacheOf(home))) return [];
  return readdirSync(cacheOf(home))
    .filter((name) => name.startsWith("code."))
    .map((name) => name.split(".").slice(0, 3).join("."))
    .toSorted();
}

function pathOfCode(home: string): string {
  const name = readdirSync(cacheOf(home)).find((each) => each.startsWith("code."));
  return join(cacheOf(home), name ?? "");
}

/** A copy of the program, to take something out of it. */
function copyProgram(home: string): string {
  const folder = join(home, "program", "dist");
  cpSync(dirname(bundle), folder, { recursive: true });
  return folder;
}

// Deno keeps code by itself.
describe.skipIf(process.versions.deno !== undefined)("the code that V8 compiled", () => {
  test("is kept for the next run of the same command if there is a store", async () => {
    const home = makeHome(false);
    const first = await runBundle(["version"], { home });
    expect(codeIn(home)).toEqual([]);
    mkdirSync(join(home, ".sessions"));
    expect(await runBundle(["version"], { home })).toEqual(first);
    expect(codeIn(home)).toEqual(["code.main.version"]);
    expect(statSync(cacheOf(home)).mode & 0o777).toBe(0o700);
    expect(statSync(pathOfCode(home)).mode & 0o777).toBe(0o600);
    const { ino } = statSync(pathOfCode(home));
    expect(await runBundle(["version"], { home })).toEqual(first);
    expect(statSync(pathOfCode(home)).ino).toBe(ino);
  });

  test("is kept of a search that found something, and of each hook by itself", async () => {
    const home = makeHome(true);
    expect(await runBundle(["search", "zuzuzuzu"], { home })).toMatchObject({ code: 1 });
    expect(codeIn(home)).toEqual([]);
    expect(await runBundle(["search", "token"], { home })).toMatchObject({ code: 0, err: "" });
    expect(codeIn(home)).toEqual(["code.search.search"]);
    expect(await runBundle(["search", "--help"], { home })).toMatchObject({ code: 0, err: "" });
    expect(codeIn(home)).toEqual(["code.main.search", "code.search.search"]);
    await runBundle(["hook", "session-end"], { home, input: "{}" });
    expect(codeIn(home)).toContain("code.main.hook-session-end");
  });

  test("is not kept of what is no command", async () => {
    const home = makeHome(true);
    expect(await runBundle(["versoin"], { home })).toMatchObject({ code: 2 });
    expect(await runBundle(["../x"], { home })).toMatchObject({ code: 2 });
    expect(codeIn(home)).toEqual([]);
  });

  test("is kept again if it is damaged, of another program, or refused by V8", async () => {
    const home = makeHome(true);
    const first = await runBundle(["version"], { home });
    const path = pathOfCode(home);
    const good = readFileSync(path);
    const sealed = (change: (content: Buffer) => void): Buffer => {
      const bytes = Buffer.from(good);
      change(bytes.subarray(4));
      bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
      return bytes;
    };
    for (const bad of [
      Buffer.alloc(0),
      good.subarray(0, 1_000),
      Buffer.alloc(good.length, 7),
      sealed((content) => content.fill(7, 0, 4)),
      sealed((content) => content.fill(7, 4)),
    ]) {
      writeFileSync(path, bad);
      expect(await runBundle(["version"], { home })).toEqual(first);
      expect(readFileSync(path)).not.toEqual(bad);
    }
  });

  test("is kept again after a day, and unused code is removed after two months", async () => {
    const home = makeHome(true);
    await runBundle(["version"], { home });
    const path = pathOfCode(home);
    const daysAgo = (days: number): number => Date.now() / 1000 - days * 86_400;
    const left = join(cacheOf(home), "code.search.0123456789abcdef.program.v20.0.0-x64");
    writeFileSync(left, "");
    utimesSync(left, daysAgo(61), daysAgo(61));
    utimesSync(path, daysAgo(2), daysAgo(2));
    const { ino } = statSync(path);
    await runBundle(["version"], { home });
    expect(statSync(path).ino).not.toBe(ino);
    expect(existsSync(left)).toBe(false);
  });

  test.each([
    ["can be written by others", (cache: string) => chmodSync(cache, 0o777)],
    [
      "is a link",
      (cache: string) => {
        renameSync(cache, `${cache}-of-somebody`);
        symlinkSync(`${cache}-of-somebody`, cache);
      },
    ],
  ])("is neither used nor kept if its folder %s", async (_, change) => {
    const home = makeHome(true);
    const first = await runBundle(["version"], { home });
    const path = pathOfCode(home);
    change(cacheOf(home));
    // It is valid in every way, and says another version.
    const forged = Buffer.from(
      readFileSync(path).toString("latin1").replaceAll(first.out.trim(), "6.6.6"),
      "latin1",
    );
    forged.writeUInt32LE(crc32(forged.subarray(4)), 0);
    writeFileSync(path, forged);
    expect(await runBundle(["version"], { home })).toEqual(first);
    expect(readFileSync(path)).toEqual(forged);
  });

  test("does not matter if its folder can't be made, or the store is newer", async () => {
    const home = makeHome(true);
    writeFileSync(cacheOf(home), "");
    expect(await runBundle(["version"], { home })).toMatchObject({ code: 0, err: "" });
    rmSync(cacheOf(home));
    writeFileSync(join(home, ".sessions", "version.json"), '{"version":99}\n');
    expect(await runBundle(["version"], { home })).toMatchObject({ code: 0, err: "" });
    expect(existsSync(cacheOf(home))).toBe(false);
  });
});

describe("the launcher", () => {
  // V8 would keep the whole text of the bundle in two bytes per character.
  test("finds only ASCII in the bundle of a search", () => {
    const text = readFileSync(join(dirname(bundle), "search.cjs"), "latin1");
    expect(text.match(/.{0,40}[^\0-\x7f]+/g)).toBeNull();
  });

  test("runs a search without the rest of the program, also if a log has changed", async () => {
    const home = makeHome(true);
    const folder = copyProgram(home);
    const program = join(folder, "sessions.cjs");
    rmSync(join(folder, "main.cjs"));
    const search = (...args: readonly string[]): ReturnType<typeof runBundle> =>
      runBundle(["search", ...args], { home, program });
    expect(await search("token")).toMatchObject({ code: 0, err: "" });
    expect(await search("token", "--json")).toMatchObject({ code: 0, err: "" });
    expect(await search("zuzuzuzu")).toMatchObject({ code: 1, out: "" });
    const log = join(home, ".claude/projects/-home-ana-shop", basename(demoLog));
    const line = { type: "user", uuid: "u", sessionId: "87f01b2f-1b5d-461b-8db4-95cd4ce864a4", cwd: "/x" };
    const more = { ...line, message: { role: "user", content: "a word like quokka" } };
    writeFileSync(log, `${JSON.stringify({ ...more, timestamp: "2026-11-16T08:00:00.000Z" })}\n`, {
      flag: "a",
    });
    expect(await search("quokka")).toMatchObject({ code: 0, out: expect.stringContaining("quokka") });
    expect(await search("--help")).toMatchObject({ code: 5, out: "" });
  });

  test.each([
    ["wrong flags", ["search", "--nonsense"], ""],
    ["help", ["search", "token", "--help"], ""],
    ["queries from stdin", ["search", "--batch"], "token\nzuzuzuzu\n"],
    ["a search for nothing", ["search", "..."], ""],
    ["warnings", ["search", "token", "sicne:7d"], ""],
    ["flags before the command", ["--json", "search", "token"], ""],
  ])("answers %s as the main bundle does, once", async (_, args, input) => {
    const home = makeHome(true);
    const folder = copyProgram(home);
    const program = join(folder, "sessions.cjs");
    await runBundle(["index"], { home, program });
    const withoutTime = ({ out, ...rest }: Awaited<ReturnType<typeof runBundle>>): object => ({
      ...rest,
      out: out.replace(/"tookMs":\d+/g, ""),
    });
    const run = withoutTime(await runBundle(args, { home, program, input }));
    cpSync(join(folder, "main.cjs"), join(folder, "search.cjs"));
    expect(withoutTime(await runBundle(args, { home, program, input }))).toEqual(run);
  });

  test.each([
    ["search", 5],
    ["list", 5],
    ["hook", 0],
  ])("says what is wrong if its bundles are missing (%s)", async (command, code) => {
    const { home } = makeWorld();
    const program = join(home, "sessions.cjs");
    cpSync(bundle, program);
    const run = await runBundle([command, "x"], { home, program });
    expect(run).toMatchObject({ code, out: "" });
    expect(run.err).toMatch(
      /^sessions: Cannot use ".*\.cjs": it is missing\nhint: try again; if that does not help, install [^\n]+\n$/,
    );
  });

  // Deno itself does not start there.
  test.skipIf(process.versions.deno !== undefined)("works in a folder that was removed", () => {
    const home = makeHome(true);
    const run = (args: readonly string[], input = ""): { status: number | null; out: string } => {
      const folder = join(home, "tree");
      mkdirSync(folder);
      const { status, stdout, stderr } = spawnSync(
        "/bin/sh",
        ["-c", 'rmdir "$PWD" && exec "$@"', "sh", process.execPath, bundle, ...args],
        {
          cwd: folder,
          env: { PATH: process.env.PATH, HOME: home, SESSIONS_GUARD: "off" },
          input,
          encoding: "utf8",
        },
      );
      return { status, out: stdout + stderr };
    };
    const id = basename(demoLog, ".jsonl");
    const transcript = join(home, ".claude/projects/-home-ana-shop", basename(demoLog));
    const event = {
      hook_event_name: "PreCompact",
      session_id: id,
      transcript_path: transcript,
      cwd: join(home, "tree"),
    };
    expect(run(["hook", "pre-compact"], JSON.stringify(event))).toEqual({ status: 0, out: "" });
    expect(existsSync(join(home, ".sessions", "raw", "claude", id))).toBe(true);
    expect(run(["list", "-q"])).toEqual({ status: 0, out: expect.stringContaining(id) });
    expect(run(["search", "token", "-q"])).toEqual({ status: 0, out: expect.stringContaining(id) });
  });
});
