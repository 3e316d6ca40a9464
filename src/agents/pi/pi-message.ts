import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { NoteEntry, ReplyPart, Usage } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import { readContentText } from "../content-text.ts";
import type { EntryBody } from "../entry-body.ts";
import { readToolCall } from "../tool-call.ts";
import { readBashExecution } from "./pi-bash.ts";
import { readToolResultMessage } from "./pi-tool-result.ts";

/** What a message of any role says; undefined where its role is not known. */
export function readPiMessage(
  message: JsonObject,
  uid: string,
  budget: TextBudget,
): readonly EntryBody[] | undefined {
  switch (message.role) {
    case "user":
      return [readUserMessage(message, budget)];
    case "assistant":
      return readAssistantMessage(message, budget);
    case "toolResult":
    case "tool":
      return readToolResultMessage(message, uid, budget);
    case "bashExecution":
      return readBashExecution(message, uid, budget);
    case "custom":
    case "hookMessage":
      return [readNote("custom", message, budget)];
    case "system":
      return [readNote("system", message, budget)];
    case "branchSummary":
      return [{ kind: "summary", of: "branch", text: summaryText(message, budget) }];
    case "compactionSummary":
      return [{ kind: "summary", of: "compaction", text: summaryText(message, budget) }];
    default:
      return undefined;
  }
}

function summaryText(message: JsonObject, budget: TextBudget): string {
  return budget.words(stringAt(message, "summary") ?? readContentText(message.content).text);
}

function readNote(about: NoteEntry["about"], message: JsonObject, budget: TextBudget): EntryBody {
  const { text, chars } = readContentText(message.content);
  const kept = about === "custom" ? budget.words(text) : budget.output(text, false);
  return { kind: "note", about, text: kept, chars };
}

/** Pi puts the whole skill before what the user wrote. */
const SKILL = /^<skill name="([^"]+)" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]*))?$/;

function readUserMessage(message: JsonObject, budget: TextBudget): EntryBody {
  const { text, images } = readContentText(message.content);
  if (text.trim() === "" && images === 0) return { kind: "link" };
  const skill = text.startsWith("<skill ") ? SKILL.exec(text) : null;
  const chars = text.length;
  if (skill === null) return { kind: "request", via: "typed", text: budget.words(text), chars, images };
  const command = `/skill:${skill[1] ?? ""} ${skill[2] ?? ""}`.trim();
  return { kind: "request", via: "command", text: budget.words(command), chars, images };
}

function readAssistantMessage(message: JsonObject, budget: TextBudget): readonly EntryBody[] {
  const parts = readParts(message.content, budget);
  const error = stringAt(message, "errorMessage");
  const isError = message.stopReason === "error";
  if (isError && error !== undefined)
    parts.push({ kind: "text", text: budget.words(error), chars: error.length });
  const model = stringAt(message, "responseModel") ?? stringAt(message, "model");
  const usage = readUsage(objectAt(message, "usage"));
  const reply: EntryBody = {
    kind: "reply",
    parts,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(isError ? { isError } : {}),
  };
  if (message.stopReason !== "aborted") return [reply];
  const text = error ?? "aborted";
  return [reply, { kind: "note", about: "interrupt", text: budget.output(text, false), chars: text.length }];
}

function readParts(content: unknown, budget: TextBudget): ReplyPart[] {
  const blocks = Array.isArray(content) ? content : [content];
  const parts: ReplyPart[] = [];
  for (const block of blocks) {
    const part = readPart(typeof block === "string" ? { type: "text", text: block } : block, budget);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

function readPart(block: unknown, budget: TextBudget): ReplyPart | undefined {
  if (!isObject(block)) return undefined;
  const text = stringAt(block, "thinking") ?? stringAt(block, "text") ?? "";
  switch (block.type) {
    case "text":
      return text === "" ? undefined : { kind: "text", text: budget.words(text), chars: text.length };
    case "thinking":
    case "reasoning":
      return text === "" ? undefined : { kind: "thinking", text: budget.thinking(text), chars: text.length };
    case "toolCall":
    case "tool-call":
      return readToolCall(
        stringAt(block, "id") ?? "",
        stringAt(block, "name") ?? "",
        block.arguments,
        budget,
      );
    default:
      return undefined;
  }
}

function readUsage(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  return {
    inputTokens: numberAt(usage, "input") ?? 0,
    outputTokens: numberAt(usage, "output") ?? 0,
    cacheReadTokens: numberAt(usage, "cacheRead") ?? 0,
    cacheWriteTokens: numberAt(usage, "cacheWrite") ?? 0,
  };
}
