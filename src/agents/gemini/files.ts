import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import type { Environment } from "../../fs/library.ts";
import { stringAt } from "../../jsonl/values.ts";
import type {
  FileRole,
  FoundFile,
  LogRoot,
  Peek,
  Placement,
  PlacementCache,
  SessionFile,
  SessionFiles,
} from "../agent.ts";
import { sessionIdAt, sessionIdOfPath } from "../session-id.ts";
import { groupFiles, headObjects, isUnreadable, sniffHeads } from "../sniff-format.ts";

export function geminiFolder({ home, variables }: Environment): string {
  return join(variables.GEMINI_CLI_HOME || home, ".gemini");
}

export function geminiRoots(environment: Environment): readonly LogRoot[] {
  // tmp/<project>/chats/<session>/<sub-agent>.jsonl is the deepest.
  return [
    { folder: join(geminiFolder(environment), "tmp"), depth: 4, extensions: [".jsonl", ".json", ".txt"] },
  ];
}

/** The name of a project's folder in older versions. */
export function hashOfProject(project: string): string {
  return createHash("sha256").update(project).digest("hex");
}

/** Recognizes a file by its path. The first group is the session. */
const BY_PATH: readonly (readonly [RegExp, FileRole])[] = [
  [/\/chats\/([^/]+)\/[^/]+\.jsonl$/, "subagent"],
  [/\/tool-outputs\/session-([^/]+)\/[^/]+$/, "spilled"],
];

const CHAT = /\/chats\/[^/]+\.jsonl?$/;

export function groupGeminiFiles(
  files: readonly FoundFile[],
  peek: Peek,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  const groups = groupFiles("gemini", files, (file) => place(file, peek), memory);
  return groups.map((group) => ({ ...group, files: linesFirst(withoutStarts(group.files, peek)) }));
}

function place(file: FoundFile, peek: Peek): Placement | undefined {
  if (file.size === 0) return undefined;
  const path = file.path.replaceAll("\\", "/");
  for (const [pattern, role] of BY_PATH) {
    const [, id] = pattern.exec(path) ?? [];
    if (id !== undefined) return { id: sessionIdOfPath(`${id}.jsonl`), role };
  }
  for (const head of /\.jsonl?$/.test(path) ? sniffHeads(file.path, peek) : [])
    if (ownsGemini(head)) return { id: idInHead(head) ?? sessionIdOfPath(file.path), role: "main" };
  return CHAT.test(path) && isUnreadable(file.path, peek)
    ? { id: sessionIdOfPath(file.path), role: "main" }
    : undefined;
}

/**
 * A process that resumes a session first writes a log with nothing but the context for the model: this is not another
 * log of the session.
 */
function withoutStarts(files: readonly SessionFile[], peek: Peek): readonly SessionFile[] {
  const logs = files.filter(({ role }) => role === "main");
  const starts = logs.length < 2 ? [] : logs.filter(({ path }) => !hasMessage(peek(path)));
  if (starts.length === 0 || starts.length === logs.length) return files;
  return files.map((file) => (starts.includes(file) ? { ...file, role: "other" } : file));
}

function hasMessage(head: Buffer): boolean {
  const objects = headObjects(head);
  return objects.length === 0 || objects.some((object) => "id" in object || "messages" in object);
}

/**
 * When a session of an old version, one object in a `.json`, is resumed, it continues in a `.jsonl`; the old file
 * stays.
 */
function linesFirst(files: readonly SessionFile[]): readonly SessionFile[] {
  const isLines = ({ role, path }: SessionFile): boolean => role === "main" && path.endsWith(".jsonl");
  return [...files.filter(isLines), ...files.filter((file) => !isLines(file))];
}

/** The header, or the start of a whole-file object. */
const START = /^\uFEFF?\s*\{\s*"sessionId"\s*:\s*"([^"]+)"\s*,\s*"projectHash"\s*:\s*"/;

export function ownsGemini(head: Buffer): boolean {
  const isHeader = headObjects(head).some(
    (object) => stringAt(object, "sessionId") !== undefined && stringAt(object, "projectHash") !== undefined,
  );
  return isHeader || START.test(beginning(head));
}

function idInHead(head: Buffer): string | undefined {
  const header = headObjects(head).find((object) => stringAt(object, "projectHash") !== undefined);
  if (header !== undefined) return sessionIdAt(header, "sessionId");
  return sessionIdAt({ given: START.exec(beginning(head))?.[1] }, "given");
}

function beginning(head: Buffer): string {
  return head.toString("utf8", 0, 2_000);
}

/** The name of the sub-agent whose log this is. */
export function geminiSubagentId(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.jsonl$/, "");
}
