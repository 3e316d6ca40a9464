import { describe, it, vi } from "vitest";
import { commandRows } from "./command-rows.ts";
import { isWanted } from "./crash-options.ts";
import { sweepRow, type WayToDie } from "./sweep-row.ts";

vi.mock("node:timers/promises", async (original) =>
  (await import("./no-waiting.ts")).withoutWaiting(await original()),
);

const ways: readonly WayToDie[] = (["contents-lost", "names-lost"] as const).map((name) => ({
  name,
  sample: ({ rewritesLog }) => (rewritesLog === true ? 3 : 1),
  die: (trial, at) => trial.die(name, at),
}));

// What a cut takes is worked out here, so it is the same on both runtimes.
describe.skipIf("Deno" in globalThis)("every command that writes, when the power is cut at any call", () => {
  it.for(commandRows)("$name", { timeout: 3_600_000 }, async (row, { skip }) => {
    skip(!ways.some(({ name }) => isWanted(row.name, name)));
    await sweepRow(row, ways);
  });
});
