import { expect, test } from "vitest";
import { type TextRole, textsOfValue } from "../../../src/search/grep/text-role.ts";

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
    [["snapshot", "x"]],
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
    [["snapshot", "You are"]],
  ],
])("the texts of %s have their roles", (_, line, expected) => {
  const found: (readonly [TextRole, string])[] = [];
  textsOfValue(line, (role, text) => void found.push([role, text]));
  expect(found.filter(([role]) => role !== "field")).toEqual(expected);
});
