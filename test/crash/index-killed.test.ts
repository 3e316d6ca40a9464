import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { sweepTempFiles } from "../../src/fs/sweep-temp-files.ts";
import { writeHome } from "../bench/support/write-logs.ts";
import { bundle, runBundle } from "../support/run-bundle.ts";
import { killAtRandom, randomFrom } from "./kill-at-random.ts";
import { bundleScript } from "./spawn-script.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SEED = 20_261;
/** How often each is killed. A process that ends before its time came halves the time for the next. */
const ROUNDS = 4;
const QUERIES = ["token refresh", "cache", "the", "migrat* deploy", "tokne", "cmd:git", '"the cache"'];

interface Home {
  readonly home: string;
  /** What a store answers to all queries, without what differs from run to run. */
  answers(store: string): Promise<readonly unknown[]>;
  append(text: string): void;
}

function makeHome(): Home {
  const home = join(temporaryFolder(), "home");
  writeHome(join(home, ".claude"), 1_500_000, SEED);
  const folder = join(home, ".claude", "projects");
  const logs = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl"))
    .sort();
  return {
    home,
    async answers(store) {
      const { code, out, err } = await runBundle(["search", "--batch", "--limit", "20"], {
        home,
        variables: { SESSIONS_HOME: store },
        input: `${QUERIES.join("\n")}\n`,
      });
      expect([code, err]).toEqual([0, ""]);
      return out
        .trimEnd()
        .split("\n")
        .map((line) => {
          const { tookMs: _, coverage, hits, ...answer } = JSON.parse(line);
          // Scores fall with time; the order of the hits stays.
          const unscored = hits.map((hit: object) => ({ ...hit, score: null }));
          return { ...answer, hits: unscored, coverage: { ...coverage, indexedAt: null } };
        });
    },
    append(text) {
      const line = { type: "user", uuid: text, parentUuid: null, timestamp: "2026-11-10T10:00:00Z" };
      const content = { message: { role: "user", content: text } };
      const path = join(folder, logs[0] ?? "");
      const [first = ""] = fs.readFileSync(path, "utf8").split("\n");
      const { sessionId, cwd } = JSON.parse(first);
      fs.appendFileSync(path, `${JSON.stringify({ ...line, sessionId, cwd, ...content })}\n`);
    },
  };
}

function start(args: readonly string[], home: string, store: string): ReturnType<typeof spawn> {
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A", "--quiet"];
  const env = { PATH: process.env.PATH, HOME: home, SESSIONS_HOME: store };
  return spawn(process.execPath, [...runtime, bundle, ...args], { env, stdio: "ignore" });
}

async function killed(
  args: readonly string[],
  home: string,
  store: string,
  afterMs: number,
): Promise<boolean> {
  const child = start(args, home, store);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const [, signal] = await once(child, "close");
  clearTimeout(timer);
  return signal === "SIGKILL";
}

/** Segments of the dead go with the next writer; their temp files with the sweep of an hour later. */
async function expectNoLeftovers(home: string, store: string): Promise<void> {
  await runBundle(["index", "--rebuild"], { home, variables: { SESSIONS_HOME: store } });
  const folder = join(store, "index");
  sweepTempFiles(nodeDisk, folder, { now: Number.MAX_SAFE_INTEGER });
  const left = fs.readdirSync(folder).filter((name) => name !== "manifest" && name !== "tails");
  expect(left).toEqual([expect.stringMatching(/\.seg$/)]);
}

describe("sessions index", () => {
  it("killed at any moment leaves a store that answers as a rebuilt one", async () => {
    const { home, answers, append } = makeHome();
    const store = join(home, "killed");
    const random = randomFrom(SEED);
    const startedAt = performance.now();
    expect(await answers(store)).toHaveLength(QUERIES.length);
    let withinMs = performance.now() - startedAt;
    for (let round = 0, kills = 0; kills < ROUNDS; round++) {
      append(`giraffe number ${round} by the token cache`);
      const args = round % 2 === 0 ? ["index", "--rebuild"] : ["index"];
      if (await killed(args, home, store, random() * withinMs)) kills++;
      else withinMs /= 2;
      expect(await answers(store)).toEqual(await answers(join(home, `fresh-${round}`)));
    }
    await expectNoLeftovers(home, store);
  });

  it("killed while its threads work leaves a store that answers as a rebuilt one", async () => {
    const { home, answers } = makeHome();
    const store = join(home, "threads");
    const expected = await answers(join(home, "without-threads"));
    const script = bundleScript("scripts/index-in-threads.ts");
    try {
      const startedAt = performance.now();
      const whole = await killAtRandom(script.path, [home, store, "3"], { seed: SEED, withinMs: 1e9 });
      let withinMs = performance.now() - startedAt;
      expect([whole.exitCode, whole.stderr]).toEqual([0, ""]);
      expect(whole.stdout).toMatch(/^begun\n[1-9]\d* sessions/);
      expect(await answers(store)).toEqual(expected);
      const pair = await killAtRandom(script.path, [home, store, "2"], { seed: SEED, withinMs: 1e9 });
      expect([pair.exitCode, pair.stderr, pair.stdout]).toEqual([0, "", whole.stdout]);
      expect(await answers(store)).toEqual(expected);
      for (let round = 0, kills = 0; kills < ROUNDS; round++) {
        const options = { seed: SEED + round, withinMs };
        // Two threads share the work by its kind, more by sessions.
        const threads = String(2 + (round % 2));
        if ((await killAtRandom(script.path, [home, store, threads], options)).killed) kills++;
        else withinMs /= 2;
        expect(await answers(store)).toEqual(expected);
      }
      await expectNoLeftovers(home, store);
    } finally {
      script.remove();
    }
  });

  it("by two processes at once is as good as by one", async () => {
    const { home, answers, append } = makeHome();
    const store = join(home, "shared");
    await answers(store);
    append("two giraffes at the token cache");
    const both = [start(["index", "--rebuild"], home, store), start(["index"], home, store)];
    const ended = await Promise.all([...both.map((child) => once(child, "close")), answers(store)]);
    expect(ended.slice(0, 2)).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(await answers(store)).toEqual(await answers(join(home, "alone")));
  });
});
