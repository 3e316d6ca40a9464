import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type { ApiMessage } from "../agent-actions.ts";

/** The message that a line adds to the conversation that Claude Code sends. */
export function claudeApiMessage(object: JsonObject): ApiMessage | undefined {
  const { type } = object;
  if ((type !== "user" && type !== "assistant") || object.isSidechain === true) return undefined;
  const content = objectAt(object, "message")?.content;
  return { role: type, content: blocksOf(content) };
}

function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block): JsonObject[] => {
    if (typeof block === "string") return [{ type: "text", text: block }];
    if (!isObject(block)) return [];
    switch (block.type) {
      case "text":
        return stringAt(block, "text") === "" ? [] : [{ type: "text", text: block.text }];
      case "image":
      case "document":
        return [{ type: block.type, source: block.source }];
      case "tool_use":
        return [{ type: "tool_use", id: block.id, name: block.name, input: block.input }];
      case "tool_result":
        return [{ type: "tool_result", tool_use_id: block.tool_use_id, content: block.content }];
      default:
        return [];
    }
  });
}
