import type { JsonObject } from "../../jsonl/json-line.ts";

/** Logs of 2025's first half have no envelope: a header without a type, then the items themselves. */
export const OLD_ITEM_TYPES: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
  "web_search_call",
]);

export function isOldHeader(object: JsonObject): boolean {
  if ("type" in object || typeof object.id !== "string" || typeof object.timestamp !== "string") return false;
  return "instructions" in object || "git" in object;
}
