import type { JsonObject } from "../../jsonl/json-line.ts";
import { stringAt } from "../../jsonl/values.ts";
import type { CodexThread } from "./thread.ts";

/** Known items without any use here. */
const SILENT: ReadonlySet<unknown> = new Set([
  "realtime_session_started",
  "realtime_session_closed",
  // Displays an item on its own line, while the user listens.
  "bem_item_promoted",
]);

/** Reads a conversation by voice: one line for each speaker. Returns false if the item is not known. */
export function readSpoken(item: JsonObject, thread: CodexThread): boolean {
  if (item.type !== "transcript_segment") return SILENT.has(item.type);
  const text = stringAt(item, "text") ?? "";
  if (item.role === "assistant") thread.say("reply", [text], "event");
  else if (text.trim() !== "")
    thread.put({
      kind: "request",
      via: "typed",
      text: thread.budget.words(text),
      chars: text.length,
      images: 0,
    });
  return true;
}

/** Reads a message from one agent of the session to another. */
export function readAgentMail(mail: JsonObject, thread: CodexThread): void {
  const text = stringAt(mail, "content") ?? "";
  if (text.trim() === "") return;
  const from = stringAt(mail, "author");
  const whole = from === undefined ? text : `${from}: ${text}`;
  thread.put({ kind: "note", about: "custom", text: thread.budget.words(whole), chars: text.length });
}
