import type { Entry, ReplyPart, Usage } from "../../core/model/entry.ts";
import { isObject, type JsonObject } from "../json-line.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../values.ts";
import type { ClaudeState, Envelope } from "./claude-parser.ts";
import { readToolInput } from "./tool-input.ts";

/** One line of a reply: about one block of it. Lines with the same `message.id` are one message. */
export function readAssistantLine(object: JsonObject, envelope: Envelope, state: ClaudeState): Entry {
  const message = objectAt(object, "message");
  const parts: ReplyPart[] = [];
  for (const block of contentBlocks(message)) {
    const part = readBlock(block, state);
    if (part !== undefined) parts.push(part);
  }
  const model = stringAt(message, "model");
  return {
    kind: "reply",
    ...envelope,
    parts,
    message: stringAt(message, "id"),
    model: model === "<synthetic>" ? undefined : model,
    usage: readUsage(objectAt(message, "usage")),
    isError: object.isApiErrorMessage === true,
  };
}

function contentBlocks(message: JsonObject | undefined): readonly unknown[] {
  const content = message?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return arrayAt(message, "content") ?? [];
}

function readBlock(block: unknown, state: ClaudeState): ReplyPart | undefined {
  if (typeof block === "string")
    return { kind: "text", text: state.budget.words(block), chars: block.length };
  if (!isObject(block)) return undefined;
  switch (block.type) {
    case "text": {
      const text = stringAt(block, "text") ?? "";
      return text === "" ? undefined : { kind: "text", text: state.budget.words(text), chars: text.length };
    }
    case "thinking": {
      const text = stringAt(block, "thinking") ?? "";
      return { kind: "thinking", text: state.budget.thinking(text), chars: text.length };
    }
    case "tool_use":
    case "server_tool_use":
      return readToolUse(block, state);
    default:
      return undefined;
  }
}

function readToolUse(block: JsonObject, state: ClaudeState): ReplyPart {
  const name = stringAt(block, "name") ?? "";
  const id = stringAt(block, "id") ?? "";
  const input = objectAt(block, "input") ?? {};
  const json = JSON.stringify(input);
  const { files, command, work } = readToolInput(name, input, state.touched);
  state.openCalls.set(id, name);
  return {
    kind: "call",
    id,
    name,
    input: state.budget.input(json),
    inputChars: json.length,
    files,
    command: command === undefined ? undefined : state.budget.words(command),
    work,
  };
}

function readUsage(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  return {
    inputTokens: numberAt(usage, "input_tokens") ?? 0,
    outputTokens: numberAt(usage, "output_tokens") ?? 0,
    cacheReadTokens: numberAt(usage, "cache_read_input_tokens") ?? 0,
    cacheWriteTokens: numberAt(usage, "cache_creation_input_tokens") ?? 0,
  };
}
