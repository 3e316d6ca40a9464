import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { ApiMessage } from "../agent-actions.ts";

/** The message that an entry adds to the conversation that Pi sends. */
export function piApiMessage(object: JsonObject): ApiMessage | undefined {
  const message = objectAt(object, "message");
  if (object.type === "compaction" || object.type === "branch_summary") {
    return { role: "user", content: piBlocks(stringAt(object, "summary")) };
  }
  switch (message?.role) {
    case "user":
      return { role: "user", content: piBlocks(message.content) };
    case "assistant":
      return { role: "assistant", content: piBlocks(message.content) };
    case "toolResult":
      return {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: message.toolCallId, content: piBlocks(message.content) },
        ],
      };
    case "bashExecution": {
      const text = `${stringAt(message, "command") ?? ""}\n${stringAt(message, "output") ?? ""}`;
      return { role: "user", content: [{ type: "text", text }] };
    }
    default:
      return undefined;
  }
}

function piBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (arrayAt({ content }, "content") ?? []).flatMap((block): JsonObject[] => {
    if (!isObject(block)) return [];
    if (block.type === "text") return [{ type: "text", text: block.text }];
    if (block.type === "image") {
      return [{ type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } }];
    }
    return block.type === "toolCall"
      ? [{ type: "tool_use", id: block.id, name: block.name, input: block.arguments ?? {} }]
      : [];
  });
}
