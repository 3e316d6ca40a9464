import fs from "node:fs";
import { dirname, join } from "node:path";
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

describe("lists and searches, with one id in two files", () => {
  const ONLY_IN_B = "quixoticbanjo";
  /** A request that only the log of b has. */
  const grow = (b: string): void => {
    const line = {
      type: "user",
      uuid: "u-b",
      parentUuid: null,
      sessionId: TOOL_SESSION,
      cwd: "/home/ana/copy",
    };
    const message = { role: "user", content: `Now the ${ONLY_IN_B}` };
    fs.appendFileSync(b, `${JSON.stringify({ ...line, timestamp: "2026-10-20T09:00:00.000Z", message })}\n`);
    fs.utimesSync(b, NOW_MS / 1000 - 3600, NOW_MS / 1000 - 3600);
  };
  const sources = async (world: TestWorld, ...flags: readonly string[]): Promise<readonly unknown[]> => {
    const { sessions } = await ask(world, "list", ...flags);
    const { hits } = await ask(world, "search", "what there is", ...flags);
    return [sessions, hits].map((rows) =>
      (rows as { source: string; copies: number }[]).map(({ source, copies }) => [source, copies]),
    );
  };

  test("take the same log as show: that of this folder's project, else the newest", async () => {
    const { world, a, b } = await ground();
    const shown = async (from = world): Promise<unknown> => (await ask(from, "show", TOOL_SESSION)).source;
    expect([await shown(), ...(await sources(world))]).toEqual([b, [[b, 2]], [[b, 2]]]);
    fs.utimesSync(a, NOW_MS / 1000 - 60, NOW_MS / 1000 - 60);
    expect([await shown(), ...(await sources(world))]).toEqual([a, [[a, 2]], [[a, 2]]]);
    const inB = { ...world, folder: "/home/ana/copy/src" };
    expect([await shown(inB), ...(await sources(inB))]).toEqual([b, [[b, 2]], [[b, 2]]]);
  });

  test("find a log by the project that it is in, and name that one", async () => {
    const { world, a, b } = await ground();
    expect(await sources(world, "--project", "/home/ana/shop")).toEqual([[[a, 2]], [[a, 2]]]);
    expect(await sources(world, "--project", "/home/ana/copy")).toEqual([[[b, 2]], [[b, 2]]]);
    expect(await sources(world, "--project", "/home/ana/none")).toEqual([[], []]);
  });

  test("still find what only the archive has of a log, until that log is forgotten", async () => {
    const { world, history, a, b } = await ground();
    grow(b);
    const total = async (): Promise<readonly unknown[]> => {
      const { rows } = await history.list();
      const { hits } = await history.search(ONLY_IN_B);
      return [rows.map(({ copies, source }) => [copies, source]), hits.map(({ row }) => row.source)];
    };
    expect(await total()).toEqual([[[2, b]], [b]]);
    await history.archive();
    expect(await total()).toEqual([[[2, b]], [b]]);
    fs.rmSync(b);
    expect(await total()).toEqual([[[2, a]], [a]]);
    fs.appendFileSync(a, '{"type":"last-prompt","lastPrompt":"y"}\n');
    expect(await total()).toEqual([[[2, a]], [a]]);
    expect((await ask(world, "list", "--project", "/home/ana/copy")).total).toBe(1);
    await history.forget(b);
    expect(await total()).toEqual([[[1, a]], []]);
    await history.undoForget(b);
    expect(await total()).toEqual([[[2, a]], [a]]);
  });

  test("count a log once that was moved since it was archived", async () => {
    const { history, a, b } = await ground();
    await history.archive();
    await history.list();
    const moved = join(dirname(dirname(a)), "-renamed", `${TOOL_SESSION}.jsonl`);
    fs.renameSync(dirname(b), dirname(moved));
    const { rows } = await history.list();
    expect(rows.map(({ copies, source }) => [copies, source])).toEqual([[2, moved]]);
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

describe("the library, with a session of which only sub-agents' logs are left", () => {
  test("archives what was added to it, and restores it whole", async () => {
    const world = makeWorld({ nowMs: NOW_MS });
    const folder = join(world.home, ".claude/projects/-home-ana-shop");
    const log = join(folder, `${TOOL_SESSION}.jsonl`);
    putOld(log, toolLog(CALLS));
    const part = (id: string): string => join(folder, TOOL_SESSION, "subagents", `agent-${id}.jsonl`);
    const line = (id: string): string =>
      `${JSON.stringify({ type: "user", uuid: id, parentUuid: null, isSidechain: true, agentId: id, sessionId: TOOL_SESSION, cwd: "/home/ana/shop", timestamp: "2026-11-10T10:00:00Z", message: { role: "user", content: "Look for baobabs." } })}\n`;
    putOld(part("a1"), line("a1"));
    const history = await openHistory({
      home: world.home,
      env: world.variables,
      now: world.now,
      disk: quickDisk,
    });
    await history.archive();
    fs.rmSync(log);
    putOld(part("b2"), line("b2"));
    const { archived } = await history.archive(TOOL_SESSION);
    expect(archived.map(({ id, files }) => [id, files])).toEqual([[TOOL_SESSION, 3]]);
    expect(await history.session(TOOL_SESSION)).toMatchObject({ state: "kept", source: null });
    expect((await history.list()).rows.map(({ digest, state }) => [digest.id, state])).toEqual([
      [TOOL_SESSION, "kept"],
    ]);
    await history.restore(TOOL_SESSION);
    expect(read(log)).toBe(toolLog(CALLS));
    expect(await history.session(TOOL_SESSION)).toMatchObject({ source: log });
  });
});
