import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../../support/make-world.ts";
import { packWithoutCompression } from "../../support/pack-zstd.ts";

/*
 * In its paginated mode Codex writes into the log of a fork only what is new. The header names the thread that it goes on
 * from, and how many bytes of that thread's log come before.
 */

const BASE = "01a1eee5-d51b-75e3-a82c-0a121c303eed";
const FORK = "01a1eee5-d8b6-7502-9d95-a29856a8f3b5";
const FORK_OF_FORK = "01a1f5f5-d8b6-7502-9d95-a29856a8f3b6";

interface Head {
  readonly id: string;
  readonly base?: { readonly id: string; readonly bytes: number };
}

function header({ id, base }: Head): object {
  const history = base && { thread_id: base.id, end_ordinal_exclusive: 9, end_byte_offset: base.bytes };
  const payload = { id, cwd: "/work/shop", ...(base && { forked_from_id: base.id, history_base: history }) };
  return { timestamp: "2026-11-18T13:43:22.000Z", type: "session_meta", payload };
}

function said(minute: number, asked: string, answered: string): readonly object[] {
  const timestamp = `2026-11-18T13:${minute}:00.000Z`;
  const message = (role: string, type: string, text: string): object => ({
    timestamp,
    type: "response_item",
    payload: { type: "message", role, content: [{ type, text }] },
  });
  return [message("user", "input_text", asked), message("assistant", "output_text", answered)];
}

const textOf = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

function put({ home }: TestWorld, day: string, id: string, text: string): string {
  const path = join(home, ".codex/sessions", day, `rollout-2026-11-18T13-43-22-${id}.jsonl`);
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
  return path;
}

interface Forks {
  readonly world: TestWorld;
  readonly base: string;
}

/** A thread that went on after it was forked, its fork of the next day, and a fork of that. */
function makeForks(): Forks {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 20) });
  const shared = textOf([header({ id: BASE }), ...said(44, "the flux capacitor", "1.21 gigawatts")]);
  const base = put(world, "2026/11/18", BASE, shared + textOf(said(50, "only in the base", "yes")));
  const fork = textOf([
    header({ id: FORK, base: { id: BASE, bytes: shared.length } }),
    ...said(51, "and in a fork?", "there too"),
  ]);
  put(world, "2026/11/19", FORK, fork);
  const last = header({ id: FORK_OF_FORK, base: { id: FORK, bytes: fork.length } });
  put(world, "2026/11/20", FORK_OF_FORK, textOf([last, ...said(52, "a fork of it?", "as well")]));
  return { world, base };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
async function ask(world: TestWorld, ...argv: readonly string[]): Promise<any> {
  const before = world.out().length;
  await run([...argv, "--json"], world);
  return JSON.parse(world.out().slice(before));
}

const requestsOf = async (world: TestWorld, id: string): Promise<readonly string[]> =>
  (await ask(world, "show", id)).requests.map(({ text }: { text: string }) => text);

test("a fork is shown from its beginning, up to where it was forked", async () => {
  const { world } = makeForks();
  expect(await requestsOf(world, FORK)).toEqual(["the flux capacitor", "and in a fork?"]);
  expect(await requestsOf(world, FORK_OF_FORK)).toEqual([
    "the flux capacitor",
    "and in a fork?",
    "a fork of it?",
  ]);
  expect(await requestsOf(world, BASE)).toEqual(["the flux capacitor", "only in the base"]);
  const { context } = await ask(world, "show", FORK, "--context");
  expect(context.map(({ text }: { text: string }) => text)).toEqual([
    "the flux capacitor",
    "1.21 gigawatts",
    "and in a fork?",
    "there too",
  ]);
  const full = await ask(world, "show", FORK_OF_FORK, "--full");
  expect(full.conversation.map(({ copiedFrom }: { copiedFrom: string | null }) => copiedFrom)).toEqual([
    BASE,
    FORK,
    null,
  ]);
});

test("a fork is found by what was said before it, and counted once", async () => {
  const { world } = makeForks();
  const { hits } = await ask(world, "search", "flux gigawatts");
  expect(hits.map(({ sessionId }: { sessionId: string }) => sessionId).sort()).toEqual(
    [BASE, FORK, FORK_OF_FORK].sort(),
  );
  expect(await ask(world, "search", "only in the base")).toMatchObject({
    total: 1,
    hits: [{ sessionId: BASE }],
  });
  expect((await ask(world, "stats")).total).toMatchObject({ turns: 4 });
});

test("the log that it goes on from may be packed, archived by Codex, or gone", async () => {
  const { world, base } = makeForks();
  fs.writeFileSync(`${base}.zst`, packWithoutCompression(fs.readFileSync(base)));
  fs.rmSync(base);
  expect(await requestsOf(world, FORK)).toEqual(["the flux capacitor", "and in a fork?"]);
  const archived = join(world.home, ".codex/archived_sessions", base.slice(base.lastIndexOf("/") + 1));
  fs.mkdirSync(dirname(archived));
  fs.renameSync(`${base}.zst`, `${archived}.zst`);
  expect(await requestsOf(world, FORK)).toEqual(["the flux capacitor", "and in a fork?"]);
  fs.rmSync(`${archived}.zst`);
  expect(await requestsOf(world, FORK)).toEqual(["and in a fork?"]);
});

test("the log that it goes on from is read from the archive if it is gone, and restored with it", async () => {
  const { world, base } = makeForks();
  const log = fs.readFileSync(base);
  await ask(world, "archive");
  const copy = async (): Promise<string> => fs.readFileSync((await ask(world, "show", FORK)).archive, "utf8");
  expect(await copy()).toContain("the flux capacitor");
  expect(await copy()).not.toContain("only in the base");
  fs.rmSync(base);
  expect(await requestsOf(world, FORK_OF_FORK)).toEqual([
    "the flux capacitor",
    "and in a fork?",
    "a fork of it?",
  ]);
  expect((await ask(world, "grep", "a fork of it")).hits).toMatchObject([{ turn: 3 }]);
  const forks = ["2026/11/19", "2026/11/20"].map((day) => join(world.home, ".codex/sessions", day));
  for (const folder of forks) fs.rmSync(folder, { recursive: true });
  expect(await requestsOf(world, FORK_OF_FORK)).toHaveLength(3);
  expect(await ask(world, "restore", FORK_OF_FORK, "--dry-run")).toMatchObject({
    sessions: [{ sessionId: BASE }, { sessionId: FORK }, { sessionId: FORK_OF_FORK }],
  });
  expect(await ask(world, "restore", FORK)).toMatchObject({
    sessions: [
      { sessionId: BASE, outcome: "restored" },
      { sessionId: FORK, outcome: "restored" },
    ],
  });
  expect(fs.readFileSync(base).equals(log)).toBe(true);
  expect((await ask(world, "restore", FORK)).sessions).toMatchObject([{ sessionId: FORK }]);
});

test("a fork whose beginning is nowhere says so", async () => {
  const { world, base } = makeForks();
  await ask(world, "archive", FORK);
  fs.rmSync(base);
  const what = `its beginning is missing: session ${BASE} is not here`;
  expect((await ask(world, "show", FORK)).problems).toMatchObject([{ line: 0, what }]);
  await run(["show", FORK], world);
  expect(world.err()).toContain(what);
  expect((await ask(world, "list")).coverage.problems).toBe(2);
  const { problems } = await ask(world, "doctor");
  expect(JSON.stringify(problems)).toContain(what);
  expect((await ask(world, "restore", FORK)).problems).toMatchObject([{ what }]);
});

test("logs that go on from each other in a circle are read", async () => {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 20) });
  for (const [id, other] of [
    [BASE, FORK],
    [FORK, BASE],
  ] as const)
    put(
      world,
      "2026/11/18",
      id,
      textOf([header({ id, base: { id: other, bytes: 10_000 } }), ...said(50, `said in ${id}`, "yes")]),
    );
  expect((await requestsOf(world, FORK)).at(-1)).toBe(`said in ${FORK}`);
});
