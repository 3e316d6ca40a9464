import { describe, expect, it } from "vitest";
import { commandRows } from "./command-rows.ts";
import { isWanted } from "./crash-options.ts";
import { type KillAt, type RealRun, type Role, runBesideGuard, runReal } from "./real-process.ts";
import { sweepRow, type WayToDie } from "./sweep-row.ts";
import type { Trial } from "./trial.ts";

type Run = (trial: Trial, kill: KillAt) => Promise<RealRun>;

/** Calls of the processes of a trial that nobody kills. They are counted once for all ways to die. */
const counted = new WeakMap<Trial, RealRun["calls"]>();

async function callsOf(trial: Trial): Promise<RealRun["calls"]> {
  const known = counted.get(trial);
  if (known !== undefined) return known;
  trial.reset();
  const { code, err, calls } = await runReal(trial);
  expect(code, err).not.toBeNull();
  counted.set(trial, calls);
  return calls;
}

const way = (name: string, role: Role, run: Run): WayToDie => ({
  name,
  sample: () => 1,
  calls: async (trial) => (await callsOf(trial))[role],
  die: async (trial, at) => {
    trial.reset();
    const { code, err, diedAt } = await run(trial, { role, at });
    if (code === 70) throw new Error(`the command ended with 70: ${err}`);
    try {
      await trial.recover();
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      throw new Error(`${diedAt ?? "nobody died"}: ${what}`, { cause: error });
    }
    return diedAt !== undefined;
  },
});

const ways: readonly WayToDie[] = [
  way("process", "command", runReal),
  way("guard", "guard", runReal),
  way("beside", "command", runBesideGuard),
];

// The shim is one for Node; what Deno's processes leave, `real-processes.test.ts` sees.
describe.skipIf("Deno" in globalThis)(
  "the bundle, killed at any call, with the guard in the background",
  () => {
    it.for(commandRows)("$name", { timeout: 3_600_000 }, async (row, { skip }) => {
      skip(!ways.some(({ name }) => isWanted(row.name, name)));
      await sweepRow(row, ways);
    });
  },
);
