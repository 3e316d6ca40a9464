import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type { Entry, ToolResult } from "../../session/entry.ts";
import type { ClaudeState, Envelope } from "./claude-parser.ts";
import type { ClaudeLine } from "./read-line.ts";
import { readToolResult } from "./tool-result.ts";
import { readUserText, type UserText } from "./user-text.ts";

/** A line of the user's side: tool results, a request, or something that only looks like one. */
export function readUserLine(
  object: JsonObject,
  envelope: Envelope,
  state: ClaudeState,
  line: ClaudeLine,
): Entry {
  const content = readContent(isObject(object.message) ? object.message.content : undefined);
  if (content.results.length > 0) {
    const results: ToolResult[] = [];
    for (let index = 0; index < content.results.length; index++) {
      const block = content.results[index] ?? object;
      const callId = typeof block.tool_use_id === "string" ? block.tool_use_id : "";
      const tool = state.openCalls.get(callId);
      if (tool !== undefined) state.openCalls.delete(callId);
      results.push(readToolResult(block, callId, tool, state.budget, object, line));
    }
    // Words beside a result are the user's: an answer to a question, a reason to refuse.
    if (content.text.trim() !== "") {
      state.emit({
        kind: "note",
        line: envelope.line,
        about: "custom",
        text: state.budget.words(content.text),
        chars: content.text.length,
      });
    }
    return { kind: "results", ...envelope, results };
  }
  const { text } = content;
  if (object.isCompactSummary === true) return readSummary(text, envelope, state);
  if (isNoPrompt(object)) return note("meta", text, envelope, state);
  const read: UserText = readUserText(text);
  switch (read.kind) {
    case "summary":
      return readSummary(read.text, envelope, state);
    case "note":
      return note(read.about, read.text, envelope, state);
    case "empty":
      return { kind: "link", ...envelope };
    case "request": {
      const copiedFrom = readForkedFrom(object.forkedFrom);
      return {
        kind: "request",
        ...envelope,
        via: read.via,
        text: state.budget.words(read.text),
        chars: text.length,
        images: content.images,
        ...(copiedFrom === undefined ? {} : { copiedFrom }),
      };
    }
  }
}

/** Lines that the agent's program wrote for the user; newer versions say so. */
function isNoPrompt(object: JsonObject): boolean {
  if (object.isMeta === true || object.teamName !== undefined || object.promptSource === "system")
    return true;
  // A slash command that the model started, not the user.
  if (typeof object.sourceToolUseID === "string") return true;
  const origin = stringAt(objectAt(object, "origin"), "kind");
  return origin !== undefined && origin !== "human";
}

/** The summary of the compaction before it; one that no boundary announced is a compaction itself. */
function readSummary(text: string, envelope: Envelope, state: ClaudeState): Entry {
  const kept = state.budget.words(text);
  if (state.openBoundary !== undefined) {
    state.openBoundary = undefined;
    return { kind: "summary", ...envelope, of: "compaction", text: kept };
  }
  const logicalParent = envelope.parent ?? state.lastUid;
  return {
    kind: "compaction",
    ...envelope,
    parent: null,
    trigger: null,
    tokensBefore: null,
    tokensAfter: null,
    summary: kept,
    ...(logicalParent === undefined ? {} : { logicalParent }),
  };
}

function note(
  about: "meta" | "output" | "interrupt" | "system" | "command" | "custom" | "error",
  text: string,
  envelope: Envelope,
  state: ClaudeState,
): Entry {
  return { kind: "note", ...envelope, about, text: state.budget.output(text, false), chars: text.length };
}

interface UserContent {
  readonly text: string;
  readonly images: number;
  /** The blocks that hold them. */
  readonly results: readonly JsonObject[];
}

const NO_RESULTS: readonly JsonObject[] = [];

function readContent(content: unknown): UserContent {
  if (typeof content === "string") return { text: content, images: 0, results: NO_RESULTS };
  if (!Array.isArray(content)) return { text: "", images: 0, results: NO_RESULTS };
  const texts: string[] = [];
  const results: JsonObject[] = [];
  let images = 0;
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    if (typeof block === "string") texts.push(block);
    if (!isObject(block)) continue;
    if (block.type === "tool_result") results.push(block);
    else if (block.type === "image" || block.type === "document") images++;
    else texts.push(stringAt(block, "text") ?? "");
  }
  return { text: texts.length === 0 ? "" : texts.join("\n"), images, results };
}

/** SDKs write an object; some tools a string. */
function readForkedFrom(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return isObject(value) ? stringAt(value, "sessionId") : undefined;
}
