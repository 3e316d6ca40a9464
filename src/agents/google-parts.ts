import { isObject, type JsonObject } from "../jsonl/json-line.ts";
import { arrayAt, jsonText, numberAt, objectAt, stringAt } from "../jsonl/values.ts";
import type { ReplyPart, ToolResult } from "../session/entry.ts";
import type { TextBudget } from "../session/text-budget.ts";
import { INPUT_DATA, OUTPUT_DATA, openScope, RESULT_DATA, type TextScope } from "./text-rules.ts";
import { hasFailed, isShellTool, readToolCall } from "./tool-call.ts";

/*
 * The parts of a message in Google's API (`text`, `thought`, `functionCall`, `functionResponse`, `inlineData`), which
 * Gemini CLI and its relatives write into their logs unchanged.
 */

/** The parts of a content: a string, one part, or a list of parts and strings. */
export function partsOf(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  if (isObject(content)) return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) =>
    typeof part === "string" ? [{ text: part }] : isObject(part) ? [part] : [],
  );
}

interface PromptText {
  readonly text: string;
  /** The length of all texts in the log, including those of pasted files. */
  readonly chars: number;
  readonly images: number;
}

/** Introduces the content of files that the prompt names with @. */
const FILES_START = /^\s*--- Content from referenced files ---/;

/** The user's own text, without the content of files that the agent appended. */
export function readPrompt(parts: readonly JsonObject[]): PromptText {
  const texts = parts.flatMap((part) => stringAt(part, "text") ?? []);
  const filesAt = texts.findIndex((text) => FILES_START.test(text));
  const own = filesAt === -1 ? texts : texts.slice(0, filesAt);
  return {
    text: own.join("\n"),
    chars: texts.reduce((sum, text) => sum + text.length, 0),
    images: parts.filter((part) => "inlineData" in part || "fileData" in part).length,
  };
}

/** The words and calls of the model. `place`: a name for calls that have none. */
export function readReplyParts(
  parts: readonly JsonObject[],
  place: string,
  budget: TextBudget,
): readonly ReplyPart[] {
  return parts.flatMap((part, at): readonly ReplyPart[] => {
    const call = objectAt(part, "functionCall");
    if (call !== undefined) {
      const name = stringAt(call, "name") ?? "";
      return [readToolCall(stringAt(call, "id") ?? `${place}/${at}`, name, call.args, budget)];
    }
    const text = stringAt(part, "text") ?? "";
    if (text === "") return [];
    return part.thought === true
      ? [{ kind: "thinking", text: budget.thinking(text), chars: text.length }]
      : [{ kind: "text", text: budget.words(text), chars: text.length }];
  });
}

export function isResponse(part: JsonObject): boolean {
  return objectAt(part, "functionResponse") !== undefined;
}

/** Facts about a result that its part lacks. */
interface ResultNote {
  readonly isError?: boolean;
  readonly exitCode?: number | null;
  readonly agentId?: string | undefined;
  readonly spilledTo?: string | undefined;
}

/** The result of a tool, in a `functionResponse`. */
export function readResponse(
  part: JsonObject,
  budget: TextBudget,
  note: ResultNote = {},
): ToolResult | undefined {
  const response = objectAt(part, "functionResponse");
  if (response === undefined) return undefined;
  const answer = response.response;
  const error = isObject(answer) ? answer.error : undefined;
  const given = isObject(answer) ? (error ?? answer.output ?? answer) : answer;
  const isError = note.isError ?? error !== undefined;
  return readToolOutput(
    { callId: stringAt(response, "id") ?? "", tool: stringAt(response, "name") ?? "" },
    typeof given === "string" ? given : given === undefined || given === null ? "" : jsonText(given),
    budget,
    { ...note, isError },
  );
}

export function readToolOutput(
  { callId, tool }: { readonly callId: string; readonly tool: string },
  whole: string,
  budget: TextBudget,
  { isError: couldNotRun = false, exitCode: told, agentId, spilledTo }: ResultNote,
): ToolResult {
  const text = withoutFrame(whole);
  const exitCode = isShellTool(tool) ? (told ?? readExitCode(text, couldNotRun)) : null;
  const isError = hasFailed(couldNotRun, exitCode);
  return {
    callId,
    isError,
    exitCode,
    text: budget.output(text, isError),
    chars: whole.length,
    ...(agentId === undefined ? {} : { agentId }),
    ...(spilledTo === undefined ? {} : { spilledTo }),
  };
}

/** A warning to the model that tool output can't be trusted. */
function withoutFrame(text: string): string {
  return text.replace(/^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/, "$1");
}

const EXIT_CODE = /^Exit Code: (\d{1,9})$/m;

/** Shells report their exit code after all output, in some versions only if it is not 0. */
function readExitCode(text: string, isError: boolean): number | null {
  const found = EXIT_CODE.exec(text.slice(-400));
  if (found !== null) return Number(found[1]);
  return isError ? null : 0;
}

/** Token counts by the names of Google's API. Cached tokens are part of the prompt. */
export function readGoogleUsage(usage: JsonObject | undefined): ReturnType<typeof tokensUsed> | undefined {
  if (usage === undefined) return undefined;
  const count = (key: string): number => numberAt(usage, key) ?? 0;
  return tokensUsed(
    count("promptTokenCount"),
    count("candidatesTokenCount") + count("thoughtsTokenCount"),
    count("cachedContentTokenCount"),
  );
}

export function tokensUsed(
  prompt: number,
  outputTokens: number,
  cached: number,
): {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
} {
  return {
    inputTokens: Math.max(0, prompt - cached),
    outputTokens,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  };
}

/** The summary in a history that replaces another one: its first message of the user. */
export function summaryIn(history: readonly unknown[]): string | undefined {
  for (const content of history) {
    if (!isObject(content) || content.role !== "user") continue;
    const { text } = readPrompt(partsOf(arrayAt(content, "parts")));
    if (text.trim() !== "") return text;
  }
  return undefined;
}

/** The scope of a member of a line (`TextRules.member`): calls and results, and displayed results. */
export function googleMember(key: string, { role, isFinal }: TextScope): TextScope | undefined {
  if (key === "args") return role === "input" || role === "reply" ? INPUT_DATA : undefined;
  if (key === "response") return role === "output" ? OUTPUT_DATA : undefined;
  if (isFinal) return undefined;
  if (key === "functionCall") return openScope("input");
  if (key === "functionResponse") return openScope("output");
  return key === "resultDisplay" ? RESULT_DATA : undefined;
}
