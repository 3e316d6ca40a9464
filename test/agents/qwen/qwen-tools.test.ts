import { expect, test } from "vitest";
import { qwen } from "../../../src/agents/qwen/qwen.ts";
import { isOwnCall } from "../../../src/search/own-output.ts";
import { parseBytes } from "../../support/parse-logs.ts";

function callsOf(call: object): readonly unknown[] {
  const line = {
    uuid: "u1",
    parentUuid: null,
    sessionId: "7d925dc7-cd2d-4746-836b-d1072a6f680b",
    timestamp: "2026-03-02T10:00:00.000Z",
    type: "assistant",
    cwd: "/w",
    message: { role: "model", parts: [{ functionCall: call }] },
  };
  return parseBytes(qwen, `${JSON.stringify(line)}\n`).entries.flatMap((entry) =>
    entry.kind === "reply" ? entry.parts : [],
  );
}

test("a tool of a server is called by its own name, not by that of the tool that calls it", () => {
  const args = { name: "mcp__sessions__search_sessions", arguments: { query: "zebra" } };
  const [call] = callsOf({ id: "c1", name: "tool_call", args });
  expect(call).toMatchObject({ kind: "call", id: "c1", name: "mcp__sessions__search_sessions" });
  expect(JSON.stringify(call)).not.toContain("arguments");
  expect(isOwnCall({ name: "mcp__sessions__search_sessions", files: [] })).toBe(true);
});

test("a call without a name stays as it is", () => {
  expect(callsOf({ id: "c1", name: "tool_call", args: { x: 1 } })).toMatchObject([{ name: "tool_call" }]);
});
