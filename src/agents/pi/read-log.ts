import { decodeLine, isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { splitLines } from "../../jsonl/lines.ts";
import { arrayAt, jsonText, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import {
  NO_FILES,
  type PiCompaction,
  type PiEntry,
  type PiFileUse,
  type PiMessage,
  type PiSaying,
  type PiSystem,
  type PiTool,
} from "./context.ts";
import { readKeptFrom } from "./entry.ts";

/** A Pi log as Pi itself loads it: lines that are not JSON do not exist. */
export interface PiTrail {
  /** 1 if the header has none; undefined if Pi would not load the file at all. */
  readonly version: number | undefined;
  readonly entries: readonly TrailEntry[];
  /** False if the last line lacks its line end. */
  readonly isEnded: boolean;
}

export interface TrailEntry extends PiEntry {
  readonly line: number;
  /** Its place among all readable entries, including the header: version 1 names entries by it. */
  readonly index: number;
  /** False if the log has no name for it although it is not version 1. */
  readonly isNamed: boolean;
}

export function readPiTrail(chunks: Iterable<Uint8Array>): PiTrail {
  const entries: TrailEntry[] = [];
  let version: number | undefined;
  let index = -1;
  let isEnded = true;
  let last: string | null = null;
  for (const line of splitLines(chunks)) {
    isEnded = line.ended;
    const object = tryParse(decodeLine(line.bytes));
    // Pi skips `null`; other values are empty entries.
    if (object === undefined || object === null) continue;
    index++;
    if (index === 0) {
      if (!isObject(object) || object.type !== "session" || typeof object.id !== "string") break;
      version = numberAt(object, "version") ?? 1;
      continue;
    }
    if (!isObject(object) || object.type === "session") continue;
    const isOld = (version ?? 1) < 2;
    const named = stringAt(object, "id");
    const id = isOld ? `#${index}` : (named ?? `#${index}`);
    const parentId: string | null = isOld ? last : (stringAt(object, "parentId") ?? null);
    entries.push({
      id,
      parentId: parentId === "" ? null : parentId,
      says: readSaying(object, id),
      line: line.number,
      index,
      isNamed: isOld || named !== undefined,
    });
    last = id;
  }
  return { version, entries, isEnded };
}

function readSaying(object: JsonObject, id: string): PiSaying {
  switch (object.type) {
    case "message": {
      const message = objectAt(object, "message");
      return message === undefined ? { kind: "nothing" } : readMessage(message);
    }
    case "custom_message":
      return readMessage({ role: "custom", content: object.content });
    case "branch_summary": {
      const summary = stringAt(object, "summary") ?? "";
      return summary === "" ? { kind: "nothing" } : readMessage({ role: "branchSummary", summary });
    }
    case "compaction":
      return readCompaction(object, id);
    case "context_edit":
      return readEdit(object);
    default:
      return { kind: "nothing" };
  }
}

function readCompaction(object: JsonObject, id: string): PiCompaction {
  const summary = stringAt(object, "summary") ?? "";
  const keptFrom = readKeptFrom(object);
  const details = object.fromHook === true ? undefined : objectAt(object, "details");
  const system = objectAt(object, "systemMessage");
  const paths = (key: string): readonly string[] =>
    (arrayAt(details, key) ?? []).filter((path) => typeof path === "string");
  return {
    kind: "compaction",
    summary,
    tokens: tokensOf(summary.length),
    firstKept: keptFrom === undefined || keptFrom === id ? null : keptFrom,
    files: details === undefined ? NO_FILES : { read: paths("readFiles"), modified: paths("modifiedFiles") },
    ...(system === undefined ? {} : { system: readSystem(system) }),
  };
}

function readEdit(object: JsonObject): PiSaying {
  const target = stringAt(object, "targetId");
  if (target === undefined) return { kind: "nothing" };
  const replacement = objectAt(object, "replacement");
  return {
    kind: "edit",
    target,
    replacement: replacement === undefined ? null : { tokens: tokensOf(contentChars(replacement.content)) },
  };
}

/** The number of characters that Pi counts for an image. */
const IMAGE_CHARS = 4_800;

function tokensOf(chars: number): number {
  return Math.ceil(chars / 4);
}

/** A message with what a compaction needs: its role, its size by Pi's rule, the files that it touches. */
function readMessage(message: JsonObject): PiMessage {
  // Version 3 renamed the role.
  const role = message.role === "hookMessage" ? "custom" : (stringAt(message, "role") ?? "");
  const system = role === "system" ? readSystem(message) : undefined;
  return {
    kind: "message",
    role,
    tokens: tokensOf(charsOf(message, role)),
    usedTokens: role === "assistant" ? usedTokens(message) : null,
    files: filesOf(message, role),
    ...(system === undefined ? {} : { system }),
  };
}

function charsOf(message: JsonObject, role: string): number {
  switch (role) {
    case "user":
    case "custom":
    case "toolResult":
    case "assistant":
      return contentChars(message.content);
    case "system":
      return systemChars(message);
    case "bashExecution":
      return (stringAt(message, "command") ?? "").length + (stringAt(message, "output") ?? "").length;
    case "branchSummary":
    case "compactionSummary":
      return (stringAt(message, "summary") ?? "").length;
    default:
      return 0;
  }
}

function contentChars(content: unknown): number {
  if (typeof content === "string") return content.length;
  if (!Array.isArray(content)) return 0;
  let chars = 0;
  for (const block of content) {
    if (!isObject(block)) continue;
    if (block.type === "text") chars += (stringAt(block, "text") ?? "").length;
    else if (block.type === "image") chars += IMAGE_CHARS;
    else if (block.type === "thinking") chars += (stringAt(block, "thinking") ?? "").length;
    else if (block.type === "toolCall")
      chars += (stringAt(block, "name") ?? "").length + jsonText(block.arguments).length;
  }
  return chars;
}

function systemChars(message: JsonObject): number {
  const sections = Object.values(objectAt(message, "sections") ?? {});
  const inSections = sections.reduce<number>(
    (sum, text) => sum + (typeof text === "string" ? text.length : 0),
    0,
  );
  const added = arrayAt(message, "toolsAdded");
  return contentChars(message.content) + inSections + (added === undefined ? 0 : jsonText(added).length);
}

/** The number of tokens that the model read; null if it failed or was stopped. */
function usedTokens(message: JsonObject): number | null {
  const usage = objectAt(message, "usage");
  if (usage === undefined || message.stopReason === "aborted" || message.stopReason === "error") return null;
  const part = (key: string): number => numberAt(usage, key) ?? 0;
  const used = part("totalTokens") || part("input") + part("output") + part("cacheRead") + part("cacheWrite");
  return used > 0 ? used : null;
}

/** Calls of the tools that read and write files; those inside other calls are on the result. */
function filesOf(message: JsonObject, role: string): PiFileUse {
  const calls =
    role === "assistant" ? arrayAt(message, "content") : role === "toolResult" ? nestedCalls(message) : [];
  const read: string[] = [];
  const modified: string[] = [];
  for (const call of calls ?? []) {
    if (!isObject(call) || (role === "assistant" && call.type !== "toolCall")) continue;
    const path = stringAt(objectAt(call, "arguments"), "path") ?? "";
    if (path === "") continue;
    if (call.name === "read") read.push(path);
    else if (call.name === "write" || call.name === "edit") modified.push(path);
  }
  return read.length + modified.length === 0 ? NO_FILES : { read, modified };
}

function nestedCalls(message: JsonObject): readonly unknown[] | undefined {
  return arrayAt(objectAt(message, "nestedCalls"), "calls");
}

function readSystem(message: JsonObject): PiSystem {
  const { content } = message;
  const texts = Array.isArray(content)
    ? content.filter(isObject).filter((block) => block.type === "text")
    : [];
  const sections: Record<string, string | null> = {};
  for (const [name, text] of Object.entries(objectAt(message, "sections") ?? {}))
    if (typeof text === "string" || text === null) sections[name] = text;
  return {
    text:
      typeof content === "string" ? content : texts.map((block) => stringAt(block, "text") ?? "").join("\n"),
    sections,
    toolsAdded: (arrayAt(message, "toolsAdded") ?? []).flatMap((tool): PiTool[] => {
      const name = isObject(tool) ? stringAt(tool, "name") : undefined;
      return isObject(tool) && name !== undefined ? [{ name, declaration: tool }] : [];
    }),
    toolsRemoved: (arrayAt(message, "toolsRemoved") ?? []).flatMap((tool) =>
      isObject(tool) ? (stringAt(tool, "name") ?? []) : [],
    ),
  };
}
