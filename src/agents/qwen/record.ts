import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { Fact, ToolResult } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { EntryBody } from "../entry-body.ts";
import {
  isResponse,
  partsOf,
  readGoogleUsage,
  readPrompt,
  readReplyParts,
  readResponse,
  summaryIn,
} from "../google-parts.ts";
import { sessionIdAt } from "../session-id.ts";

/** A parsed line: the entries at its position in the tree, and facts about the session. */
interface QwenRead {
  readonly bodies: readonly EntryBody[];
  readonly facts?: readonly Fact[];
  readonly isUnknown?: boolean;
}

/** Holds the line's position in the tree. A body may be used only once, so each entry has its own. */
function silent(more: Omit<QwenRead, "bodies"> = {}): QwenRead {
  return { bodies: [{ kind: "link" }], ...more };
}

/** Facts about the session that only Qwen Code uses. */
const SILENT_SUBTYPES: ReadonlySet<unknown> = new Set([
  "agent_bootstrap",
  "agent_launch_prompt",
  "agent_session_ready",
  "at_command",
  "attribution_snapshot",
  "background_task_completed",
  "branch_checkpoint",
  "file_history_snapshot",
  "goal_runtime",
  "goal_state",
  "goal_turn_end",
  "omni_recall",
  "rewind",
  "session_artifact_event",
  "session_artifact_snapshot",
  "session_source",
  "session_sources_snapshot",
  "turn_result",
  "ui_telemetry",
  "user_text_elements",
]);

export function readQwenRecord(object: JsonObject, uid: string, budget: TextBudget): QwenRead {
  const parts = partsOf(arrayAt(objectAt(object, "message"), "parts"));
  switch (object.type) {
    case "user":
      return { bodies: [...readResults(object, parts, budget), ...readUser(object, parts, budget)] };
    case "tool_result":
      return { bodies: readResults(object, parts, budget) };
    case "assistant":
      return { bodies: [readReply(object, parts, uid, budget)] };
    case "system":
      return readSystem(object, budget);
    default:
      return silent({ isUnknown: true });
  }
}

/** Text that Qwen Code inserted in the user's place, by the line's subtype. */
const INJECTED: ReadonlySet<unknown> = new Set(["notification", "cron"]);

function readUser(
  object: JsonObject,
  parts: readonly JsonObject[],
  budget: TextBudget,
): readonly EntryBody[] {
  const { text, chars, images } = readPrompt(parts);
  if (text.trim() === "" && images === 0) return parts.some(isResponse) ? [] : [{ kind: "link" }];
  if (INJECTED.has(object.subtype))
    return [{ kind: "note", about: "custom", text: budget.words(text), chars }];
  return [{ kind: "request", via: "typed", text: budget.words(text), chars, images }];
}

function readReply(
  object: JsonObject,
  parts: readonly JsonObject[],
  uid: string,
  budget: TextBudget,
): EntryBody {
  const model = stringAt(object, "model");
  const usage = readGoogleUsage(objectAt(object, "usageMetadata"));
  return {
    kind: "reply",
    parts: readReplyParts(parts.map(unwrapCall), uid, budget),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The tools of servers are called through `tool_call`, with the name of the tool and its arguments as input. */
function unwrapCall(part: JsonObject): JsonObject {
  const call = objectAt(part, "functionCall");
  const args = call?.name === "tool_call" ? objectAt(call, "args") : undefined;
  const name = args === undefined ? undefined : stringAt(args, "name");
  return name === undefined
    ? part
    : { ...part, functionCall: { ...call, name, args: args?.arguments ?? {} } };
}

/** Besides the part for the model, the line has the outcome of the call. */
function readResults(
  object: JsonObject,
  parts: readonly JsonObject[],
  budget: TextBudget,
): readonly EntryBody[] {
  const call = objectAt(object, "toolCallResult");
  const display = objectAt(call, "resultDisplay");
  const exitCode = numberAt(display, "exitCode");
  const status = stringAt(call, "status");
  const results = parts.flatMap((part): readonly ToolResult[] => {
    const result = readResponse(part, budget, {
      ...(status === undefined ? {} : { isError: status !== "success" }),
      ...(exitCode === undefined ? {} : { exitCode }),
      agentId: startedAgent(part),
    });
    return result === undefined ? [] : [result];
  });
  return results.length === 0 ? [] : [{ kind: "results", results }];
}

const TASK_ID = /^task_id: ([\w.-]+)/m;

/** The sub-agent that a call started, from the tool's answer to the model. */
function startedAgent(part: JsonObject): string | undefined {
  const response = objectAt(part, "functionResponse");
  if (!/^(?:agent|task)$/i.test(stringAt(response, "name") ?? "")) return undefined;
  return TASK_ID.exec(stringAt(objectAt(response, "response"), "output") ?? "")?.[1];
}

function readSystem(object: JsonObject, budget: TextBudget): QwenRead {
  const payload = objectAt(object, "systemPayload");
  switch (object.subtype) {
    case "chat_compression":
      return { bodies: [readCompression(payload, budget)] };
    case "slash_command":
      return { bodies: [readCommand(payload, budget)] };
    case "custom_title": {
      const text = stringAt(payload, "customTitle") ?? "";
      const from = payload?.titleSource === "auto" ? "generated" : "custom";
      return silent(text === "" ? {} : { facts: [{ name: "title", from, text: budget.words(text) }] });
    }
    case "session_model": {
      const model = stringAt(payload, "modelId");
      return silent(model === undefined ? {} : { facts: [{ name: "model", model }] });
    }
    case "parent_session": {
      const session = sessionIdAt(payload, "parentSessionId");
      if (session === undefined) return silent();
      return silent({ facts: [{ name: "parent", lineage: { kind: "subagent", session } }] });
    }
    default:
      return silent(SILENT_SUBTYPES.has(object.subtype) ? {} : { isUnknown: true });
  }
}

/** Each compression has a line with the history that the model gets from then on. */
function readCompression(payload: JsonObject | undefined, budget: TextBudget): EntryBody {
  const info = objectAt(payload, "info");
  const summary = summaryIn(arrayAt(payload, "compressedHistory") ?? []);
  const reason = stringAt(info, "triggerReason");
  return {
    kind: "compaction",
    trigger: reason === "manual" ? "manual" : reason === undefined ? null : "auto",
    tokensBefore: numberAt(info, "originalTokenCount") ?? null,
    tokensAfter: numberAt(info, "newTokenCount") ?? null,
    ...(summary === undefined ? {} : { summary: budget.words(summary) }),
  };
}

/** A slash command is recorded twice: when it is entered, and with its output. */
function readCommand(payload: JsonObject | undefined, budget: TextBudget): EntryBody {
  const command = stringAt(payload, "rawCommand") ?? "";
  const printed = (arrayAt(payload, "outputHistoryItems") ?? [])
    .filter(isObject)
    .flatMap((item) => stringAt(item, "text") ?? []);
  const text = printed.length > 0 ? printed.join("\n") : command;
  if (text === "") return { kind: "link" };
  return printed.length > 0
    ? { kind: "note", about: "output", text: budget.output(text, false), chars: text.length }
    : { kind: "note", about: "command", text: budget.words(text), chars: text.length };
}
