import { Buffer } from "node:buffer";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const ID = "0b8ec0de-0000-4000-8000-000000000000";
const demo = fileURLToPath(new URL("../../fixtures/demo", import.meta.url));
const FOLDER = ".claude/projects/-home-ana-shop";

function worldWithLog(bytes: Uint8Array): TestWorld {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12) });
  const folder = join(world.home, FOLDER);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${ID}.jsonl`), bytes);
  return world;
}

const request = (number: number, content: string): Buffer =>
  Buffer.from(
    `${JSON.stringify({
      type: "user",
      uuid: `u${number}`,
      parentUuid: number === 1 ? null : `u${number - 1}`,
      sessionId: ID,
      cwd: "/home/ana/shop",
      timestamp: `2026-11-16T08:00:0${number}.000Z`,
      message: { role: "user", content },
    })}\n`,
  );

/** No line of it is text. */
const noise = Buffer.from(
  Array.from({ length: 5_000 }, (_, i) => (i % 50 === 49 ? 10 : 0x80 + ((i * 7) % 64))),
);

test.each([
  ["zeros and the end of a line", Buffer.concat([Buffer.alloc(100_000), Buffer.from('"}}\n')])],
  ["noise", Buffer.concat(Array.from({ length: 20 }, () => noise))],
])("a log that starts with %s is found by what comes after it, and the rest is named", async (_, damage) => {
  const world = worldWithLog(
    Buffer.concat([damage, request(1, "Moor the brigantine"), request(2, "Count the barrels")]),
  );
  expect(await run(["search", "barrels", "--json"], world)).toBe(0);
  expect(JSON.parse(world.out())).toMatchObject({ total: 1, hits: [{ sessionId: ID }] });
  expect(await run(["index"], world)).toBe(3);
  expect(world.err()).toContain(`${ID}.jsonl:1: not JSON`);
});

const torn = Buffer.from(`{"type":"user","message":{"role":"user","content":"${"x".repeat(100_000)}\n`);

test.each([
  ["zeros", Buffer.concat([Buffer.alloc(100_000), Buffer.from("\n")])],
  ["noise", Buffer.concat(Array.from({ length: 20 }, () => noise))],
  ["a torn line that is longer than what is looked at", torn],
  ["many lines of text", Buffer.from("not a log\n".repeat(7_000))],
])("the logs of every agent are found after %s, under their own names", async (_, damage) => {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12) });
  cpSync(demo, world.home, { recursive: true });
  const sessions = async (): Promise<readonly string[]> => {
    const before = world.out().length;
    await run(["list", "--limit", "100", "--json"], world);
    const { sessions: rows } = JSON.parse(world.out().slice(before));
    return rows
      .map(({ agent, sessionId }: Readonly<Record<string, string>>) => `${agent} ${sessionId}`)
      .sort();
  };
  const whole = await sessions();
  expect(new Set(whole.map((name) => name.split(" ")[0]))).toEqual(
    new Set(["claude", "pi", "claw", "codex"]),
  );
  for (const name of readdirSync(world.home, { recursive: true, encoding: "utf8" })) {
    const path = join(world.home, name);
    if (!path.endsWith(".jsonl") || path.includes("subagents")) continue;
    writeFileSync(path, Buffer.concat([damage, readFileSync(path)]));
  }
  rmSync(join(world.home, ".sessions"), { recursive: true, force: true });
  expect(await sessions()).toEqual(whole);
});

test.each([
  ["pi", ".pi/agent/sessions/--x--/2026-10-01T10-00-00-000Z_one.jsonl"],
  [
    "codex",
    ".codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-0b8ec0de-0000-4000-8000-000000000000.jsonl",
  ],
  ["claw", ".claw/sessions/session-1790000000000-0.jsonl"],
])("noise among the logs of %s is named", async (_, path) => {
  const world = worldWithLog(request(1, "Count the barrels"));
  mkdirSync(dirname(join(world.home, path)), { recursive: true });
  writeFileSync(join(world.home, path), noise);
  expect(await run(["index"], world)).toBe(3);
  expect(world.err()).toContain(`${basename(path)}:1: not JSON`);
});

test("zeros that a power cut left before a whole line are no damage", async () => {
  const world = worldWithLog(Buffer.concat([Buffer.alloc(100_000), request(1, "Count the barrels")]));
  expect(await run(["search", "barrels"], world)).toBe(0);
  expect(await run(["index"], world)).toBe(0);
});

test("a log of noise alone is named in one line, and again by doctor", async () => {
  const world = worldWithLog(noise);
  expect(await run(["index"], world)).toBe(3);
  expect(world.err()).toBe(
    `${join(world.home, FOLDER, ID)}.jsonl:1: not JSON (and more lines of this file)\n`,
  );
  expect(await run(["search", "barrels"], world)).toBe(1);
  expect(await run(["doctor"], world)).not.toBe(0);
  expect(world.out()).toMatch(/note +logs +\d+ lines can't be read/);
});

test("a text that is no log of an agent is no session, and no damage", async () => {
  const world = worldWithLog(Buffer.from("Überall Löwen\n<html>\n"));
  expect(await run(["index"], world)).toBe(0);
  expect(world.err()).toBe("");
  expect(world.out()).toContain("no sessions read; the index is empty\n");
});
