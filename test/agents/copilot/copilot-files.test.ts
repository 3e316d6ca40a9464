import { Buffer } from "node:buffer";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../../src/agents/agents.ts";
import { copilot } from "../../../src/agents/copilot/copilot.ts";
import { groupTexts } from "../../support/parse-logs.ts";

const environment = { home: "/home/cy", variables: {}, folder: "/home/cy/shop", projects: [] };
const ID = "d20947f5-0033-4179-a6cf-f458a7ea189f";
const start = (id: string): string =>
  `{"type":"session.start","data":{"sessionId":"${id}","context":{"cwd":"/w"}},"id":"e1","timestamp":"2026-03-02T10:00:00.000Z","parentId":null}\n`;
const folder = "/home/cy/.copilot/session-state";

describe("copilot.roots()", () => {
  test.each<[Record<string, string>, string]>([
    [{}, join("/home/cy", ".copilot")],
    [{ COPILOT_HOME: "/c" }, "/c"],
  ])("looks for %j in the folders of sessions", (variables, place) => {
    expect(copilot.roots({ ...environment, variables })).toMatchObject([
      { folder: join(place, "session-state") },
    ]);
  });
});

describe("copilot.owns()", () => {
  test.each<[string, string, boolean]>([
    ["an event", start(ID), true],
    ["an event longer than the head", start("x".repeat(100_000)).slice(0, 64 * 1024), true],
    [
      "a line of Claude Code",
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user"}}\n',
      false,
    ],
    [
      "a line of Pi",
      '{"type":"session","id":"x","timestamp":"2026-03-02T10:00:00.000Z","parentId":null}\n',
      false,
    ],
    ["nothing", "", false],
  ])("%s", (_, head, owned) => {
    expect(copilot.owns(Buffer.from(head))).toBe(owned);
    if (owned)
      for (const { name: agent, owns } of agents)
        expect(owns(Buffer.from(head)), agent).toBe(agent === "copilot");
  });
});

describe("copilot.group()", () => {
  test("puts what is in a session's folder together, and leaves out what is no session", () => {
    expect(
      groupTexts(copilot, {
        [`${folder}/${ID}/events.jsonl`]: start(ID),
        [`${folder}/${ID}/workspace.yaml`]: "name: x\n",
        [`${folder}/${ID}/checkpoints/index.md`]: "# Checkpoints\n",
        [`${folder}/${ID}/session.db`]: "SQLite",
        [`${folder}/.session-operation-locks/x.json`]: "{}",
        [`${folder}/only-a-name/workspace.yaml`]: "name: y\n",
        [`${folder}/empty/events.jsonl`]: "",
      }),
    ).toEqual([
      `copilot ${ID}: main ${folder}/${ID}/events.jsonl, other ${folder}/${ID}/checkpoints/index.md, other ${folder}/${ID}/session.db, title ${folder}/${ID}/workspace.yaml`,
    ]);
  });

  test.each([
    ["name: Add a price\nuser_named: true\n", "Add a price"],
    ["id: x\nname: 'It''s: done'\n", "It's: done"],
    ['name: "A \\"quoted\\" name"\n', 'A "quoted" name'],
    ["name: |-\n  more\n", undefined],
    ["cwd: /w\n", undefined],
  ])("%j is the name %s", (text, title) => {
    const file = {
      path: `${folder}/${ID}/workspace.yaml`,
      size: 1,
      mtimeMs: 1,
      inode: 1,
      role: "title",
    } as const;
    expect(copilot.readSideFile?.(file, text)?.title).toBe(title);
  });

  test("a name that Copilot CLI chose is none of the user's", () => {
    const path = `${folder}/${ID}/workspace.yaml`;
    const file = { path, size: 1, mtimeMs: 1, inode: 1, role: "title" } as const;
    const text = "name: hello\nuser_named: false\n";
    expect(copilot.readSideFile?.(file, text)).toEqual({ generatedTitle: "hello" });
  });
});
