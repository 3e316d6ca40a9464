import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { SessionFile } from "../../../src/agents/agent.ts";
import { claw } from "../../../src/agents/claw/claw.ts";
import { readSession } from "../../../src/agents/read-session.ts";
import { parseBytes } from "../../support/parse-logs.ts";
import { contextTexts, fixtureSource } from "../../support/read-fixture.ts";

const folder = fileURLToPath(new URL("../../../fixtures/claw/ok/", import.meta.url));
const ROTATION = `${folder}rotated.rot-1775400000000.jsonl`;
const LOG = `${folder}rotated.jsonl`;
const file = (path: string, role: SessionFile["role"]): SessionFile => ({
  path,
  role,
  size: 1,
  mtimeMs: 1,
  inode: 1,
});

test("messages that only a rotation has are compacted history, and none comes twice", () => {
  const session = readSession(fixtureSource, {
    agent: "claw",
    id: "session-1775386832313-0",
    files: [file(LOG, "main"), file(ROTATION, "rotation")],
  });
  expect(session.turns.map(({ request, context }) => [request, context])).toEqual([
    ["First thing.", "compacted"],
    ["continue", "compacted"],
    ["continue", "current"],
    ["And now?", "current"],
  ]);
  expect(session.compactions).toHaveLength(1);
  expect(contextTexts(session).slice(1)).toEqual(["continue", "Third done.", "And now?", "Now the tax."]);
});

test("a message that is repeated word by word has another name each time, and the same in both logs", () => {
  const names = (path: string): readonly (string | undefined)[] =>
    parseBytes(claw, readFileSync(path)).entries.flatMap((entry) =>
      entry.kind === "request" && entry.text === "continue" ? [entry.uid] : [],
    );
  const [first, second] = names(ROTATION);
  expect(first).not.toBe(second);
  expect(names(LOG)).toEqual([second]);
});

test("a message has the same name where its log was cut again, or written with other keys first", () => {
  const text = "x".repeat(16_384);
  const line = (json: string): string | undefined => parseBytes(claw, `${json}\n`).entries[0]?.uid;
  const name = line(
    `{"type":"message","message":{"role":"user","blocks":[{"type":"text","text":"${text}"}]}}`,
  );
  expect(name).toBeDefined();
  expect(
    line(
      `{"message":{"blocks":[{"text":"${text}… [truncated for session JSONL]","type":"text"}],"role":"user"},"type":"message"}`,
    ),
  ).toBe(name);
});
