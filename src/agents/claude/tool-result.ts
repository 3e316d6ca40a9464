import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type { ToolResult, WorkUpdate } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { ClaudeLine } from "./read-line.ts";

/** Tools whose `toolUseResult` says something that stands nowhere else. */
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
  return {
    callId,
    isError,
    exitCode: exitCode(text, isError),
    text: budget.output(text, isError),
    chars,
    spilledTo: spillPath(text),
    agentId: extra.agentId,
    work: extra.work,
  };
}

/** The contract's rule: N of `Exit code N`; 0 where the result is no error; else not known. */
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
