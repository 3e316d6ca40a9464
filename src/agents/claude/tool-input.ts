import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, stringAt } from "../../jsonl/values.ts";
import type { FileTouch, WorkItem, WorkUpdate } from "../../session/entry.ts";

/** What a tool call's input says of files, commands and work. Inputs may hold anything: every type is checked. */
export interface ToolInput {
  readonly files: readonly FileTouch[];
  readonly command?: string;
  readonly work?: WorkUpdate;
}

const NO_FILES: readonly FileTouch[] = [];
const NOTHING: ToolInput = { files: NO_FILES };

/** Files that calls touch, each once: the same few are touched again and again. */
export type Touched = Map<string, ToolInput>;

export function readToolInput(tool: string, input: JsonObject, touched: Touched): ToolInput {
  switch (tool) {
    case "Read":
      return touching(input, "file_path", "read", touched);
    case "Edit":
    case "Write":
    case "MultiEdit":
      return touching(input, "file_path", "write", touched);
    case "NotebookRead":
      return touching(input, "notebook_path", "read", touched);
    case "NotebookEdit":
      return touching(input, "notebook_path", "write", touched);
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

function touching(input: JsonObject, key: string, mode: FileTouch["mode"], touched: Touched): ToolInput {
  const path = stringAt(input, key);
  if (path === undefined || path === "") return NOTHING;
  const name = `${mode} ${path}`;
  const known = touched.get(name);
  if (known !== undefined) return known;
  const touch: ToolInput = { files: [{ path, mode }] };
  touched.set(name, touch);
  return touch;
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
