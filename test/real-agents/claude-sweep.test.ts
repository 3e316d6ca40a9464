import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type AgentHome, makeAgentHome } from "./support/agent-home.ts";
import { askClaude } from "./support/claude.ts";
import { isRecord, listOf } from "./support/fake-model.ts";

const DAY_MS = 86_400_000;

/** Copies of a session, by the days since they were last changed. */
function makeOld(log: string, id: string, ages: readonly number[]): ReadonlyMap<number, string> {
  return new Map(
    ages.map((days) => {
      const copy = `00000000-0000-4000-8000-${String(days).padStart(12, "0")}`;
      const path = join(dirname(log), `${copy}.jsonl`);
      writeFileSync(path, readFileSync(log, "utf8").replaceAll(id, copy));
      setAge(path, days);
      return [days, path];
    }),
  );
}

function setAge(path: string, days: number): void {
  const then = (Date.now() - days * DAY_MS) / 1_000;
  utimesSync(path, then, then);
}

/** The logs that the forecast says are gone after the next sweep. */
async function forecast(home: AgentHome): Promise<readonly string[]> {
  const { agents } = await home.json(["retention"]);
  const risky = listOf(agents).flatMap((agent) => (isRecord(agent) ? listOf(agent.atRisk) : []));
  return risky
    .filter((each) => isRecord(each) && Date.parse(String(each.deletedAfter)) <= Date.now())
    .map((each) => (isRecord(each) ? String(each.sessionId) : ""))
    .toSorted();
}

/** Runs Claude Code until it has swept: it does so some seconds after its start, and at most once a day. */
async function sweep(home: AgentHome): Promise<void> {
  const mark = join(home.home, ".claude", ".last-cleanup");
  rmSync(mark, { force: true });
  const words = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const { command, args, folder, env } = home.agentStart("claude", words);
  const child = spawn(command, args, { cwd: folder, env, stdio: ["pipe", "ignore", "ignore"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "hello" } })}\n`);
  await expect.poll(() => existsSync(mark)).toBe(true);
  child.stdin.end();
  await ended;
}

test("Claude Code deletes what the forecast says, nothing else, and nothing that was restored or is kept for ever", async () => {
  const home = await makeAgentHome();
  const { id, log } = await askClaude(home, "remember this");
  const old = makeOld(log, id, [20, 29, 31, 400]);
  const [young, nearly, due, ancient] = [...old.values()];
  if (young === undefined || nearly === undefined || due === undefined || ancient === undefined)
    throw new Error();
  await home.json(["archive"]);
  expect(await forecast(home)).toEqual([due, ancient].map((path) => basename(path, ".jsonl")).toSorted());

  await sweep(home);
  expect([...old.values()].filter((path) => existsSync(path))).toEqual([young, nearly]);

  await home.json(["restore", "--all", "--touch"]);
  expect(await forecast(home)).toEqual([]);
  await sweep(home);
  expect([...old.values()].filter((path) => !existsSync(path))).toEqual([]);

  for (const path of old.values()) setAge(path, 400);
  expect(await forecast(home)).toHaveLength(4);
  await home.json(["retention", "forever"]);
  expect(await forecast(home)).toEqual([]);
  await sweep(home);
  expect([...old.values()].filter((path) => !existsSync(path))).toEqual([]);
  expect(statSync(ancient).size).toBeGreaterThan(0);
});
