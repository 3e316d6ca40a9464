import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type History, openHistory } from "../../src/index.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { claudeFolder } from "../support/archive/log-home.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";
import { CALLS, putOld } from "../support/shrink/two-stores.ts";

const NOW_MS = Date.UTC(2026, 10, 17);

interface Ground {
  readonly world: TestWorld;
  readonly history: History;
  /** One id in two projects: the log of b is the newer one. */
  readonly a: string;
  readonly b: string;
}

async function ground(): Promise<Ground> {
  const world = makeWorld({ nowMs: NOW_MS });
  const at = (project: string): string =>
    join(world.home, ".claude", "projects", claudeFolder(project), `${TOOL_SESSION}.jsonl`);
  const [a, b] = [at("/home/ana/shop"), at("/home/ana/copy")];
  putOld(a, toolLog(CALLS));
  putOld(b, toolLog(CALLS, "/home/ana/copy"));
  fs.utimesSync(b, NOW_MS / 1000 - 3600, NOW_MS / 1000 - 3600);
  const env = world.variables;
  const history = await openHistory({ home: world.home, env, now: world.now, disk: quickDisk });
  return { world, history, a, b };
}

const read = (path: string): string => fs.readFileSync(path, "utf8");
/** What a command prints as JSON. */
async function ask(world: TestWorld, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const before = world.out().length;
  await run([...args, "--json"], world);
  return JSON.parse(world.out().slice(before));
}
async function say(world: TestWorld, ...args: readonly string[]): Promise<string> {
  const before = world.out().length;
  await run(args, world);
  return world.out().slice(before);
}

describe("the library, with one id in two files", () => {
  test.each(["compact", "flatten", "unflatten"] as const)(
    "refuses to %s what select() took among several, unless it was named by its path",
    async (verb) => {
      const { history, a, b } = await ground();
      const before = [read(a), read(b)];
      const [chosen] = await history.select(TOOL_SESSION);
      if (chosen === undefined) throw new Error("Nothing is selected");
      await expect(history[verb](chosen)).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(a),
      });
      expect([read(a), read(b)]).toEqual(before);
      const [named] = await history.select(a);
      if (named === undefined) throw new Error("Nothing is selected");
      expect(await history[verb](named)).toMatchObject({ source: a, otherCopies: [b] });
      expect(read(b)).toBe(before[1]);
    },
  );

  test("takes the only file of an id whose other copy is gone", async () => {
    const { history, a, b } = await ground();
    await history.archive();
    fs.rmSync(b);
    const [left] = await history.select(TOOL_SESSION);
    if (left === undefined) throw new Error("Nothing is selected");
    expect(await history.flatten(left)).toMatchObject({ source: a, otherCopies: [b] });
  });
});

describe("--all-copies", () => {
  test("compacts each log, by its own plan", async () => {
    const { world, a, b } = await ground();
    const before = [read(a), read(b)];
    const args = ["compact", TOOL_SESSION, "--aggressive", "--keep", "0"];
    expect(await run(args, world)).toBe(2);
    const { sessions, problems } = await ask(world, ...args, "--all-copies");
    expect(problems).toEqual([]);
    expect(sessions).toMatchObject([
      { source: b, otherCopies: [a] },
      { source: a, otherCopies: [b] },
    ]);
    expect([read(a) === before[0], read(b) === before[1]]).toEqual([false, false]);
  });

  test("leaves copies out that only the archive has", async () => {
    const { world, history, a, b } = await ground();
    await history.archive();
    fs.rmSync(b);
    for (const verb of ["flatten", "unflatten"]) {
      const { sessions, problems } = await ask(world, verb, TOOL_SESSION, "--all-copies");
      expect([sessions, problems]).toMatchObject([[{ source: a }], []]);
    }
  });
});

describe("what commands tell to do next", () => {
  /** The command after some words on a line of its own. */
  const commandAfter = (words: string, text: string): readonly string[] => {
    const [, line = ""] = text.split(words);
    return line.split("\n")[0]?.replaceAll("'", "").trim().split(" ") ?? [];
  };

  test("names the log by its path if others have its id", async () => {
    const { world, a, b } = await ground();
    const before = [read(a), read(b)];
    const compacted = await say(world, "compact", a, "--aggressive", "--keep", "0");
    expect(await run(commandAfter("archived: sessions ", compacted), world)).toBe(0);
    expect([read(a), read(b)]).toEqual(before);
    const forgotten = await say(world, "forget", a, "--yes");
    await run(["forget", b, "--yes"], world);
    expect(await run(commandAfter("within a week: sessions ", forgotten), world)).toBe(0);
    expect(await ask(world, "show", TOOL_SESSION)).toMatchObject({ source: a, copies: 1 });
  });

  test("takes all copies back that were forgotten together", async () => {
    const { world } = await ground();
    const forgotten = await say(world, "forget", TOOL_SESSION, "--all-copies", "--yes");
    expect(await run(commandAfter("within a week: sessions ", forgotten), world)).toBe(0);
    expect(await ask(world, "show", TOOL_SESSION)).toMatchObject({ copies: 2 });
  });
});
