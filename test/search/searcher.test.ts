import { appendFileSync, cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type History, openHistory } from "../../src/index.ts";
import { makeWorld, TEST_NOW_MS } from "../support/make-world.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo/", import.meta.url));
const SESSION = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";
const LOG = `.claude/projects/-home-ana-shop/${SESSION}.jsonl`;

interface Opened {
  readonly history: History;
  readonly home: string;
  readonly clock: { now: number };
}

async function open(folder = "/home/ana/shop/src"): Promise<Opened> {
  const { home } = makeWorld();
  cpSync(demo, home, { recursive: true });
  const clock = { now: TEST_NOW_MS };
  return { history: await openHistory({ home, env: {}, now: () => clock.now, folder }), home, clock };
}

function appendRequest({ home }: Opened, content: string): void {
  const message = { role: "user", content };
  const line = { type: "user", uuid: "u-new", sessionId: SESSION, cwd: "/home/ana/shop", message };
  appendFileSync(join(home, LOG), `${JSON.stringify({ ...line, timestamp: "2026-11-16T08:00:00.000Z" })}\n`);
}

describe("searcher()", () => {
  test("answers as search, list and pending do", async () => {
    const { history } = await open();
    const searcher = await history.searcher();
    const { coverage: _, ...found } = await searcher.search("token refresh", { limit: 5 });
    expect(found.hits.length).toBeGreaterThan(0);
    expect(await history.search("token refresh", { limit: 5 })).toMatchObject(found);
    expect((await searcher.list({ limit: 3 })).rows).toEqual((await history.list({ limit: 3 })).rows);
    expect(await searcher.pending(undefined)).toEqual(
      (await history.pending({ everywhere: true, folded: true })).sessions,
    );
    expect(await searcher.project()).toBe("/home/ana/shop");
    const [first] = (await searcher.list({ limit: 1 })).rows;
    if (first === undefined) throw new Error("There are no sessions");
    expect((await searcher.digest(first))?.id).toBe(first.digest.id);
    await searcher.close();
  });

  test("finds appended lines after a few seconds, or immediately on request", async () => {
    const opened = await open();
    const searcher = await opened.history.searcher();
    const total = async () => (await searcher.search("quokka")).total;
    appendRequest(opened, "a word like quokka");
    expect(await total()).toBe(0);
    opened.clock.now += 6_000;
    expect(await total()).toBe(1);
    appendRequest(opened, "and wombat");
    expect((await searcher.search("wombat")).total).toBe(0);
    searcher.expire();
    expect((await searcher.search("wombat")).total).toBe(1);
    await searcher.close();
  });

  test("answers questions that are asked at once while it opens the index again", async () => {
    const { history } = await open();
    const searcher = await history.searcher();
    const asked = Array.from({ length: 6 }, async () => {
      searcher.expire();
      return (await searcher.search("token refresh")).total;
    });
    const totals = await Promise.all(asked);
    expect(new Set(totals).size).toBe(1);
    await searcher.close();
  });

  test("rebuilds an index that is damaged between two answers", async () => {
    const { history, home } = await open();
    const searcher = await history.searcher();
    const { total } = await searcher.search("token refresh");
    const index = join(home, ".sessions", "index");
    for (const name of readdirSync(index, { recursive: true, encoding: "utf8" }))
      if (/seg|\.bin|\.idx/.test(name)) {
        rmSync(join(index, name), { recursive: true, force: true });
        writeFileSync(join(index, name), "damaged");
      }
    searcher.expire();
    expect((await searcher.search("token refresh")).total).toBe(total);
    await searcher.close();
  });
});
