import { expect, test } from "vitest";
import { agents } from "../../../src/agents/agents.ts";
import { createTextReader } from "../../../src/search/grep/line-texts.ts";
import type { TextRole } from "../../../src/session/text-role.ts";

const said = [{ text: "words" }, { functionCall: { id: "c", name: "run", args: { command: "ls" } } }];
const back = { functionResponse: { id: "c", name: "run", response: { output: "a.txt" } } };

test.each<[string, object, readonly (readonly [TextRole, string])[]]>([
  [
    "a request of Gemini CLI",
    { id: "m", type: "user", content: [{ text: "words" }] },
    [["request", "words"]],
  ],
  [
    "a reply of Gemini CLI with a call and its result",
    { id: "m", type: "gemini", content: "words", toolCalls: [{ args: { command: "ls" }, result: [back] }] },
    [
      ["reply", "words"],
      ["input", "ls"],
      ["output", "a.txt"],
    ],
  ],
  [
    "messages that Gemini CLI repeats",
    { $set: { messages: [{ type: "user", content: "x" }] } },
    [
      ["snapshot", "user"],
      ["snapshot", "x"],
    ],
  ],
  [
    "a reply of Qwen Code",
    { uuid: "u", type: "assistant", message: { role: "model", parts: said } },
    [
      ["reply", "words"],
      ["input", "ls"],
    ],
  ],
  [
    "a result of Qwen Code",
    {
      type: "tool_result",
      message: { role: "user", parts: [back] },
      toolCallResult: { resultDisplay: "shown" },
    },
    [
      ["output", "a.txt"],
      ["result", "shown"],
    ],
  ],
  [
    "what Qwen Code measures",
    { type: "system", subtype: "ui_telemetry", systemPayload: { uiEvent: { response_text: "words" } } },
    [["snapshot", "words"]],
  ],
  [
    "a request of opencode, and what it adds",
    {
      role: "user",
      part: { id: "p", data: { type: "text", text: "words" } },
      more: { data: { type: "text", synthetic: true, text: "added" } },
    },
    [
      ["request", "words"],
      ["note", "added"],
    ],
  ],
  [
    "a call of opencode with its result",
    {
      role: "assistant",
      part: {
        data: {
          type: "tool",
          callID: "c",
          state: {
            status: "completed",
            input: { command: "ls" },
            output: "a.txt",
            metadata: { output: "a.txt" },
          },
        },
      },
    },
    [
      ["input", "ls"],
      ["output", "a.txt"],
      ["result", "a.txt"],
    ],
  ],
  [
    "a message of opencode",
    {
      message: {
        data: {
          role: "assistant",
          agent: "build",
          finish: "stop",
          time: { created: 1 },
          path: { cwd: "/w" },
          error: { name: "APIError", data: { message: "overloaded" } },
        },
      },
    },
    [["note", "overloaded"]],
  ],
  [
    "a request of Copilot CLI",
    { type: "user.message", data: { content: "words", transformedContent: "<now>1</now> words" } },
    [
      ["request", "words"],
      ["snapshot", "<now>1</now> words"],
    ],
  ],
  [
    "a reply of Copilot CLI with a call",
    {
      type: "assistant.message",
      data: {
        content: "words",
        toolRequests: [{ toolCallId: "c", name: "bash", arguments: { command: "ls" } }],
      },
    },
    [
      ["reply", "words"],
      ["input", "ls"],
    ],
  ],
  [
    "a result of Copilot CLI",
    {
      type: "tool.execution_complete",
      data: { result: { content: "a.txt" }, toolTelemetry: { properties: { mode: "sync" } } },
    },
    [
      ["output", "a.txt"],
      ["result", "sync"],
    ],
  ],
  [
    "what Copilot CLI writes down of its requests",
    { type: "system.message", data: { content: "You are" } },
    [
      ["snapshot", "system.message"],
      ["snapshot", "You are"],
    ],
  ],
  [
    "a request of Claude Code that it wrote itself",
    { type: "user", isMeta: true, message: { role: "user", content: "words" } },
    [["note", "words"]],
  ],
  [
    "the agent's own record of a result of Claude Code",
    { type: "user", message: { role: "user", content: [] }, toolUseResult: { stdout: "a.txt" } },
    [["result", "a.txt"]],
  ],
  [
    "a command that the user of Pi ran",
    {
      type: "message",
      message: { role: "bashExecution", command: "ls", output: "a.txt", details: { n: "1" } },
    },
    [
      ["input", "ls"],
      ["output", "a.txt"],
      ["result", "1"],
    ],
  ],
  [
    "a reply of Codex as an event",
    { type: "event_msg", payload: { type: "agent_message", message: "words", turn_id: "t" } },
    [["reply", "words"]],
  ],
  ["a prompt of claw-code", { type: "prompt_history", text: "words" }, [["request", "words"]]],
])("the texts of %s have their roles", (title, line, expected) => {
  const found: (readonly [TextRole, string])[] = [];
  const of = agents.filter(({ displayName }) => title.includes(displayName));
  expect(of).toHaveLength(1);
  createTextReader(of[0]?.textRules)(line, (role, text) => void found.push([role, text]));
  expect(found.filter(([role]) => role !== "field")).toEqual(expected);
});
