import type { Buffer } from "node:buffer";
import { basename, join } from "node:path";
import type { Environment } from "../../fs/library.ts";
import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { arrayAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type {
  FoundFile,
  LogRoot,
  Peek,
  Placement,
  PlacementCache,
  SessionFile,
  SessionFiles,
  SideFile,
} from "../agent.ts";
import { sessionIdAt, sessionIdOfPath } from "../session-id.ts";
import { groupFiles, headObjects, isUnreadable, sniffHeads } from "../sniff-format.ts";

export function qwenRoots({ home, variables }: Environment): readonly LogRoot[] {
  const folder = variables.QWEN_RUNTIME_DIR || variables.QWEN_HOME || join(home, ".qwen");
  // projects/<project>/chats/archive/<session>.jsonl, and projects/<project>/subagents/<session>/agent-….jsonl
  return [{ folder: join(folder, "projects"), depth: 4, extensions: [".jsonl", ".meta.json"] }];
}

/** The name of a project's folder, derived from its path. It can't be reversed; lines have the path. */
export function encodeQwenFolder(project: string): string {
  return project.replace(/[^A-Za-z0-9]/g, "-");
}

const SUBAGENT = /\/subagents\/([^/]+)\/agent-[^/]+\.(jsonl|meta\.json)$/;

export function groupQwenFiles(
  files: readonly FoundFile[],
  peek: Peek,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  return groupFiles("qwen", files, (file) => place(file, peek), memory);
}

function place(file: FoundFile, peek: Peek): Placement | undefined {
  if (file.size === 0) return undefined;
  const [, session, extension] = SUBAGENT.exec(file.path.replaceAll("\\", "/")) ?? [];
  if (session !== undefined)
    return {
      id: sessionIdOfPath(`${session}.jsonl`),
      role: extension === "jsonl" ? "subagent" : "subagent-meta",
    };
  if (!file.path.endsWith(".jsonl")) return undefined;
  for (const head of sniffHeads(file.path, peek))
    if (ownsQwen(head)) return { id: idInHead(head) ?? sessionIdOfPath(file.path), role: "main" };
  return isUnreadable(file.path, peek) ? { id: sessionIdOfPath(file.path), role: "main" } : undefined;
}

function idInHead(head: Buffer): string | undefined {
  const first = headObjects(head).find((object) => stringAt(object, "sessionId") !== undefined);
  return sessionIdAt(first, "sessionId");
}

/** A first line with a pasted file may be longer than the head. */
const LINE_START =
  /^\uFEFF?\s*\{\s*"uuid"\s*:\s*"[^"]*"\s*,\s*"parentUuid"\s*:\s*(?:null|"[^"]*")\s*,\s*"sessionId"\s*:\s*"[^"]*"\s*,[^{}]*"type"\s*:\s*"(?:user|system)"/;
const PARTS = /"parts"\s*:/;

/** Lines like those of Claude Code, with messages like those of Gemini. */
export function ownsQwen(head: Buffer): boolean {
  const objects = headObjects(head);
  if (objects.length > 0) return objects.some(isQwenLine);
  const start = head.toString("utf8", 0, 2_000);
  return LINE_START.test(start) && PARTS.test(start);
}

function isQwenLine(object: JsonObject): boolean {
  if (typeof object.uuid !== "string" || typeof object.sessionId !== "string") return false;
  return "systemPayload" in object || arrayAt(objectAt(object, "message"), "parts") !== undefined;
}

/** Name of the sub-agent whose log this is. */
export function qwenSubagentId(path: string): string {
  return basename(path.replaceAll("\\", "/"))
    .replace(/^agent-/, "")
    .replace(/\.(?:meta\.json|jsonl)$/, "");
}

export function readQwenSideFile(file: SessionFile, text: string): SideFile | undefined {
  const value = tryParse(text);
  if (file.role !== "subagent-meta" || !isObject(value)) return undefined;
  return {
    subagent: {
      id: qwenSubagentId(file.path),
      type: stringAt(value, "agentType") ?? null,
      description: stringAt(value, "description") ?? null,
      callId: stringAt(value, "toolUseId") ?? null,
    },
  };
}
