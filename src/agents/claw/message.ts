import { createHash } from "node:crypto";
import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { ReplyPart, ToolResult, Usage } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { EntryBody } from "../entry-body.ts";
import { hasFailed, isShellTool, readToolCall } from "../tool-call.ts";

export interface ClawMessage {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
  readonly usage: JsonObject | undefined;
}

/** undefined if it is not a message of claw-code. */
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

/** How many characters of each text name a message: claw-code cuts at 16,384 whenever it writes. */
const NAMING_CHARS = 8_000;

/** The same message has the same fingerprint in every file, whatever the order of its keys. */
export function fingerprint(message: ClawMessage): string {
  const hash = createHash("sha256").update(message.role);
  for (const block of message.blocks) {
    hash.update(`\0${stringAt(block, "type") ?? ""}`);
    for (const key of ["id", "tool_use_id", "text", "thinking", "input", "output"]) {
      const value = stringAt(block, key);
      if (value !== undefined) hash.update(`\0${value.slice(0, NAMING_CHARS)}`);
    }
  }
  // Input grows from reply to reply, so it distinguishes one "Done." from another.
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

/** A result block. Its output is a text, for most tools the JSON of an object. */
function readToolOutput(block: JsonObject, budget: TextBudget): ToolResult {
  const output = stringAt(block, "output") ?? "";
  const tool = stringAt(block, "tool_name") ?? "";
  const parsed = output.startsWith("{") ? tryParse(output) : undefined;
  const object = isObject(parsed) ? parsed : undefined;
  const failed = block.is_error === true;
  const exitCode = isShellTool(tool) ? readExitCode(object, output, failed) : null;
  const isError = hasFailed(failed, exitCode);
  const spilledTo = stringAt(object, "persistedOutputPath") ?? stringAt(object, "rawOutputPath");
  const plain = plainOutput(object);
  const kept = budget.output(plain ?? output, isError);
  return {
    callId: stringAt(block, "tool_use_id") ?? "",
    isError,
    exitCode,
    text: kept,
    chars: output.length,
    // Whether the object has more than its plain output, such as the diff of an edit.
    moreWords: budget.moreWords(output, plain === undefined ? kept : ""),
    ...(spilledTo === undefined ? {} : { spilledTo }),
  };
}

function readExitCode(object: JsonObject | undefined, output: string, failed: boolean): number | null {
  const told = /^exit_code:(-?\d{1,9})$/.exec(stringAt(object, "returnCodeInterpretation") ?? "");
  if (told !== null) return Number(told[1]);
  const begins = /^Exit code:? (\d{1,9})\b/.exec(output.slice(0, 80));
  if (begins !== null) return Number(begins[1]);
  return failed || object?.interrupted === true ? null : 0;
}

/** The output as a person would see it: what a command printed, or the content of a file. */
function plainOutput(object: JsonObject | undefined): string | undefined {
  const stdout = stringAt(object, "stdout");
  const stderr = stringAt(object, "stderr");
  if (stdout !== undefined || stderr !== undefined)
    return [stdout, stderr].filter((text) => text !== undefined && text !== "").join("\n");
  return stringAt(objectAt(object, "file"), "content");
}

/** The beginning of the text that claw-code puts in place of removed messages, the same in all versions. */
const OPENING = "This session is being continued from a previous conversation";

/**
 * Text around the summary, for the model and not for a reader. The lookbehind keeps a long run from being tried at each
 * of its characters.
 */
const PREAMBLE = /^This session is being continued from a previous conversation[^\n]*\n+/;
const POSTSCRIPT =
  /(?<!\n)\n+(?:Recent messages are preserved verbatim\.|Continue the conversation from where it left off)[\s\S]*$/;
const HEADING = /^Summary:\s*/;

export function isContinuation(text: string): boolean {
  return text.trimStart().startsWith(OPENING);
}

/** The summary without that text. */
export function summaryOfContinuation(text: string): string {
  return text.trim().replace(PREAMBLE, "").replace(POSTSCRIPT, "").replace(HEADING, "").trim();
}

/** The summary on a compaction line, which still has its tags. */
export function plainClawSummary(text: string): string {
  const inside = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1];
  return (inside ?? text).trim();
}
