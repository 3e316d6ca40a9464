import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type MakeWorldOptions, makeWorld, type TestWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const DAY_MS = 86_400_000;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
type Json = any;

const idOf = (number: number): string => `0000000${number}-0000-4000-8000-000000000000`;
const at = (day: number, minute: number): string =>
  new Date(NOW - day * DAY_MS + minute * 60_000).toISOString();

/** One reply with usage, as Claude Code writes it: each block on a line of its own, the first with a low count. */
function reply(
  name: string,
  parent: string,
  timestamp: string,
  model = "claude-opus-4-5-20251101",
): object[] {
  const usage = {
    input_tokens: 10,
    output_tokens: 100,
    cache_read_input_tokens: 1000,
    cache_creation_input_tokens: 200,
    cache_creation: { ephemeral_1h_input_tokens: 50, ephemeral_5m_input_tokens: 150 },
  };
  const message = { id: `msg_${name}_0000000000`, role: "assistant", model };
  const line = { type: "assistant", requestId: `req_${name}`, timestamp };
  const call = { type: "tool_use", id: `toolu_${name}`, name: "Bash", input: { command: "false" } };
  return [
    {
      ...line,
      uuid: `${name}-1`,
      parentUuid: parent,
      message: {
        ...message,
        usage: { ...usage, output_tokens: 1 },
        content: [{ type: "text", text: "So:" }],
      },
    },
    { ...line, uuid: `${name}-2`, parentUuid: `${name}-1`, message: { ...message, usage, content: [call] } },
  ];
}

const request = (name: string, parent: string | null, timestamp: string): object => ({
  type: "user",
  uuid: name,
  parentUuid: parent,
  timestamp,
  message: { role: "user", content: `Request ${name}` },
});

const result = (name: string, timestamp: string, isError: boolean): object => ({
  type: "user",
  uuid: `${name}-r`,
  parentUuid: `${name}-2`,
  timestamp,
  message: {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: `toolu_${name}`, content: "x", is_error: isError }],
  },
});

function write(world: TestWorld, number: number, lines: readonly object[], cwd = "/work/shop"): string {
  const folder = join(world.home, ".claude/projects", cwd.replaceAll("/", "-"));
  const path = join(folder, `${idOf(number)}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const shared = { sessionId: idOf(number), cwd, version: "2.1.169", isSidechain: false };
  writeFileSync(path, lines.map((line) => `${JSON.stringify({ ...shared, ...line })}\n`).join(""));
  return path;
}

/** One turn with a failed call on the 13th, one with a call that works on the 15th, with another model. */
const first = [request("u1", null, at(3, 0)), ...reply("m1", "u1", at(3, 1)), result("m1", at(3, 2), true)];
const second = [
  request("u2", "m1-r", at(1, 0)),
  ...reply("m2", "u2", at(1, 1), "claude-sonnet-4-5"),
  result("m2", at(1, 2), false),
];
const both = [...first, ...second];
const ONE = { inputTokens: 10, outputTokens: 100, cacheReadTokens: 1000, cacheWriteTokens: 200 };
const TWO = { inputTokens: 20, outputTokens: 200, cacheReadTokens: 2000, cacheWriteTokens: 400 };

async function stats(world: TestWorld, ...flags: readonly string[]): Promise<Json> {
  const before = world.out().length;
  expect(await run(["stats", "--json", ...flags], world)).toBe(0);
  return JSON.parse(world.out().slice(before));
}

const ground = (options: MakeWorldOptions = {}): TestWorld => makeWorld({ nowMs: NOW, ...options });

describe("sessions stats", () => {
  test("counts each message once, by day, project, agent and model", async () => {
    const world = ground();
    write(world, 1, both);
    const answer = await stats(world);
    expect(answer.total).toMatchObject({
      sessions: 1,
      turns: 2,
      messages: 2,
      toolCalls: 2,
      failures: 1,
      ...TWO,
      hourCacheWriteTokens: 100,
      tokens: 2620,
    });
    expect(answer.days).toMatchObject([
      { day: "2026-11-13", turns: 1, failures: 1, ...ONE },
      { day: "2026-11-15", turns: 1, failures: 0, ...ONE },
    ]);
    expect(answer.models).toMatchObject([
      { model: "claude-opus-4-5-20251101", sessions: 1, ...ONE },
      { model: "claude-sonnet-4-5", sessions: 1, ...ONE },
    ]);
    expect(answer.projects).toMatchObject([{ project: "/work/shop", name: "shop", ...TWO }]);
    expect(answer.agents).toMatchObject([{ agent: "claude", ...TWO }]);
    const plain = (key: string, value: unknown): unknown =>
      key === "indexedAt" ? new Date(NOW).toISOString() : value;
    await expect(`${JSON.stringify(answer, plain, 2)}\n`).toMatchFileSnapshot("./golden/stats.json");
  });

  test("costs what the tokens cost, also those in the cache for an hour", async () => {
    const world = ground();
    write(world, 1, first);
    const { total } = await stats(world);
    // Opus 4.5: 5 in, 25 out, 0.50 from the cache, 6.25 and 10 into it, for a million.
    expect(total.cost).toBeCloseTo((10 * 5 + 100 * 25 + 1000 * 0.5 + 150 * 6.25 + 50 * 10) / 1e6, 4);
  });

  test("takes prices from config.json, and names models without one", async () => {
    const world = ground();
    write(world, 1, [request("u1", null, at(3, 0)), ...reply("m1", "u1", at(3, 1), "other-model-2")]);
    expect(await stats(world)).toMatchObject({ total: { cost: null }, unpriced: ["other-model-2"] });
    const config = join(world.home, ".sessions/config.json");
    writeFileSync(
      config,
      JSON.stringify({
        prices: { "other-model": { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 } },
      }),
    );
    expect(await stats(world)).toMatchObject({ total: { cost: 0.01 }, unpriced: [] });
    writeFileSync(config, JSON.stringify({ prices: { "other-model": { input: "free", output: 0 } } }));
    expect(await run(["stats"], world)).toBe(5);
    expect(world.err()).toContain("prices.other-model.input must be a number");
  });

  test("counts forks and copies once, and what a fork adds", async () => {
    const world = ground();
    const original = write(world, 1, both);
    // A copy of the project has the same id; a fork has the same names of lines, another id, and one more turn.
    const copy = join(world.home, ".claude/projects/-work-copy", `${idOf(1)}.jsonl`);
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(original, copy);
    write(world, 2, [...both, request("u3", "m2-r", at(0, -60)), ...reply("m3", "u3", at(0, -59))]);
    const { total, days } = await stats(world);
    expect(total).toMatchObject({ sessions: 2, turns: 3, messages: 3, toolCalls: 3, failures: 1 });
    expect(total.inputTokens).toBe(30);
    expect(days).toMatchObject([{ turns: 1 }, { turns: 1 }, { day: "2026-11-16", turns: 1, ...ONE }]);
  });

  test("counts a fork with new names of lines once, by the names of its messages", async () => {
    const world = ground();
    write(world, 1, both);
    const renamed = JSON.parse(
      JSON.stringify(both).replace(/"(uuid|parentUuid)":"([\w-]+)"/g, '"$1":"x-$2"'),
    ).map((line: object) => ({ ...line, forkedFrom: { sessionId: idOf(1), messageUuid: "y" } }));
    write(world, 2, renamed);
    expect((await stats(world)).total).toMatchObject({
      sessions: 2,
      turns: 2,
      messages: 2,
      toolCalls: 2,
      ...TWO,
    });
  });

  test("counts sub-agents for their session, wherever their lines are", async () => {
    const world = ground();
    const path = write(world, 1, first);
    const agent = [
      { ...request("s1", null, at(3, 5)), isSidechain: true, agentId: "a1" },
      ...reply("sub", "s1", at(3, 6)).map((line) => ({ ...line, isSidechain: true, agentId: "a1" })),
    ].map((line) => ({ sessionId: idOf(1), cwd: "/work/shop", ...line }));
    const folder = join(path.replace(/\.jsonl$/, ""), "subagents");
    mkdirSync(folder, { recursive: true });
    const text = agent.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(join(folder, "agent-a1.jsonl"), text);
    const apart = await stats(world);
    expect(apart.total).toMatchObject({ sessions: 1, turns: 1, messages: 2, toolCalls: 2, ...TWO });
    // The same lines inside the log are the same messages.
    write(world, 1, [...first, ...agent]);
    expect((await stats(world)).total).toMatchObject({ sessions: 1, turns: 1, messages: 2, ...TWO });
  });

  test("still counts sessions whose logs are gone", async () => {
    const world = ground();
    const path = write(world, 1, both);
    expect(await run(["archive"], world)).toBe(0);
    const before = await stats(world);
    rmSync(path);
    expect((await stats(world)).total).toEqual(before.total);
    rmSync(join(world.home, ".sessions/index"), { recursive: true });
    expect((await stats(world)).total).toEqual(before.total);
  });

  test("takes filters; since and until are about the activity", async () => {
    const world = ground();
    write(world, 1, both);
    write(world, 2, [request("v1", null, at(1, 0)), ...reply("n1", "v1", at(1, 1))], "/work/notes");
    expect((await stats(world, "--since", "2d")).total).toMatchObject({ sessions: 2, turns: 2, messages: 2 });
    expect((await stats(world, "--until", "2026-11-13")).total).toMatchObject({ sessions: 1, failures: 1 });
    expect((await stats(world, "--project", "notes")).total).toMatchObject({ sessions: 1, messages: 1 });
    expect((await stats(world, "--agent", "pi")).total).toMatchObject({ sessions: 0, cost: null });
  });

  test("puts activity on local days", async () => {
    const world = ground({ offsetMinutes: 13 * 60 });
    write(world, 1, first);
    expect((await stats(world)).days).toMatchObject([{ day: "2026-11-14" }]);
  });

  test.each([50, 80, 120])("draws a heat map and bars in %i columns", async (columns) => {
    const world = ground({ columns });
    write(world, 1, both);
    expect(await run(["stats"], world)).toBe(0);
    const lines = world.out().split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(world.out()).toContain("1 session, 2 turns");
    expect(world.out()).toMatch(/^Fri .*[░▒▓█]$/m);
    expect(world.out()).toMatch(/^shop +█+ +2\.62 K +\$0\.0\d+/m);
    expect(world.out()).toMatch(/^claude-.*█/m);
  });

  test("shows one table whole with --by, and says if nothing matches", async () => {
    const world = ground();
    write(world, 1, both);
    expect(await run(["stats", "--by", "day"], world)).toBe(0);
    expect(world.out()).toMatch(/^2026-11-15 .*\n2026-11-13 /m);
    expect(world.out()).not.toContain("MODEL");
    expect(await run(["stats", "--since", "2027-01-01"], world)).toBe(0);
    expect(world.err()).toContain("No activity matches.");
  });
});
