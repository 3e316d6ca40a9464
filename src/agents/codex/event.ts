import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, jsonText, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { NoteEntry, Usage } from "../../session/entry.ts";
import { readFinishedItem } from "./finished-item.ts";
import { readReportedCall } from "./reported-call.ts";
import type { CodexThread } from "./thread.ts";
import { requestText } from "./user-text.ts";

/** Known events without any use here: they repeat other lines, or control the interface. */
const SILENT: ReadonlySet<unknown> = new Set([
  "task_started",
  "turn_started",
  "context_compacted",
  "thread_settings_applied",
  "thread_goal_updated",
  "sub_agent_activity",
  "guardian_assessment",
  "dynamic_tool_call_request",
  "collab_agent_spawn_end",
  "collab_agent_interaction_end",
  "collab_waiting_end",
  "collab_close_end",
  "account/rateLimits/updated",
  "codex/event/raw_item",
]);

/** Reads an event of Codex's interface. Returns false if it is not known. */
export function readEvent(event: JsonObject, thread: CodexThread): boolean {
  switch (event.type) {
    case "user_message":
      readUserMessage(event, thread);
      return true;
    case "agent_message":
      thread.say("reply", [stringAt(event, "message") ?? ""], "event");
      return true;
    case "agent_reasoning":
    case "agent_reasoning_raw_content":
      thread.say("thinking", [stringAt(event, "text") ?? ""], "event");
      return true;
    case "token_count":
      readTokens(objectAt(event, "info"), thread);
      return true;
    case "turn.completed": {
      const usage = readUsage(objectAt(event, "usage"));
      if (usage !== undefined) thread.usage(usage);
      return true;
    }
    case "turn_aborted":
      note("interrupt", `Turn aborted: ${stringAt(event, "reason") ?? "unknown"}`, thread);
      return true;
    case "error":
    case "stream_error":
    case "task_complete":
    case "turn_complete":
      note("error", errorText(event), thread);
      return true;
    case "undo_completed":
      note("meta", stringAt(event, "message") ?? "", thread);
      return true;
    case "thread_name_updated":
      thread.title(stringAt(event, "thread_name") ?? "");
      return true;
    case "thread_rolled_back":
      thread.rollBack(numberAt(event, "num_turns") ?? 0);
      return true;
    case "entered_review_mode":
      readReviewRequest(event, thread);
      return true;
    case "exited_review_mode":
      readReview(objectAt(event, "review_output"), thread);
      return true;
    case "item_completed":
      return readFinishedItem(objectAt(event, "item") ?? {}, thread);
    default:
      return readReportedCall(event, thread) || SILENT.has(event.type);
  }
}

function readUserMessage(event: JsonObject, thread: CodexThread): void {
  // Old versions reported as a message what they had inserted themselves, and said so.
  if (event.kind === "user_instructions" || event.kind === "environment_context") return;
  const images = (arrayAt(event, "images")?.length ?? 0) + (arrayAt(event, "local_images")?.length ?? 0);
  const text = stringAt(event, "message") ?? "";
  thread.request(requestText(text), text, images, "event");
}

function note(about: NoteEntry["about"], text: string, thread: CodexThread): void {
  if (text.trim() === "") return;
  const kept =
    about === "interrupt" ? thread.budget.words(text) : thread.budget.output(text, about === "error");
  thread.put({ kind: "note", about, text: kept, chars: text.length });
}

function errorText(event: JsonObject): string {
  const error = objectAt(event, "error");
  if (error !== undefined) return stringAt(error, "message") ?? jsonText(error);
  return event.type === "error" || event.type === "stream_error" ? (stringAt(event, "message") ?? "") : "";
}

/** The count is written again whenever the limits of the account change; only a new total means a new message. */
function readTokens(info: JsonObject | undefined, thread: CodexThread): void {
  const usage = readUsage(objectAt(info, "last_token_usage"));
  if (usage !== undefined) thread.usage(usage, jsonText(info?.total_token_usage));
}

/** Codex includes cached input in input; everywhere else here the two are separate. */
function readUsage(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const cacheReadTokens = numberAt(usage, "cached_input_tokens") ?? 0;
  const cacheWriteTokens = numberAt(usage, "cache_write_input_tokens") ?? 0;
  const input = numberAt(usage, "input_tokens") ?? 0;
  return {
    inputTokens: Math.max(0, input - cacheReadTokens - cacheWriteTokens),
    outputTokens: numberAt(usage, "output_tokens") ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/** `/review` with its target. */
function readReviewRequest(event: JsonObject, thread: CodexThread): void {
  const target = stringAt(event, "user_facing_hint") ?? stringAt(event, "prompt") ?? "";
  const text = `/review ${target}`.trim();
  thread.put({
    kind: "request",
    via: "command",
    text: thread.budget.words(text),
    chars: text.length,
    images: 0,
  });
}

function readReview(review: JsonObject | undefined, thread: CodexThread): void {
  const findings = (arrayAt(review, "findings") ?? []).map((finding) => {
    if (!isObject(finding)) return "";
    const path = stringAt(objectAt(finding, "code_location"), "absolute_file_path");
    const lines = [stringAt(finding, "title"), path, stringAt(finding, "body")];
    return lines.filter((line) => line !== undefined).join("\n");
  });
  const texts = [stringAt(review, "overall_explanation") ?? "", ...findings];
  thread.say("reply", [texts.filter((text) => text !== "").join("\n\n")], "event");
}
