import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

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

function worldWithLog(): TestWorld {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12) });
  const folder = join(world.home, FOLDER);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${ID}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return world;
}

const FOLDER = ".claude/projects/-home-ana-shop";

async function search(world: TestWorld, ...words: readonly string[]): Promise<unknown> {
  const before = world.out().length;
  await run(["search", ...words, "--json"], world);
  return JSON.parse(world.out().slice(before));
}

test("shows the passage of tool output if the words are only there, from the archive too", async () => {
  const world = worldWithLog();
  const passage = { turn: 1, role: "output", text: expect.stringContaining("schooner Halcyon") };
  const hit = { sessionId: ID, snippets: [passage] };
  expect(await search(world, "schooner", "halcyon")).toMatchObject({ hits: [hit] });
  expect(await run(["archive"], world)).toBe(0);
  rmSync(join(world.home, FOLDER), { recursive: true });
  expect(await search(world, "schooner", "halcyon")).toMatchObject({ hits: [{ ...hit, state: "kept" }] });
});

test("finds a phrase of tool output, from the archive too", async () => {
  const world = worldWithLog();
  const found = { match: "all", total: 1, totalIsExact: true };
  const passage = { role: "output", text: "berth 7: schooner Halcyon berth 8: free", highlights: [[9, 25]] };
  const hits = [{ sessionId: ID, match: "all", snippets: [passage] }];
  expect(await search(world, '"schooner halcyon"')).toMatchObject({ ...found, hits });
  expect(await search(world, '"schooner halcyon"', "taken", "--sort", "newest")).toMatchObject(found);
  expect(await search(world, '"schooner halcyon"', "--offset", "1")).toMatchObject({ ...found, hits: [] });
  expect(await search(world, '"schooner halcyon"', '"places are taken"')).toMatchObject(found);
  expect(await search(world, '"halcyon schooner"')).toMatchObject({ match: "some" });
  expect(await search(world, '"schooner halcyon"', '"berth 9"')).toMatchObject({ match: "some" });
  expect(await run(["archive"], world)).toBe(0);
  rmSync(join(world.home, FOLDER), { recursive: true });
  expect(await search(world, '"schooner halcyon"')).toMatchObject({ ...found, hits: [{ state: "kept" }] });
});

test("a phrase does not run from one output into the next, but over a blank line", async () => {
  const world = worldWithLog();
  const log = join(world.home, FOLDER, `${ID}.jsonl`);
  const second = { ...call, id: "toolu_2" };
  const more = [
    { type: "assistant", ...place(4), message: { id: "m2", role: "assistant", content: [second] } },
    {
      type: "user",
      ...place(5),
      message: {
        role: "user",
        content: [{ ...result, tool_use_id: "toolu_2", content: "sloops are elsewhere\n\nbrigs as well" }],
      },
    },
  ];
  appendFileSync(log, more.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(await search(world, '"free sloops"')).toMatchObject({ match: "some" });
  expect(await search(world, '"elsewhere brigs"')).toMatchObject({
    match: "all",
    hits: [{ snippets: [{ text: expect.stringContaining("elsewhere brigs") }] }],
  });
  const near = await search(world, "free", "sloops");
  expect(JSON.stringify(near)).not.toContain("\\u001e");
});

test("show reports a session that only the index is left of", async () => {
  const world = worldWithLog();
  await search(world, "places");
  const folder = join(world.home, FOLDER);
  writeFileSync(join(folder, "0b8ec0de-1111-4000-8000-000000000000.jsonl"), `${JSON.stringify(lines[0])}\n`);
  rmSync(join(folder, `${ID}.jsonl`));
  expect(await search(world, "schooner")).toMatchObject({
    hits: [{ sessionId: ID, state: "kept", archive: null }],
  });
  expect(await run(["show", ID], world)).toBe(1);
  expect(world.err()).toContain(`Cannot show session ${ID}: its log is gone and it was not archived`);
  expect(await run(["show", "0b8ec0de-2222-4000-8000-000000000000"], world)).not.toBe(0);
  expect(world.err()).toContain("Cannot find a session");
  expect(await run(["forget", "0b8ec0de-2222-4000-8000-000000000000", "--yes"], world)).toBe(1);
  expect(await run(["forget", ID.slice(0, 12), "--yes"], world)).toBe(0);
  expect(world.out()).toMatch(/is forgotten\.\n$/);
  expect(await search(world, "schooner")).toMatchObject({ total: 0 });
  expect(await run(["forget", ID, "--yes"], world)).toBe(0);
});
