import type { JsonObject } from "../../jsonl/json-line.ts";
import { jsonText } from "../../jsonl/json-text.ts";
import { arrayAt, objectAt, stringAt } from "../../jsonl/values.ts";
import { readContentText } from "../content-text.ts";
import { readCallOutput } from "./call-output.ts";
import type { CodexThread } from "./codex-thread.ts";
import { readItemText } from "./user-text.ts";

/** Known and of no use here: they repeat something, or hold nothing that can be read. */
const SILENT: ReadonlySet<unknown> = new Set(["ghost_snapshot", "compaction", "compaction_summary", "other"]);

/** An item of the model's history. False where it is not known. */
export function readItem(item: JsonObject, thread: CodexThread): boolean {
  const callId = stringAt(item, "call_id") ?? stringAt(item, "id") ?? "";
  switch (item.type) {
    case "message":
      readMessage(item, thread);
      return true;
    case "reasoning":
      thread.say("thinking", reasoningTexts(item), "item");
      return true;
    case "agent_message": {
      const { text, chars } = readContentText(item.content);
      if (text !== "") thread.put({ kind: "note", about: "custom", text: thread.budget.words(text), chars });
      return true;
    }
    case "function_call":
    case "custom_tool_call":
    case "tool_call":
    case "tool_search_call":
    case "local_shell_call":
    case "web_search_call":
    case "image_generation_call":
      readCall(item, callId, thread);
      return true;
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "mcp_tool_call_output":
      thread.result(stringAt(item, "call_id") ?? "", readCallOutput(item.output));
      return true;
    case "tool_search_output":
      thread.result(callId, readCallOutput(jsonText(item.tools)));
      return true;
    case "tool_result":
      thread.result(stringAt(item, "call_id") ?? "", readCallOutput(item.result));
      return true;
    default:
      return SILENT.has(item.type);
  }
}

function readMessage(item: JsonObject, thread: CodexThread): void {
  const { text, images } = readContentText(item.content);
  // Developer and system messages are the agent's own instructions.
  if (item.role === "assistant") thread.say("reply", [text], "item");
  if (item.role !== "user") return;
  const read = readItemText(text);
  switch (read.kind) {
    case "request":
      thread.request(read.text, text, images, "item");
      break;
    case "bash":
      thread.shellLine(read.command, readCallOutput(read.result), "item");
      break;
    case "element":
      thread.put({
        kind: "note",
        about: "meta",
        text: thread.budget.output(read.text, false),
        chars: text.length,
      });
      break;
    case "injected":
      break;
  }
}

function reasoningTexts(item: JsonObject): readonly string[] {
  const blocks = [...(arrayAt(item, "summary") ?? []), ...(arrayAt(item, "content") ?? [])];
  return blocks.map((block) => readContentText(block).text);
}

function readCall(item: JsonObject, id: string, thread: CodexThread): void {
  switch (item.type) {
    case "local_shell_call":
      thread.call(id, "shell", objectAt(item, "action"));
      break;
    case "web_search_call":
      thread.call(id, "web_search", objectAt(item, "action"));
      break;
    case "tool_search_call":
      thread.call(id, "tool_search", item.arguments);
      break;
    case "image_generation_call":
      thread.call(id, "image_generation", { prompt: item.revised_prompt });
      break;
    default:
      thread.call(
        stringAt(item, "call_id") ?? "",
        callName(item),
        item.arguments ?? item.input ?? item.parameters,
      );
  }
}

function callName(item: JsonObject): string {
  const name = stringAt(item, "name") ?? stringAt(objectAt(item, "function"), "name") ?? "";
  const namespace = stringAt(item, "namespace") ?? "";
  return namespace === "" || name.startsWith(namespace) ? name : `${namespace.replace(/_+$/, "")}__${name}`;
}
