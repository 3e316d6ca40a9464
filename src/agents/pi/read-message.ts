import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { jsonText } from "../../jsonl/json-text.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import { NO_FILES, type PiFileUse, type PiMessage, type PiSystem, type PiTool } from "./pi-trail.ts";

/** Pi counts an image as so many characters. */
const IMAGE_CHARS = 4_800;

export function tokensOf(chars: number): number {
  return Math.ceil(chars / 4);
}

/** A message as a compaction must know it: its role, its size by Pi's rule, the files that it touches. */
export function readMessage(message: JsonObject): PiMessage {
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

export function contentChars(content: unknown): number {
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

/** What the model had in front of it; nothing where it failed or was stopped. */
function usedTokens(message: JsonObject): number | null {
  const usage = objectAt(message, "usage");
  if (usage === undefined || message.stopReason === "aborted" || message.stopReason === "error") return null;
  const part = (key: string): number => numberAt(usage, key) ?? 0;
  const used = part("totalTokens") || part("input") + part("output") + part("cacheRead") + part("cacheWrite");
  return used > 0 ? used : null;
}

/** Calls of the tools that read and write files; those inside other calls stand on the result. */
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

export function readSystem(message: JsonObject): PiSystem {
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
