import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { addAgent } from "../../src/agents/agents.ts";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { parrot } from "../support/parrot/parrot.ts";

const ID = "parrot-20251012";

interface ParrotWorld extends TestWorld {
  readonly log: string;
  /** Runs a command with `--json` and returns what it printed. */
  readonly json: (...argv: readonly string[]) => Promise<unknown>;
}

/** A home with one session of an agent that is known by one folder and one row alone. */
function parrotWorld(): ParrotWorld {
  onTestFinished(addAgent(parrot));
  const world = makeWorld();
  const log = join(world.home, ".parrot", "logs", "one.jsonl");
  mkdirSync(join(log, ".."), { recursive: true });
  const lines = [
    { user: "Teach me to say marmalade", at: "2025-10-12T09:00:00Z" },
    { bird: "Marmalade! Marmalade!", at: "2025-10-12T09:00:05Z" },
  ].map((said) => JSON.stringify({ parrot: ID, folder: world.folder, ...said }));
  writeFileSync(log, `${lines.join("\n")}\n`);
  const json = async (...argv: readonly string[]): Promise<unknown> => {
    const before = world.out().length;
    expect(await run([...argv, "--json"], world), world.err()).toBe(0);
    return JSON.parse(world.out().slice(before));
  };
  return { ...world, log, json };
}

describe("an agent that is one folder and one row", () => {
  test("is listed, searched and shown", async () => {
    const { json, folder } = parrotWorld();
    expect(await json("list")).toMatchObject({
      sessions: [{ sessionId: ID, agent: "parrot", project: folder }],
    });
    expect(await json("list", "agent:parrot")).toMatchObject({ sessions: [{ sessionId: ID }] });
    expect(await json("search", "marmalade")).toMatchObject({ hits: [{ sessionId: ID, agent: "parrot" }] });
    expect(await json("show", ID)).toMatchObject({ agent: "parrot" });
  });

  test("is archived, and restored to the byte when its log is deleted", async () => {
    const { json, log, folder } = parrotWorld();
    const bytes = readFileSync(log);
    expect(await json("archive")).toMatchObject({ archived: [{ sessionId: ID, agent: "parrot" }] });
    rmSync(log);
    expect(await json("search", "marmalade")).toMatchObject({ hits: [{ sessionId: ID }] });
    expect(await json("verify")).toMatchObject({ sessions: 1, damages: [] });
    expect(await json("restore", ID)).toMatchObject({
      sessions: [{ sessionId: ID, outcome: "restored", resume: `parrot again ${ID}` }],
    });
    expect(readFileSync(log)).toEqual(bytes);
    expect(await json("resume", ID)).toMatchObject({ command: ["parrot", "again", ID], folder });
  });

  test("can't be compacted, flattened or forked, and says so", async () => {
    const world = parrotWorld();
    expect(await run(["compact", ID, "--force"], world)).toBe(2);
    expect(await run(["flatten", ID, "--force"], world)).toBe(2);
    expect(world.err()).toContain("Cannot compact: logs of Parrot are only read, never changed");
    expect(world.err()).toContain("Cannot flatten: logs of Parrot are only read, never changed");
  });
});
