import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { FileTouch, ToolResult, WorkItem, WorkUpdate } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import { readQuestions } from "../tool-call.ts";
import type { ClaudeLine } from "./read-line.ts";

/** Files, commands and todo items in a tool call's input. Inputs may contain anything, so every type is checked. */
interface ToolInput {
  readonly files: readonly FileTouch[];
  readonly command?: string;
  readonly work?: WorkUpdate;
  readonly questions?: readonly string[];
}

const NO_FILES: readonly FileTouch[] = [];
const NOTHING: ToolInput = { files: NO_FILES };

/** Files that calls touch, each kept once: the same few recur all the time. */
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
    case "AskUserQuestion":
      return { files: NO_FILES, questions: readQuestions(input) };
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

/** Tools whose `toolUseResult` has facts that are nowhere else. */
const RESULT_NEEDED = new Set(["Task", "Agent", "TaskCreate"]);

const EXIT_CODE = /^Exit code (\d{1,9})\b/;

/** `tool` is the name of the tool that was called, if its call was seen; `object` and `line` hold the result. */
export function readToolResult(
  block: JsonObject,
  callId: string,
  tool: string | undefined,
  budget: TextBudget,
  object: JsonObject,
  line: Pick<ClaudeLine, "toolUseResult">,
): ToolResult {
  const { content } = block;
  const { text, chars } =
    typeof content === "string" ? { text: content, chars: content.length } : listText(content);
  const isError = block.is_error === true;
  const extra = tool !== undefined && RESULT_NEEDED.has(tool) ? readExtra(tool, object, line) : NO_EXTRA;
  const kept = budget.output(text, isError);
  return {
    callId,
    isError,
    exitCode: exitCode(text, isError),
    text: kept,
    chars,
    moreWords: budget.moreWords(text, kept),
    spilledTo: spillPath(text),
    agentId: extra.agentId,
    work: extra.work,
  };
}

/** The exit code by the contract's rule: N of `Exit code N`; 0 if the result is no error; otherwise unknown. */
function exitCode(text: string, isError: boolean): number | null {
  const match = text.startsWith("Exit code ") ? EXIT_CODE.exec(text) : null;
  if (match !== null) return Number(match[1]);
  return isError ? null : 0;
}

/** Text blocks joined; images count with the length of their base64, and leave no text. */
function listText(content: unknown): { readonly text: string; readonly chars: number } {
  if (!Array.isArray(content)) return { text: "", chars: 0 };
  const texts: string[] = [];
  let chars = 0;
  for (const part of content) {
    if (typeof part === "string") texts.push(part);
    if (!isObject(part)) continue;
    const text = stringAt(part, "text");
    if (text !== undefined) texts.push(text);
    else chars += stringAt(objectAt(part, "source"), "data")?.length ?? 0;
  }
  const text = texts.join("\n");
  return { text, chars: chars + text.length };
}

function spillPath(text: string): string | undefined {
  if (!text.startsWith("<persisted-output>")) return undefined;
  return /Full output saved to: (.+)/.exec(text.slice(0, 4_000))?.[1]?.trim();
}

interface ResultExtra {
  readonly agentId?: string | undefined;
  readonly work?: WorkUpdate | undefined;
}

const NO_EXTRA: ResultExtra = {};

function readExtra(
  tool: string,
  object: JsonObject,
  { toolUseResult }: Pick<ClaudeLine, "toolUseResult">,
): ResultExtra {
  const result = toolUseResult === undefined ? object.toolUseResult : toolUseResult();
  if (!isObject(result)) return NO_EXTRA;
  if (tool === "TaskCreate") {
    const task = objectAt(result, "task");
    const given = task?.id;
    const id = typeof given === "number" ? String(given) : given;
    if (typeof id !== "string") return NO_EXTRA;
    const text = stringAt(task, "subject");
    return { work: { kind: "created", id, ...(text === undefined ? {} : { text }) } };
  }
  return { agentId: stringAt(result, "agentId") };
}
