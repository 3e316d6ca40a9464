import type { FileTouch, WorkItem, WorkUpdate } from "../../core/model/entry.ts";
import { isObject, type JsonObject } from "../json-line.ts";
import { arrayAt, stringAt } from "../values.ts";

/** What a tool call's input says of files, commands and work. Inputs may hold anything: every type is checked. */
export interface ToolInput {
  readonly files: readonly FileTouch[];
  readonly command?: string;
  readonly work?: WorkUpdate;
}

const NO_FILES: readonly FileTouch[] = [];
const NOTHING: ToolInput = { files: NO_FILES };

export function readToolInput(tool: string, input: JsonObject): ToolInput {
  switch (tool) {
    case "Read":
      return touching(input, "file_path", "read");
    case "Edit":
    case "Write":
    case "MultiEdit":
      return touching(input, "file_path", "write");
    case "NotebookRead":
      return touching(input, "notebook_path", "read");
    case "NotebookEdit":
      return touching(input, "notebook_path", "write");
    case "Bash":
    case "PowerShell": {
      const command = stringAt(input, "command");
      return command === undefined ? NOTHING : { files: NO_FILES, command };
    }
    case "TodoWrite":
      return { files: NO_FILES, work: { kind: "list", items: readTodos(arrayAt(input, "todos")) } };
    case "TaskCreate": {
      const text = stringAt(input, "subject") ?? stringAt(input, "description");
      return text === undefined ? NOTHING : { files: NO_FILES, work: { kind: "create", text } };
    }
    case "TaskUpdate":
      return readTaskUpdate(input);
    case "ExitPlanMode": {
      const text = stringAt(input, "plan");
      return text === undefined ? NOTHING : { files: NO_FILES, work: { kind: "plan", text } };
    }
    default:
      return NOTHING;
  }
}

function touching(input: JsonObject, key: string, mode: FileTouch["mode"]): ToolInput {
  const path = stringAt(input, key);
  return path === undefined || path === "" ? NOTHING : { files: [{ path, mode }] };
}

export function readTodos(todos: readonly unknown[] | undefined): readonly WorkItem[] {
  const items: WorkItem[] = [];
  for (const todo of todos ?? []) {
    if (!isObject(todo)) continue;
    const text = stringAt(todo, "content") ?? stringAt(todo, "subject");
    if (text !== undefined) items.push({ text, status: readStatus(todo.status) ?? "pending" });
  }
  return items;
}

function readTaskUpdate(input: JsonObject): ToolInput {
  const given = input.taskId ?? input.id;
  const id = typeof given === "number" ? String(given) : given;
  if (typeof id !== "string") return NOTHING;
  const status = readStatus(input.status);
  const text = stringAt(input, "subject");
  return {
    files: NO_FILES,
    work: {
      kind: "update",
      id,
      ...(status === undefined ? {} : { status }),
      ...(text === undefined ? {} : { text }),
    },
  };
}

export function readStatus(status: unknown): WorkItem["status"] | undefined {
  return status === "pending" || status === "in_progress" || status === "completed" || status === "deleted"
    ? status
    : undefined;
}
