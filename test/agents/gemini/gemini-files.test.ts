import { Buffer } from "node:buffer";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { groupTexts } from "../../support/parse-logs.ts";

const environment = { home: "/home/cy", variables: {}, folder: "/home/cy/shop", projects: [] };
const ID = "37cfd221-c03c-47f0-b53e-ff44a745e498";
const header = `{"sessionId":"${ID}","projectHash":"64ab","startTime":"2026-03-02T10:00:00.000Z"`;
const folder = "/home/cy/.gemini/tmp/shop";

describe("gemini.roots()", () => {
  test.each<[Record<string, string>, string]>([
    [{}, "/home/cy"],
    [{ GEMINI_CLI_HOME: "/g" }, "/g"],
  ])("looks for %j in the folders of projects", (variables, place) => {
    expect(gemini.roots({ ...environment, variables })).toMatchObject([
      { folder: join(place, ".gemini", "tmp"), depth: 4 },
    ]);
  });
});

describe("gemini.owns()", () => {
  test.each<[string, string, boolean]>([
    ["a header", `${header}}\n`, true],
    ["a header after a line that is no JSON", `%%\n${header}}\n`, true],
    [
      "the start of a whole file",
      `{\n  "sessionId": "${ID}",\n  "projectHash": "64ab",\n  "messages": [`,
      true,
    ],
    ["a line of Qwen Code", `{"uuid":"u","sessionId":"${ID}","type":"system","systemPayload":{}}\n`, false],
    ["a list of prompts", `[{"sessionId":"${ID}","messageId":0,"type":"user","message":"x"}]`, false],
    ["nothing", "", false],
  ])("%s", (_, head, owned) => {
    expect(gemini.owns(Buffer.from(head))).toBe(owned);
  });
});

describe("gemini.group()", () => {
  test("puts sub-agents and long outputs to their session; lines lead before an old file, however long", () => {
    const lines = `${folder}/chats/session-2026-03-02T10-00-37cfd221.jsonl`;
    const old = `${folder}/chats/session-2026-03-01T10-00-37cfd221.json`;
    const agent = `${folder}/chats/${ID}/34a61648-56d4.jsonl`;
    const output = `${folder}/tool-outputs/session-${ID}/run_shell_command_1.txt`;
    expect(
      groupTexts(gemini, {
        [old]: `${header},"messages":[]}${" ".repeat(1_000)}`,
        [lines]: `${header}}\n{"id":"m1","type":"user","content":"Hello"}\n`,
        [agent]: `${header}}\n`,
        [output]: "1\n2\n",
        [`${folder}/logs.json`]: `[{"sessionId":"${ID}","message":"x"}]`,
        [`${folder}/checkpoints/a.json`]: '{"history":[]}',
      }),
    ).toEqual([`gemini ${ID}: main ${lines}, main ${old}, subagent ${agent}, spilled ${output}`]);
  });

  test("takes the log of a process that only resumed a session for no log of it, unless there is no other", () => {
    const log = `${folder}/chats/session-2026-03-02T10-00-37cfd221.jsonl`;
    const start = `${folder}/chats/session-2026-03-02T10-07-37cfd221.jsonl`;
    const context = `${header}}\n{"$set":{"messages":[{"id":"c","type":"user","content":"<session_context>"}]}}\n`;
    const message = '{"id":"m1","type":"user","content":"Hello"}\n';
    expect(
      groupTexts(gemini, { [start]: context + " ".repeat(500), [log]: `${header}}\n${message}` }),
    ).toEqual([`gemini ${ID}: main ${log}, other ${start}`]);
    expect(groupTexts(gemini, { [start]: context })).toEqual([`gemini ${ID}: main ${start}`]);
  });
});
