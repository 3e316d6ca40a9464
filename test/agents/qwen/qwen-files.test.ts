import { Buffer } from "node:buffer";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claude } from "../../../src/agents/claude/claude.ts";
import { qwen } from "../../../src/agents/qwen/qwen.ts";
import { groupTexts } from "../../support/parse-logs.ts";

const environment = { home: "/home/cy", variables: {}, folder: "/home/cy/shop", projects: [] };
const ID = "7d925dc7-cd2d-4746-836b-d1072a6f680b";
const line = (text: string): string =>
  `{"uuid":"u1","parentUuid":null,"sessionId":"${ID}","timestamp":"2026-03-02T10:00:00.000Z","type":"user","cwd":"/w","message":{"role":"user","parts":[{"text":"${text}"}]}}\n`;
const folder = "/home/cy/.qwen/projects/-home-cy-shop";

describe("qwen.roots()", () => {
  test.each<[Record<string, string>, string]>([
    [{}, join("/home/cy", ".qwen")],
    [{ QWEN_HOME: "/q" }, "/q"],
    [{ QWEN_HOME: "/q", QWEN_RUNTIME_DIR: "/r" }, "/r"],
  ])("looks for %j in the folders of projects", (variables, place) => {
    expect(qwen.roots({ ...environment, variables })).toMatchObject([{ folder: join(place, "projects") }]);
  });
});

describe("qwen.owns()", () => {
  test.each<[string, string, boolean]>([
    ["a message", line("hello"), true],
    ["a message longer than the head", line("x".repeat(100_000)).slice(0, 64 * 1024), true],
    ["a system line", `{"uuid":"u","sessionId":"${ID}","type":"system","systemPayload":{}}\n`, true],
    [
      "a line of Claude Code",
      `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x"}}\n`,
      false,
    ],
    ["a header of Gemini CLI", `{"sessionId":"${ID}","projectHash":"x"}\n`, false],
    ["nothing", "", false],
  ])("%s", (_, head, owned) => {
    expect(qwen.owns(Buffer.from(head))).toBe(owned);
    if (owned) expect(claude.owns(Buffer.from(head))).toBe(false);
  });
});

describe("qwen.group()", () => {
  test("puts sub-agents to their session, and leaves out what is no log", () => {
    const agent = "agent-general-purpose-call_1";
    expect(
      groupTexts(qwen, {
        [`${folder}/chats/${ID}.jsonl`]: line("hello"),
        [`${folder}/subagents/${ID}/${agent}.jsonl`]: line("look"),
        [`${folder}/subagents/${ID}/${agent}.meta.json`]: "{}",
        [`${folder}/chats/archive/aaaa1111-0000.jsonl`]: line("old").replace(ID, "aaaa1111-0000"),
        [`${folder}/chats/notes.jsonl`]: '{"a":1}\n',
        [`${folder}/chats/empty.jsonl`]: "",
      }),
    ).toEqual([
      `qwen ${ID}: main ${folder}/chats/${ID}.jsonl, subagent ${folder}/subagents/${ID}/${agent}.jsonl, subagent-meta ${folder}/subagents/${ID}/${agent}.meta.json`,
      `qwen aaaa1111-0000: main ${folder}/chats/archive/aaaa1111-0000.jsonl`,
    ]);
  });

  test("knows which call started a sub-agent", () => {
    const path = `${folder}/subagents/${ID}/agent-x-1.meta.json`;
    const file = { path, size: 1, mtimeMs: 1, inode: 1, role: "subagent-meta" } as const;
    expect(qwen.readSideFile?.(file, '{"agentType":"x","description":"look","toolUseId":"c1"}')).toEqual({
      subagent: { id: "x-1", type: "x", description: "look", callId: "c1" },
    });
    expect(qwen.readSideFile?.(file, "[")).toBeUndefined();
  });
});
