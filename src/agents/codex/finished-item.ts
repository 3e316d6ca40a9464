import type { JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, stringAt } from "../../jsonl/values.ts";
import { readContentText } from "../entry-body.ts";
import { reportCommand, reportMcp, reportPatch, reportSearch } from "./reported-call.ts";
import type { CodexThread } from "./thread.ts";
import { requestText } from "./user-text.ts";

/** Known items without any use here: other lines say the same. */
const SILENT: ReadonlySet<unknown> = new Set([
  "ContextCompaction",
  "EnteredReviewMode",
  "ExitedReviewMode",
  "ImageView",
  "ImageGeneration",
  "HookPrompt",
  "FunctionCallOutput",
  "DynamicToolCall",
  "CollabAgentToolCall",
  "SubAgentActivity",
  "Sleep",
]);

/** In paginated mode, work is reported as items of the interface. Returns false for an unknown item. */
export function readFinishedItem(item: JsonObject, thread: CodexThread): boolean {
  const id = stringAt(item, "id") ?? "";
  switch (item.type) {
    case "UserMessage": {
      const { text, images } = readContentText(item.content);
      thread.request(requestText(text), text, images, "event");
      return true;
    }
    case "AgentMessage":
      thread.say("reply", [readContentText(item.content).text], "event");
      return true;
    case "Plan":
      thread.say("reply", [stringAt(item, "text") ?? ""], "event");
      return true;
    case "Reasoning": {
      const blocks = [...(arrayAt(item, "summary_text") ?? []), ...(arrayAt(item, "raw_content") ?? [])];
      thread.say(
        "thinking",
        blocks.map((block) => readContentText(block).text),
        "event",
      );
      return true;
    }
    case "CommandExecution":
      reportCommand(id, item, thread);
      return true;
    case "FileChange":
      reportPatch(id, item, thread);
      return true;
    case "McpToolCall":
      reportMcp(id, item, thread);
      return true;
    case "WebSearch":
    case "Extension":
      reportSearch(id, stringAt(item, "kind") ?? "web_search", item, thread);
      return true;
    default:
      return SILENT.has(item.type);
  }
}
