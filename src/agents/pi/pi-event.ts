import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { EntryBody } from "../entry-body.ts";
import type { PiRead } from "./pi-entry.ts";
import { readPiMessage } from "./pi-message.ts";
import { readModelName } from "./pi-model.ts";

/**
 * A relative of Pi (header version 0) logs events: `{type:"user/message",seq,time,data}`. The messages
 * inside are like Pi's; chunks and `tool/call` repeat what the message says as a whole.
 */
export function readPiEvent(
  object: JsonObject,
  tools: ReadonlyMap<string, string>,
  budget: TextBudget,
): PiRead | undefined {
  const type = stringAt(object, "type") ?? "";
  const data = objectAt(object, "data");
  if (data === undefined || !type.includes("/")) return undefined;
  switch (type) {
    case "user/message":
      return { bodies: readPiMessage({ ...data, role: "user" }, "", budget) ?? [] };
    case "assistant/message": {
      const message = objectAt(data, "message") ?? data;
      return { bodies: readPiMessage({ ...message, role: "assistant" }, "", budget) ?? [] };
    }
    case "tool/result":
      return { bodies: readResults(objectAt(data, "message") ?? data, tools, budget) };
    case "request/header": {
      const model = readModelName(objectAt(objectAt(data, "header"), "config"));
      return { bodies: [{ kind: "link" }], facts: model === undefined ? [] : [{ name: "model", model }] };
    }
    default:
      return { bodies: [{ kind: "link" }] };
  }
}

/** Its results do not name their tool, as Pi's do. */
function readResults(
  message: JsonObject,
  tools: ReadonlyMap<string, string>,
  budget: TextBudget,
): readonly EntryBody[] {
  return (arrayAt(message, "content") ?? []).flatMap((block) => {
    if (!isObject(block)) return [];
    const toolName = tools.get(stringAt(block, "toolCallId") ?? "");
    return readPiMessage({ toolName, ...block, role: "toolResult" }, "", budget) ?? [];
  });
}
