import { expect, test } from "vitest";
import { formatTree } from "../../../src/cli/output/session-tree.ts";
import type { Subagent } from "../../../src/session/session.ts";
import { makeWorld } from "../../support/make-world.ts";
import { plainSession } from "../../support/plain-session.ts";

test("formatTree() shows every sub-agent, also those that no call started", () => {
  const subagent = (id: string, turn: number | null): Subagent => ({
    id,
    type: null,
    description: `what ${id} does`,
    callId: null,
    turn,
    prompt: null,
    steps: [],
    source: null,
  });
  const session = plainSession({
    turns: [{ request: "first" }, { request: "second" }],
    branches: [{ fromTurn: 1, turns: [1, 2], context: "current", parentTurn: null, summary: null }],
  });
  const drawn = formatTree(
    { ...session, subagents: [subagent("of-the-first", 1), subagent("loose", null), subagent("lost", 9)] },
    makeWorld(),
  ).split("\n");
  expect(drawn).toEqual([
    expect.stringMatching(/ first$/),
    "     ◇ sub-agent of-the-first: what of-the-first does · no tool calls",
    expect.stringMatching(/ second$/),
    "     ◇ sub-agent loose: what loose does · no tool calls",
    "     ◇ sub-agent lost: what lost does · no tool calls",
    "",
  ]);
});
