import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, jsonText, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { Fact, ReplyPart, ToolResult, Usage } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { EntryBody } from "../entry-body.ts";
import { hasFailed, readToolCall } from "../tool-call.ts";

/** A parsed event: entries at its position in the tree, and facts about the session. */
export interface CopilotRead {
  readonly bodies: readonly EntryBody[];
  readonly facts?: readonly Fact[];
  readonly isUnknown?: boolean;
}

/** Events that are of use only to Copilot CLI, by their type or the start of it. */
const SILENT =
  /^(?:assistant\.(?:turn_start|turn_end|reasoning$|fusion_)|hook\.|permission\.|mcp\.|external_tool\.|human_response\.|tool_search\.|tool\.execution_start$|subagent\.|skill\.(?:invoked_ref|context_delivered)|system\.message$|session\.(?:start|resume|shutdown|compaction_start|compaction_complete|truncation|usage_|context_changed|model_|mode_|plan_changed|workspace_file_changed|schedule_|autopilot_|remote_steerable|session_limits|permissions_changed|permission_recovery|fusion_|request_body|completion_receipt|binary_asset|canvas\.|auto_mode_resolved|todos_changed|title_changed|snapshot_rewind|idle|info$))/;

/** Reads an event that does not depend on others: calls to the model, compactions and sub-agents are read elsewhere. */
export function readCopilotEvent(type: string, data: JsonObject, budget: TextBudget): CopilotRead {
  switch (type) {
    case "user.message":
      return { bodies: [readUser(data, budget)] };
    case "tool.user_requested":
      return { bodies: [readUserCommand(data, budget)] };
    case "system.notification":
    case "session.warning":
      return { bodies: [noteOf("system", stringAt(data, "content") ?? stringAt(data, "message"), budget)] };
    case "session.error":
      return { bodies: [noteOf("error", stringAt(data, "message"), budget)] };
    case "abort":
      return { bodies: [noteOf("interrupt", stringAt(data, "reason") ?? "aborted", budget)] };
    case "session.handoff":
    case "session.task_complete":
      return { bodies: [noteOf("custom", stringAt(data, "summary"), budget)] };
    case "skill.invoked":
      return { bodies: [noteOf("meta", stringAt(data, "content"), budget)] };
    case "session.context_cleared":
      return { bodies: [{ kind: "compaction", trigger: "manual", tokensBefore: null, tokensAfter: null }] };
    default:
      return { bodies: [{ kind: "link" }], isUnknown: !SILENT.test(type) };
  }
}

type NoteAbout = Extract<EntryBody, { kind: "note" }>["about"];

function noteOf(about: NoteAbout, text: string | undefined, budget: TextBudget): EntryBody {
  if (text === undefined || text === "") return { kind: "link" };
  return { kind: "note", about, text: budget.words(text), chars: text.length };
}

/** The user's own text; `transformedContent` also has the time and files, added by Copilot CLI. */
function readUser(data: JsonObject, budget: TextBudget): EntryBody {
  const text = stringAt(data, "content") ?? "";
  const sent = stringAt(data, "transformedContent") ?? text;
  const images = (arrayAt(data, "attachments") ?? []).filter(isImage).length;
  if (text.trim() === "" && images === 0) return { kind: "link" };
  const source = stringAt(data, "source") ?? "user";
  const isTyped = /^(?:user|command-|immediate)/.test(source) && data.isAutopilotContinuation !== true;
  // The task of a sub-agent is its request.
  if (!isTyped && !source.startsWith("agent-"))
    return { kind: "note", about: "meta", text: budget.words(text), chars: sent.length };
  return { kind: "request", via: "typed", text: budget.words(text), chars: text.length, images };
}

function isImage(attachment: unknown): boolean {
  if (!isObject(attachment)) return false;
  const name = stringAt(attachment, "mimeType") ?? stringAt(attachment, "path") ?? "";
  return /^image\/|\.(?:png|jpe?g|gif|webp)$/i.test(name);
}

/** A shell command that the user ran. */
function readUserCommand(data: JsonObject, budget: TextBudget): EntryBody {
  const command = stringAt(objectAt(data, "arguments"), "command") ?? "";
  if (command === "") return { kind: "link" };
  return { kind: "request", via: "bash", text: budget.words(command), chars: command.length, images: 0 };
}

export function readReply(data: JsonObject, usage: Usage | undefined, budget: TextBudget): EntryBody {
  const model = stringAt(data, "model");
  const message = stringAt(data, "messageId");
  const output = numberAt(data, "outputTokens");
  const used =
    usage ??
    (output === undefined
      ? undefined
      : { inputTokens: 0, outputTokens: output, cacheReadTokens: 0, cacheWriteTokens: 0 });
  const parts: ReplyPart[] = [];
  const thinking = stringAt(data, "reasoningText") ?? "";
  if (thinking !== "")
    parts.push({ kind: "thinking", text: budget.thinking(thinking), chars: thinking.length });
  const text = stringAt(data, "content") ?? "";
  if (text !== "") parts.push({ kind: "text", text: budget.words(text), chars: text.length });
  for (const request of (arrayAt(data, "toolRequests") ?? []).filter(isObject))
    parts.push(
      readToolCall(
        stringAt(request, "toolCallId") ?? "",
        stringAt(request, "name") ?? "",
        request.arguments,
        budget,
      ),
    );
  return {
    kind: "reply",
    parts,
    ...(message === undefined ? {} : { message }),
    ...(model === undefined ? {} : { model }),
    ...(used === undefined ? {} : { usage: used }),
  };
}

/** Cached tokens are part of the input. */
export function readUsage(usage: JsonObject): Usage {
  const count = (key: string): number => numberAt(usage, key) ?? 0;
  const cached = count("cacheReadTokens");
  return {
    inputTokens: Math.max(0, count("inputTokens") - cached),
    outputTokens: count("outputTokens"),
    cacheReadTokens: cached,
    cacheWriteTokens: count("cacheWriteTokens"),
  };
}

const EXIT_CODE = /(?:completed|exited) with exit code (\d{1,9})>?\s*$/;

export function readResult(data: JsonObject, agentId: string | undefined, budget: TextBudget): ToolResult {
  const couldNotRun = data.success === false;
  const result = objectAt(data, "result");
  const error = objectAt(data, "error");
  const given = couldNotRun ? (stringAt(error, "message") ?? stringAt(result, "content")) : result?.content;
  const text =
    typeof given === "string" ? given : given === undefined || given === null ? "" : jsonText(given);
  const said = EXIT_CODE.exec(text.slice(-200))?.[1];
  const exitCode =
    numberAt(objectAt(data, "shellExecution"), "exitCode") ?? (said === undefined ? null : Number(said));
  const isError = hasFailed(couldNotRun, exitCode);
  const kept = budget.output(text, isError);
  return {
    callId: stringAt(data, "toolCallId") ?? "",
    isError,
    exitCode,
    text: kept,
    chars: text.length,
    moreWords: budget.moreWords(text, kept),
    ...(agentId === undefined ? {} : { agentId }),
  };
}
