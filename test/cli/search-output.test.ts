import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld } from "../support/make-world.ts";

const ID = "0b8ec0de-0000-4000-8000-000000000000";

const place = (number: number): object => ({
  uuid: `u${number}`,
  parentUuid: number === 1 ? null : `u${number - 1}`,
  sessionId: ID,
  cwd: "/home/ana/shop",
  timestamp: `2026-11-16T08:00:0${number}.000Z`,
});

const call = { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "./list-berths" } };
const result = {
  type: "tool_result",
  tool_use_id: "toolu_1",
  content: "berth 7: schooner Halcyon\nberth 8: free",
};
const lines = [
  { type: "user", ...place(1), message: { role: "user", content: "Which places are taken?" } },
  { type: "assistant", ...place(2), message: { id: "m1", role: "assistant", content: [call] } },
  { type: "user", ...place(3), message: { role: "user", content: [result] } },
];

test("shows the passage of tool output where the words stand nowhere else, from the archive too", async () => {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12) });
  const folder = join(world.home, ".claude/projects/-home-ana-shop");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${ID}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const search = async (): Promise<unknown> => {
    const before = world.out().length;
    expect(await run(["search", "schooner", "halcyon", "--json"], world)).toBe(0);
    return JSON.parse(world.out().slice(before));
  };
  const passage = { turn: 1, role: "output", text: expect.stringContaining("schooner Halcyon") };
  expect(await search()).toMatchObject({ hits: [{ sessionId: ID, snippets: [passage] }] });
  expect(await run(["archive"], world)).toBe(0);
  rmSync(folder, { recursive: true });
  expect(await search()).toMatchObject({ hits: [{ sessionId: ID, state: "kept", snippets: [passage] }] });
});
