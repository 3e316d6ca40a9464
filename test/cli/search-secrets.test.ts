import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { findPlaces } from "../../src/fs/places.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const ID = "0b8ec0de-0000-4000-8000-000000000000";
// Put together here, so that no scanner takes this file for a leak.
const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8".slice(0, 36)}`;

const place = (number: number): object => ({
  uuid: `u${number}`,
  parentUuid: number === 1 ? null : `u${number - 1}`,
  sessionId: ID,
  cwd: "/home/ana/shop",
  timestamp: `2026-11-16T08:00:0${number}.000Z`,
});

const call = { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "./moor" } };
const result = {
  type: "tool_result",
  tool_use_id: "toolu_1",
  content: `moored by ${token} the schooner today`,
};
const request = `Moor the brigantine with ${token} for member 4711-Ana`;
const lines = [
  { type: "user", ...place(1), message: { role: "user", content: request } },
  { type: "assistant", ...place(2), message: { id: "m1", role: "assistant", content: [call] } },
  { type: "user", ...place(3), message: { role: "user", content: [result] } },
];

function harbour(): TestWorld {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12) });
  const log = join(world.home, ".claude/projects/-home-ana-shop", `${ID}.jsonl`);
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return world;
}

async function search(world: TestWorld, ...args: readonly string[]): Promise<string> {
  const before = world.out().length;
  expect(await run(["search", ...args], world)).toBe(0);
  return world.out().slice(before);
}

test.each([
  ["requests", "brigantine"],
  ["tool output", "schooner"],
])("masks secrets in passages of %s", async (_where, word) => {
  const world = harbour();
  for (const flags of [[], ["--json"]]) {
    const answer = await search(world, word, ...flags);
    expect(answer).toContain(word);
    expect(answer).toContain("[masked: github-token");
    expect(answer).not.toContain(token.slice(8));
  }
});

test("marks the words of masked tool output where they stand now", async () => {
  const { hits } = JSON.parse(await search(harbour(), "schooner", "--json"));
  const [{ text, highlights }] = hits[0].snippets;
  expect(highlights.map(([from, to]: [number, number]) => text.slice(from, to))).toEqual(["schooner"]);
});

test("a pattern that is newer than the index masks what the index has", async () => {
  const world = harbour();
  expect(await search(world, "brigantine", "--json")).toContain("4711-Ana");
  const { config } = findPlaces({ home: world.home, variables: world.variables, folder: world.folder });
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, '{"redact": ["[0-9]{4}-Ana"]}');
  const answer = await search(world, "brigantine", "--json");
  expect(answer).toContain("[masked: custom]");
  expect(answer).not.toContain("4711-Ana");
});
