import { Buffer } from "node:buffer";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const ID = "0b8ec0de-0000-4000-8000-000000000000";
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
])("a log that begins with %s is found by what comes behind it, and the rest is named", async (_, damage) => {
  const world = worldWithLog(
    Buffer.concat([damage, request(1, "Moor the brigantine"), request(2, "Count the barrels")]),
  );
  expect(await run(["search", "barrels", "--json"], world)).toBe(0);
  expect(JSON.parse(world.out())).toMatchObject({ total: 1, hits: [{ sessionId: ID }] });
  expect(await run(["index"], world)).toBe(3);
  expect(world.err()).toContain(`${ID}.jsonl:1: not JSON`);
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
  expect(world.out()).toMatch(/bad +logs +\d+ places can't be read/);
});

test("a text that is no log of an agent is no session, and no damage", async () => {
  const world = worldWithLog(Buffer.from("Überall Löwen\n<html>\n"));
  expect(await run(["index"], world)).toBe(0);
  expect(world.err()).toBe("");
  expect(world.out()).toContain("no sessions read; the index is empty\n");
});
