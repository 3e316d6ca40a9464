import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { NoteEntry, ReplyPart, ToolCallPart, ToolResult, Usage } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import { type EntryBody, readContentText } from "../entry-body.ts";
import { isShellTool, readToolCall } from "../tool-call.ts";
import { readWorkList } from "../work-list.ts";

/** Reads a message of any role; undefined if the role is unknown. */
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

/** Pi puts the complete skill before the user's own text. */
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
  return [reply, { kind: "note", about: "interrupt", text: budget.words(text), chars: text.length }];
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
    hourCacheWriteTokens: numberAt(usage, "cacheWrite1h"),
  };
}

/** A tool's result; before it the calls that the tool itself made, which are recorded nowhere else. */
function readToolResultMessage(message: JsonObject, uid: string, budget: TextBudget): readonly EntryBody[] {
  const nested = readNestedCalls(message, uid, budget);
  const results: EntryBody = {
    kind: "results",
    results: [...nested.results, readResult(message, budget)],
  };
  return nested.calls.length === 0 ? [results] : [{ kind: "reply", parts: nested.calls }, results];
}

function readResult(message: JsonObject, budget: TextBudget): ToolResult {
  const { text, chars } = readContentText(message.content);
  const isError = message.isError === true;
  const tool = stringAt(message, "toolName") ?? "";
  const details = objectAt(message, "details");
  const spilledTo = stringAt(details, "fullOutputPath");
  const items = readWorkList(details);
  const kept = budget.output(text, isError);
  const ofOutput = budget.moreWords(text, kept);
  const ofDiff = budget.moreWords(stringAt(details, "diff") ?? "", "");
  return {
    callId: stringAt(message, "toolCallId") ?? "",
    isError,
    exitCode: isShellTool(tool) ? readExitCode(text, isError) : null,
    text: kept,
    chars,
    moreWords: ofDiff === undefined ? ofOutput : `${ofOutput ?? ""} ${ofDiff}`,
    ...(spilledTo === undefined ? {} : { spilledTo }),
    ...(items === undefined ? {} : { work: { kind: "list", items } }),
  };
}

const EXIT_CODE_AT_END = /Command exited with code (\d{1,9})\s*$/;
const EXIT_CODE_AT_START = /^Exit code:? (\d{1,9})\b/;

function readExitCode(text: string, isError: boolean): number | null {
  const found = EXIT_CODE_AT_END.exec(text.slice(-80)) ?? EXIT_CODE_AT_START.exec(text.slice(0, 80));
  if (found !== null) return Number(found[1]);
  return isError ? null : 0;
}

/** Arguments that were too large are left out of the log; the call is still counted. */
function readNestedCalls(
  message: JsonObject,
  uid: string,
  budget: TextBudget,
): { readonly calls: readonly ToolCallPart[]; readonly results: readonly ToolResult[] } {
  const calls: ToolCallPart[] = [];
  const results: ToolResult[] = [];
  for (const call of arrayAt(objectAt(message, "nestedCalls"), "calls") ?? []) {
    if (!isObject(call)) continue;
    const name = stringAt(call, "name") ?? "";
    const id = stringAt(call, "id") ?? `${uid}/${calls.length + 1}`;
    calls.push(readToolCall(id, name, call.arguments, budget));
    if (call.status !== "ok" && call.status !== "error") continue;
    const isError = call.status === "error";
    const text = stringAt(call, "error") ?? "";
    const exitCode = isShellTool(name) ? readExitCode(text, isError) : null;
    results.push({ callId: id, isError, exitCode, text: budget.output(text, isError), chars: text.length });
  }
  return { calls, results };
}

/** A `!command` typed by the user: a request, a call, and its result. */
function readBashExecution(message: JsonObject, uid: string, budget: TextBudget): readonly EntryBody[] {
  const command = stringAt(message, "command") ?? "";
  if (command.trim() === "") return [{ kind: "link" }];
  const output = stringAt(message, "output") ?? "";
  const exitCode = numberAt(message, "exitCode") ?? null;
  const isError = message.cancelled === true || (exitCode !== null && exitCode !== 0);
  const spilledTo = stringAt(message, "fullOutputPath");
  const callId = `${uid}:bash`;
  const kept = budget.output(output, isError);
  return [
    { kind: "request", via: "bash", text: budget.words(command), chars: command.length, images: 0 },
    { kind: "reply", parts: [readToolCall(callId, "bash", { command }, budget)] },
    {
      kind: "results",
      results: [
        {
          callId,
          isError,
          exitCode,
          text: kept,
          chars: output.length,
          moreWords: budget.moreWords(output, kept),
          ...(spilledTo === undefined ? {} : { spilledTo }),
        },
      ],
    },
  ];
}
