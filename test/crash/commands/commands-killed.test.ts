import { describe, it, vi } from "vitest";
import { commandRows } from "./command-rows.ts";
import { isWanted } from "./crash-options.ts";
import { sweepRow, type WayToDie } from "./sweep-row.ts";

vi.mock("node:timers/promises", async (original) =>
  (await import("./no-waiting.ts")).withoutWaiting(await original()),
);

const ways: readonly WayToDie[] = [
  { name: "kill", sample: () => 3, die: (trial, at) => trial.die("kill", at) },
  { name: "EIO", sample: () => 1, die: (trial, at) => trial.die("EIO", at) },
  { name: "ENOSPC", sample: () => 1, die: (trial, at) => trial.die("ENOSPC", at) },
];

describe("every command that writes, killed at any call, or met by a sick disk", () => {
  it.for(commandRows)("$name", { timeout: 3_600_000 }, async (row, { skip }) => {
    skip(!ways.some(({ name }) => isWanted(row.name, name)));
    await sweepRow(row, ways);
  });
});
