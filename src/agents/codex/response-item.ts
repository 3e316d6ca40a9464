import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { arrayAt, jsonText, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import { readContentText } from "../entry-body.ts";
import type { CodexThread } from "./thread.ts";
import { readItemText } from "./user-text.ts";

/** Known items without any use here: they repeat others, or contain nothing readable. */
const SILENT: ReadonlySet<unknown> = new Set([
  "ghost_snapshot",
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "context_compaction",
  "configuration_update",
  "other",
]);

/** Reads an item of the model's history. Returns false if it is not known. */
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
  // The lookbehind keeps a long run from being tried at each of its characters.
  return namespace === "" || name.startsWith(namespace)
    ? name
    : `${namespace.replace(/(?<!_)_+$/, "")}__${name}`;
}

export interface CallOutput {
  readonly text: string;
  readonly chars: number;
  /** null: the command is still running; undefined: the output does not say. */
  readonly exitCode: number | null | undefined;
  readonly failed: boolean;
}

/** The output of a call: a text, the JSON of one, a list of contents, or an object, by version and tool. */
export function readCallOutput(output: unknown): CallOutput {
  if (typeof output === "string") return readOutputText(output);
  if (isObject(output)) return readOutputObject(output);
  const { text, chars } = readContentText(output);
  return { ...readOutputText(text), chars };
}

function readOutputText(output: string): CallOutput {
  const parsed = output.startsWith("{") ? tryParse(output) : undefined;
  const inner = isObject(parsed) ? stringAt(parsed, "output") : undefined;
  if (!isObject(parsed) || inner === undefined)
    return { text: output, chars: output.length, exitCode: exitCodeIn(output), failed: false };
  const exitCode = numberAt(objectAt(parsed, "metadata"), "exit_code") ?? exitCodeIn(inner);
  return { text: inner, chars: output.length, exitCode, failed: false };
}

function readOutputObject(output: JsonObject): CallOutput {
  const failed = output.success === false || output.isError === true;
  const streams = [stringAt(output, "stdout"), stringAt(output, "stderr")];
  if (streams.some((stream) => stream !== undefined)) {
    const text = streams.filter((stream) => stream !== undefined && stream !== "").join("\n");
    const exitCode = numberAt(output, "exitCode") ?? numberAt(output, "exit_code");
    return { text, chars: text.length, exitCode, failed };
  }
  const { text, chars } = readContentText(output.content ?? output);
  if (text !== "" || "content" in output) return { ...readOutputText(text), chars, failed };
  const json = jsonText(output);
  return { text: json, chars: json.length, exitCode: undefined, failed };
}

/** Headers of shell tools are on the first lines, before the actual output. */
const HEADER_CHARS = 400;

function exitCodeIn(text: string): number | null | undefined {
  const head = text.slice(0, HEADER_CHARS);
  const found =
    /^Exit code:? (-?\d{1,9})\b/.exec(head) ?? /^Process exited with code (-?\d{1,9})$/m.exec(head);
  if (found !== null) return Number(found[1]);
  return /^Process running with session ID /m.test(head) ? null : undefined;
}
