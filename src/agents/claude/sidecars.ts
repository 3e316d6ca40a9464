import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { stringAt } from "../../jsonl/values.ts";
import type { WorkItem } from "../../session/entry.ts";
import type { SessionFile, Sidecar } from "../agent.ts";
import { agentIdOf } from "./claude-files.ts";
import { readStatus, readTodos } from "./tool-input.ts";

export function readClaudeSidecar(file: SessionFile, text: string): Sidecar | undefined {
  const value = tryParse(text);
  switch (file.role) {
    case "title": {
      const title = isObject(value) ? stringAt(value, "customTitle") : undefined;
      return title === undefined || title.trim() === "" ? undefined : { title };
    }
    case "todos":
      return Array.isArray(value) ? { work: readTodos(value) } : undefined;
    case "task": {
      const task = isObject(value) ? readTask(value) : undefined;
      return task === undefined ? undefined : { work: [task] };
    }
    case "subagent-meta":
      return isObject(value)
        ? {
            subagent: {
              id: agentIdOf(file),
              type: stringAt(value, "agentType") ?? null,
              description: stringAt(value, "description") ?? null,
              callId: stringAt(value, "toolUseId") ?? null,
            },
          }
        : undefined;
    default:
      return undefined;
  }
}

function readTask(task: JsonObject): WorkItem | undefined {
  const given = task.id;
  const id = typeof given === "number" ? String(given) : given;
  const text = stringAt(task, "subject") ?? stringAt(task, "description");
  if (typeof id !== "string" || text === undefined) return undefined;
  return { id, text, status: readStatus(task.status) ?? "pending" };
}
