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
])("the texts of %s have their roles", (_, line, expected) => {
  const found: (readonly [TextRole, string])[] = [];
  textsOfValue(line, (role, text) => void found.push([role, text]));
  expect(found.filter(([role]) => role !== "field")).toEqual(expected);
});
