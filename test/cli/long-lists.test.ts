import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { planClaudeCompaction } from "../../src/agents/claude/compact.ts";
import { clawSummary } from "../../src/agents/claw/summary.ts";
import { formatTree } from "../../src/cli/output/session-tree.ts";
import { wrap } from "../../src/cli/output/text-width.ts";
import { sessionMessages } from "../../src/extract/session-messages.ts";
import type { BranchPoint } from "../../src/session/session.ts";
import { createSessionBuilder } from "../../src/session/session-builder.ts";
import { makeWorld } from "../support/make-world.ts";
import { plainSession, reply } from "../support/plain-session.ts";

/** More than a function can be called with. */
const MANY = 150_000;
const steps = Array.from({ length: MANY }, () => reply("step"));
const facts = { id: "s", project: null, branch: null, version: null, firstAt: null, lastAt: null };

const block = (number: number): string => `{"type":"tool_use","id":"${number}","name":"R","input":{}}`;
const line = Buffer.from(
  `{"type":"assistant","message":{"content":[${Array.from({ length: MANY }, (_, number) => block(number)).join(",")}]}}\n`,
);

/** What is counted in what is made of long lists. */
const counts: readonly (readonly [string, number, () => number])[] = [
  [
    "messages of a summary",
    MANY + 1,
    () =>
      sessionMessages(
        plainSession({
          turns: [
            {
              request: "go",
              steps: steps.map((step, index) =>
                index % 2 === 0
                  ? step
                  : { ...step, kind: "summary" as const, of: "compaction" as const, text: "so far" },
              ),
            },
          ],
        }),
      ).length,
  ],
  [
    "lines of a summary",
    MANY,
    () =>
      clawSummary(
        Array.from({ length: MANY }, () => ({
          role: "user" as const,
          blocks: [{ kind: "text" as const, text: "go" }],
        })),
      )
        .split("\n")
        .filter((each) => each === "  - user: go").length,
  ],
  [
    "steps of a sub-agent",
    MANY,
    () =>
      createSessionBuilder("last-entry").finish({
        agent: "claude",
        id: "s",
        facts,
        lines: 0,
        problems: [],
        subagents: [
          {
            id: "a",
            type: null,
            description: null,
            callId: null,
            source: "a.jsonl",
            session: plainSession({ turns: [{ request: "go", steps }] }),
          },
        ],
      }).subagents[0]?.steps.length ?? 0,
  ],
  ["lines of a paragraph", MANY, () => wrap("word ".repeat(MANY).trim(), { width: 5 }).split("\n").length],
  [
    "parts of one line that could be shrunk",
    0,
    () =>
      planClaudeCompaction(() => [line], line.length, { keep: MANY, minInputBytes: 0, minResultBytes: 0 })
        .shrunk.length,
  ],
];

test.each(counts)("a log may make for any number of %s", (_, expected, count) => {
  expect(count()).toBe(expected);
});

test("branches are drawn however deep they are nested", () => {
  const depth = 20_000;
  const turns = Array.from({ length: depth }, (_, number) => ({ request: `turn ${number + 1}` }));
  const branches = turns.map(
    (_, index): BranchPoint => ({
      fromTurn: index + 1,
      turns: [index + 1],
      context: "current",
      parentTurn: index === 0 ? null : index,
      summary: null,
    }),
  );
  const drawn = formatTree(plainSession({ turns, branches }), makeWorld()).split("\n");
  expect(drawn).toHaveLength(depth + 1);
  expect(drawn[1]).toMatch(/^└─ .*turn 2$/);
  expect(drawn.at(-2)).toMatch(/^ {60,70}.*turn 20000$/);
});
