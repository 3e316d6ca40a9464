import type { JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, jsonText, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { ReplyPart, ToolResult, Usage } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import { hasFailed, isShellTool, readToolCall } from "../tool-call.ts";

/** The content that a part adds to a message of the user. */
export interface UserPart {
  /** The user's own text. */
  readonly text?: string;
  /** Text that opencode inserted in the user's place. */
  readonly added?: string;
  readonly image?: true;
  readonly command?: string;
  /** The first message that is kept, if known. */
  readonly compaction?: { readonly isAuto: boolean; readonly keptFrom: string | null };
}

/** undefined if it is not known. */
export function readUserPart(part: JsonObject): UserPart | undefined {
  switch (part.type) {
    case "text": {
      const text = stringAt(part, "text") ?? "";
      return part.synthetic === true || part.ignored === true ? { added: text } : { text: unquoted(text) };
    }
    case "file":
      return stringAt(part, "mime")?.startsWith("image/") === true ? { image: true } : {};
    case "subtask":
      return { command: stringAt(part, "prompt") ?? stringAt(part, "description") ?? "" };
    case "compaction":
      return {
        compaction: { isAuto: part.auto === true, keptFrom: stringAt(part, "tail_start_id") ?? null },
      };
    default:
      return SILENT.has(part.type) ? {} : undefined;
  }
}

/** `opencode run` quotes a prompt of several words, with a backslash before quotes in it. */
function unquoted(text: string): string {
  const inner = text.slice(1, -1);
  const isQuoted = inner !== "" && text.startsWith('"') && text.endsWith('"');
  return isQuoted && !inner.replaceAll('\\"', "").includes('"') ? inner.replaceAll('\\"', '"') : text;
}

/** Bookkeeping of opencode: steps, states of the worktree, names of agents. */
const SILENT: ReadonlySet<unknown> = new Set(["agent", "patch", "snapshot", "step-start", "step-finish"]);

/** The content of a part of a reply. */
export interface ReplyPiece {
  readonly part?: ReplyPart;
  readonly result?: ToolResult;
  /** The request to the model failed, and was sent again. */
  readonly retry?: string;
}

/** undefined if it is not known. */
export function readReplyPiece(part: JsonObject, id: string, budget: TextBudget): ReplyPiece | undefined {
  switch (part.type) {
    case "text": {
      const text = stringAt(part, "text") ?? "";
      return text === "" ? {} : { part: { kind: "text", text: budget.words(text), chars: text.length } };
    }
    case "reasoning": {
      const text = stringAt(part, "text") ?? "";
      return text === ""
        ? {}
        : { part: { kind: "thinking", text: budget.thinking(text), chars: text.length } };
    }
    case "tool":
      return readTool(part, id, budget);
    case "retry":
      return { retry: errorText(objectAt(part, "error")) };
    case "file":
      return {};
    default:
      return SILENT.has(part.type) ? {} : undefined;
  }
}

function readTool(part: JsonObject, id: string, budget: TextBudget): ReplyPiece {
  const tool = stringAt(part, "tool") ?? "";
  const callId = stringAt(part, "callID") ?? id;
  const state = objectAt(part, "state");
  const call = readToolCall(callId, tool, state?.input, budget);
  const couldNotRun = state?.status === "error";
  if (!couldNotRun && state?.status !== "completed") return { part: call };
  const text = stringAt(state, couldNotRun ? "error" : "output") ?? "";
  const metadata = objectAt(state, "metadata");
  const agentId = stringAt(metadata, "sessionId");
  const exitCode = isShellTool(tool) ? (numberAt(metadata, "exit") ?? (couldNotRun ? null : 0)) : null;
  const isError = hasFailed(couldNotRun, exitCode);
  // Output that is too long for the model is in a file.
  const spilledTo = metadata?.truncated === true ? stringAt(metadata, "outputPath") : undefined;
  const kept = budget.output(text, isError);
  const images = (arrayAt(state, "attachments") ?? []).reduce<number>(
    (sum, each) => sum + jsonText(each).length,
    0,
  );
  return {
    part: call,
    result: {
      callId,
      isError,
      exitCode,
      text: kept,
      chars: text.length + images,
      moreWords: budget.moreWords(text, kept),
      ...(agentId === undefined || agentId === "" ? {} : { agentId }),
      ...(spilledTo === undefined ? {} : { spilledTo }),
    },
  };
}

/** Explains the error of a message in a few words. */
export function errorText(error: JsonObject | undefined): string {
  const text = stringAt(objectAt(error, "data"), "message") ?? stringAt(error, "message");
  return text === undefined || text === "" ? (stringAt(error, "name") ?? "") : text;
}

export function readTokens(data: JsonObject): Usage | undefined {
  const tokens = objectAt(data, "tokens");
  if (tokens === undefined) return undefined;
  const cache = objectAt(tokens, "cache");
  return {
    inputTokens: numberAt(tokens, "input") ?? 0,
    outputTokens: (numberAt(tokens, "output") ?? 0) + (numberAt(tokens, "reasoning") ?? 0),
    cacheReadTokens: numberAt(cache, "read") ?? 0,
    cacheWriteTokens: numberAt(cache, "write") ?? 0,
  };
}
