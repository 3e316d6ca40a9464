import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { ReplyPart, ToolResult, Usage } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { EntryBody } from "../entry-body.ts";
import { readToolCall } from "../tool-call.ts";
import { readToolOutput } from "./tool-output.ts";

export interface ClawMessage {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
  readonly usage: JsonObject | undefined;
}

/** undefined where it is no message of claw-code. */
export function readClawMessage(value: unknown): ClawMessage | undefined {
  if (!isObject(value)) return undefined;
  const role = stringAt(value, "role");
  const blocks = arrayAt(value, "blocks");
  if (role === undefined || blocks === undefined) return undefined;
  return { role, blocks: blocks.filter(isObject), usage: objectAt(value, "usage") };
}

export function messageText(message: ClawMessage): string {
  return message.blocks
    .map((block) => (block.type === "text" ? stringAt(block, "text") : undefined))
    .filter((text) => text !== undefined)
    .join("\n");
}

/** Characters of each text that name a message: claw-code cuts at 16,384 when it writes, again and again. */
const NAMING_CHARS = 8_000;

/** The same message has the same fingerprint in every file that holds it, whatever the order of its keys. */
export function fingerprint(message: ClawMessage): string {
  const hash = createHash("sha256").update(message.role);
  for (const block of message.blocks) {
    hash.update(`\0${stringAt(block, "type") ?? ""}`);
    for (const key of ["id", "tool_use_id", "text", "thinking", "input", "output"]) {
      const value = stringAt(block, key);
      if (value !== undefined) hash.update(`\0${value.slice(0, NAMING_CHARS)}`);
    }
  }
  // Input grows from reply to reply: it tells one "Done." from another.
  for (const key of ["input_tokens", "output_tokens"]) hash.update(`\0${numberAt(message.usage, key) ?? ""}`);
  return hash.digest("hex").slice(0, 16);
}

export function readMessageBody(message: ClawMessage, budget: TextBudget): EntryBody {
  const text = messageText(message);
  switch (message.role) {
    case "assistant":
      return readReply(message, budget);
    case "user":
    case "tool": {
      const results = readResults(message, budget);
      if (results.length > 0) return { kind: "results", results };
      if (text.trim() === "" || message.role === "tool") return { kind: "link" };
      return { kind: "request", via: "typed", text: budget.words(text), chars: text.length, images: 0 };
    }
    case "system":
      return { kind: "note", about: "system", text: budget.output(text, false), chars: text.length };
    default:
      return { kind: "link" };
  }
}

function readReply(message: ClawMessage, budget: TextBudget): EntryBody {
  const usage = readUsage(message.usage);
  return {
    kind: "reply",
    parts: message.blocks.flatMap((block) => readPart(block, budget)),
    ...(usage === undefined ? {} : { usage }),
  };
}

function readPart(block: JsonObject, budget: TextBudget): readonly ReplyPart[] {
  switch (block.type) {
    case "text": {
      const text = stringAt(block, "text") ?? "";
      return text.trim() === "" ? [] : [{ kind: "text", text: budget.words(text), chars: text.length }];
    }
    case "thinking": {
      const text = stringAt(block, "thinking") ?? "";
      return text === "" ? [] : [{ kind: "thinking", text: budget.thinking(text), chars: text.length }];
    }
    case "tool_use":
      return [readToolCall(stringAt(block, "id") ?? "", stringAt(block, "name") ?? "", block.input, budget)];
    default:
      return [];
  }
}

function readResults(message: ClawMessage, budget: TextBudget): readonly ToolResult[] {
  return message.blocks
    .filter((block) => block.type === "tool_result")
    .map((block) => readToolOutput(block, budget));
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
