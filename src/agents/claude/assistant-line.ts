import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { jsonText } from "../../jsonl/values.ts";
import type { Entry, ReplyPart, Usage } from "../../session/entry.ts";
import type { ClaudeState, Envelope } from "./parser.ts";
import { readToolInput } from "./tools.ts";

/** Reads one line of a reply, which holds one block of it. Lines with the same `message.id` are one message. */
export function readAssistantLine(object: JsonObject, envelope: Envelope, state: ClaudeState): Entry {
  // Keys are read by name, here and below: `stringAt`, which takes any key, is slower, because the engine looks its
  // key up for every object.
  const message = isObject(object.message) ? object.message : NO_MESSAGE;
  const { id, model, usage } = message;
  const blocks = contentBlocks(message.content);
  const parts: ReplyPart[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const part = readBlock(blocks[index], state);
    if (part !== undefined) parts.push(part);
  }
  return {
    kind: "reply",
    ...envelope,
    parts,
    message: typeof id === "string" ? id : undefined,
    model: typeof model === "string" && model !== "<synthetic>" ? model : undefined,
    usage: isObject(usage) ? readUsage(usage) : undefined,
    isError: object.isApiErrorMessage === true,
  };
}

const NO_MESSAGE: JsonObject = {};
const NO_BLOCKS: readonly unknown[] = [];

function contentBlocks(content: unknown): readonly unknown[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : NO_BLOCKS;
}

function readBlock(block: unknown, state: ClaudeState): ReplyPart | undefined {
  if (typeof block === "string")
    return { kind: "text", text: state.budget.words(block), chars: block.length };
  if (!isObject(block)) return undefined;
  switch (block.type) {
    case "text": {
      const { text } = block;
      if (typeof text !== "string" || text === "") return undefined;
      return { kind: "text", text: state.budget.words(text), chars: text.length };
    }
    case "thinking": {
      const text = typeof block.thinking === "string" ? block.thinking : "";
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
  const name = typeof block.name === "string" ? block.name : "";
  const id = typeof block.id === "string" ? block.id : "";
  const input = isObject(block.input) ? block.input : NO_MESSAGE;
  const json = jsonText(input);
  const { files, command, work, questions } = readToolInput(name, input, state.touched);
  state.openCalls.set(id, name);
  const kept = state.budget.input(json);
  return {
    kind: "call",
    id,
    name,
    input: kept,
    inputChars: json.length,
    moreWords: state.budget.moreWords(json, kept),
    files,
    command: command === undefined ? undefined : state.budget.words(command),
    work,
    isWork: work === undefined || work.kind === "plan" ? undefined : true,
    questions,
  };
}

function readUsage(usage: JsonObject): Usage {
  return {
    inputTokens: tokens(usage.input_tokens),
    outputTokens: tokens(usage.output_tokens),
    cacheReadTokens: tokens(usage.cache_read_input_tokens),
    cacheWriteTokens: tokens(usage.cache_creation_input_tokens),
    hourCacheWriteTokens: isObject(usage.cache_creation)
      ? tokens(usage.cache_creation.ephemeral_1h_input_tokens)
      : 0,
  };
}

function tokens(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
