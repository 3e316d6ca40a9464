import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { ToolCallPart, ToolResult } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import { readContentText } from "../content-text.ts";
import type { EntryBody } from "../entry-body.ts";
import { isShellTool, readToolCall } from "../tool-call.ts";
import { readWorkList } from "../work-list.ts";

/** A tool's result; before it the calls that the tool made itself, which stand nowhere else. */
export function readToolResultMessage(
  message: JsonObject,
  uid: string,
  budget: TextBudget,
): readonly EntryBody[] {
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
  return {
    callId: stringAt(message, "toolCallId") ?? "",
    isError,
    exitCode: isShellTool(tool) ? readExitCode(text, isError) : null,
    text: budget.output(text, isError),
    chars,
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

/** Arguments that were too large are left out of the log; the call is counted all the same. */
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
