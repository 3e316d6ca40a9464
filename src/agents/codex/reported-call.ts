import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, jsonText, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { FileTouch, ToolCallPart } from "../../session/entry.ts";
import { joinWords, readToolCall } from "../tool-call.ts";
import { type CallOutput, readCallOutput } from "./response-item.ts";
import type { CodexThread } from "./thread.ts";

const NO_OUTPUT: CallOutput = { text: "", chars: 0, exitCode: undefined, failed: false };

/**
 * Events that report how a call ended. Most calls are items as well, and then only the exit code is new; calls made
 * by a script (code mode) or typed by the user are only here.
 */
export function readReportedCall(event: JsonObject, thread: CodexThread): boolean {
  const id = stringAt(event, "call_id") ?? "";
  switch (event.type) {
    case "exec_command_end":
      reportCommand(id, event, thread);
      return true;
    case "patch_apply_end":
      reportPatch(id, event, thread);
      return true;
    case "mcp_tool_call_end": {
      const invocation = objectAt(event, "invocation");
      reportMcp(
        id,
        { ...invocation, result: objectAt(event, "result")?.Ok, error: objectAt(event, "result")?.Err },
        thread,
      );
      return true;
    }
    case "view_image_tool_call":
      report(id, "view_image", { path: event.path }, NO_OUTPUT, thread);
      return true;
    case "dynamic_tool_call_response": {
      const output = readCallOutput({
        content: event.content_items ?? event.error ?? "",
        success: event.success,
      });
      report(id, stringAt(event, "tool") ?? "dynamic_tool", event.arguments, output, thread);
      return true;
    }
    case "web_search_end":
      reportSearch(id, "web_search", event, thread);
      return true;
    case "image_generation_end":
      report(id, "image_generation", { prompt: event.revised_prompt }, NO_OUTPUT, thread);
      return true;
    default:
      return false;
  }
}

function report(
  id: string,
  name: string,
  input: unknown,
  output: CallOutput,
  thread: CodexThread,
  files: readonly FileTouch[] = [],
): void {
  const call: ToolCallPart = readToolCall(id, name, input, thread.budget);
  thread.reported(files.length === 0 ? call : { ...call, files }, output);
}

export function reportCommand(id: string, event: JsonObject, thread: CodexThread): void {
  const command = stringAt(event, "command") ?? joinWords(arrayAt(event, "command") ?? []) ?? "";
  const text = stringAt(event, "aggregated_output") ?? stringAt(event, "stdout") ?? "";
  const exitCode = numberAt(event, "exit_code") ?? null;
  const output = { text, chars: text.length, exitCode, failed: false };
  if (event.source === "user_shell") thread.shellLine(command, output, "event");
  else report(id, "shell", { command }, output, thread, readFiles(event));
}

/** Codex itself works out which files a command reads. */
function readFiles(event: JsonObject): readonly FileTouch[] {
  return (arrayAt(event, "parsed_cmd") ?? []).flatMap((part): FileTouch[] => {
    const path = isObject(part) && part.type === "read" ? (stringAt(part, "path") ?? "") : "";
    return path === "" ? [] : [{ path, mode: "read" }];
  });
}

export function reportPatch(id: string, event: JsonObject, thread: CodexThread): void {
  const paths = Object.keys(objectAt(event, "changes") ?? {});
  const text = [stringAt(event, "stdout"), stringAt(event, "stderr")].filter(Boolean).join("\n");
  const failed = event.success === false || event.status === "failed" || event.status === "declined";
  const files = paths.map((path): FileTouch => ({ path, mode: "write" }));
  report(
    id,
    "apply_patch",
    { files: paths },
    { ...NO_OUTPUT, text, chars: text.length, failed },
    thread,
    files,
  );
}

export function reportMcp(id: string, event: JsonObject, thread: CodexThread): void {
  const name = `mcp__${stringAt(event, "server") ?? ""}__${stringAt(event, "tool") ?? ""}`;
  const { error } = event;
  const hasFailed = error !== undefined && error !== null;
  const text = typeof error === "string" ? error : jsonText(error);
  const output = hasFailed
    ? { ...NO_OUTPUT, text, chars: text.length, failed: true }
    : readCallOutput(event.result);
  report(id, name, event.arguments, output, thread);
}

export function reportSearch(id: string, name: string, event: JsonObject, thread: CodexThread): void {
  const found = (arrayAt(event, "results") ?? []).map((result) => {
    if (!isObject(result)) return "";
    return [stringAt(result, "title"), stringAt(result, "url"), stringAt(result, "snippet")]
      .filter(Boolean)
      .join("\n");
  });
  const text = found.join("\n\n");
  const input = objectAt(event, "action") ?? { query: event.query };
  report(id, name, input, { ...NO_OUTPUT, text, chars: text.length }, thread);
}
