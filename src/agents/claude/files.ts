import type { Buffer } from "node:buffer";
import { basename, join } from "node:path";
import type { Environment } from "../../fs/library.ts";
import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { splitLines } from "../../jsonl/lines.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type { WorkItem } from "../../session/entry.ts";
import type {
  FileRole,
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
import { groupFiles } from "../sniff-format.ts";
import { readStatus, readTodos } from "./tools.ts";

const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

/** Recognizes a file by its path. The first group is the session. */
const BY_PATH: readonly (readonly [RegExp, FileRole])[] = [
  [new RegExp(`/(${UUID})/subagents/(?:.*/)?agent-[^/]+\\.meta\\.json$`), "subagent-meta"],
  [new RegExp(`/(${UUID})/subagents/(?:.*/)?agent-[^/]+\\.jsonl$`), "subagent"],
  [new RegExp(`/(${UUID})/tool-results/[^/]+$`), "spilled"],
  [new RegExp(`/(${UUID})/custom-title\\.json$`), "title"],
  [new RegExp(`/(${UUID})/(?:subagents/.*journal\\.jsonl|archived\\.json)$`), "other"],
  [new RegExp(`/todos/(${UUID})-agent-[^/]+\\.json$`), "todos"],
  [new RegExp(`/tasks/(${UUID})/[^/]+\\.json$`), "task"],
  [new RegExp(`/(${UUID})\\.jsonl$`), "main"],
];

export function claudeFolders({ home, variables }: Environment): readonly string[] {
  const given = variables.CLAUDE_CONFIG_DIR?.split(",")
    .map((folder) => folder.trim())
    .filter((folder) => folder !== "");
  if (given !== undefined && given.length > 0) return given.map((folder) => folder.normalize("NFC"));
  return [join(home, ".claude"), join(home, ".config", "claude")];
}

export function claudeRoots(environment: Environment): readonly LogRoot[] {
  return claudeFolders(environment).flatMap((folder) => [
    // projects/<project>/<session>/subagents/workflows/<run>/… is the deepest.
    { folder: join(folder, "projects"), depth: 8, extensions: [".jsonl", ".json", ".txt"] },
    { folder: join(folder, "tasks"), depth: 2, extensions: [".json"] },
    { folder: join(folder, "todos"), depth: 1, extensions: [".json"] },
  ]);
}

export function groupClaudeFiles(
  files: readonly FoundFile[],
  peek: Peek,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  return groupFiles("claude", files, (file) => place(file, peek), memory);
}

function place(file: FoundFile, peek: Peek): Placement | undefined {
  if (file.size === 0) return undefined;
  const path = file.path.replaceAll("\\", "/");
  for (const [pattern, role] of BY_PATH) {
    const id = pattern.exec(path)?.[1];
    if (id !== undefined) return { id: id.toLowerCase(), role };
  }
  if (!path.endsWith(".jsonl")) return undefined;
  // Flat files of sub-agents, and renamed logs, are identified only by their content.
  const head = peek(file.path);
  const first = firstWithSession(head);
  if (first === undefined) return undefined;
  const id = sessionIdAt(first, "sessionId") ?? sessionIdOfPath(file.path);
  if (first.isSidechain === true) return { id, role: "subagent" };
  return ownsClaude(head) ? { id, role: "main" } : undefined;
}

function firstWithSession(head: Buffer): JsonObject | undefined {
  for (const object of firstObjects(head)) if (stringAt(object, "sessionId") !== undefined) return object;
  return undefined;
}

/** Records of the chain have a session and a name; the few lines without them are old titles and snapshots. */
export function ownsClaude(head: Buffer): boolean {
  let isFirst = true;
  for (const object of firstObjects(head)) {
    // A log that begins with a sub-agent's line belongs to that sub-agent, whatever its name.
    if (isFirst && object.isSidechain === true) return false;
    isFirst = false;
    const type = stringAt(object, "type") ?? "";
    if (type === "session" || "payload" in object || type === "session_meta") return false;
    // Related agents write the same lines around messages of another shape.
    if ("systemPayload" in object || objectAt(object, "message")?.parts !== undefined) return false;
    if (type === "summary" && "leafUuid" in object) return true;
    if (type === "file-history-snapshot") return true;
    if (stringAt(object, "sessionId") !== undefined && type !== "") return true;
  }
  // If the first line is longer than the head, its start must do.
  if (!isFirst || head.length < HEAD_BYTES) return false;
  const text = head.toString("latin1");
  return SESSION_KEY.test(text) && PARENT_KEY.test(text) && !PARTS_OF_RELATIVES.test(text);
}

// Claude Code writes no spaces, but programs that copy or edit its logs do.
const SESSION_KEY = /"sessionId"\s*:\s*"/;
const PARENT_KEY = /"parentUuid"\s*:/;
const PARTS_OF_RELATIVES = /"message"\s*:\s*\{\s*"role"\s*:\s*"user"\s*,\s*"parts"\s*:/;

const HEAD_BYTES = 32 * 1024;

/** One by one, because nearly always the first one decides. */
function* firstObjects(head: Buffer): Generator<JsonObject> {
  let count = 0;
  for (const line of splitLines([head])) {
    const value = tryParse(line.bytes.toString("utf8").replace(/^\uFEFF/, ""));
    if (!isObject(value)) continue;
    yield value;
    if (++count === 20) return;
  }
}

/** The name of the sub-agent whose log this is. */
export function agentIdOf(file: Pick<SessionFile, "path">): string {
  return basename(file.path.replaceAll("\\", "/"))
    .replace(/^agent-/, "")
    .replace(/\.(?:meta\.json|jsonl)$/, "");
}

/**
 * The name of a project's folder below `projects/`, as Claude Code derives it from the path. It can't be reversed:
 * `a_b`, `a.b` and `a-b` share a folder, so the project is read from the lines' `cwd`.
 */
export function encodeProjectPath(path: string): string {
  const encoded = path.normalize("NFC").replace(/[^A-Za-z0-9]/g, "-");
  if (encoded.length <= MAX_ENCODED) return encoded;
  return `${encoded.slice(0, MAX_ENCODED)}-${hashOf(path.normalize("NFC"))}`;
}

const MAX_ENCODED = 200;

function hashOf(path: string): string {
  let hash = 0;
  for (let i = 0; i < path.length; i++) hash = (Math.imul(hash, 31) + path.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(36);
}

export function readClaudeSideFile(file: SessionFile, text: string): SideFile | undefined {
  const value = tryParse(text);
  switch (file.role) {
    case "title": {
      const title = isObject(value) ? stringAt(value, "customTitle") : undefined;
      return title === undefined || title.trim() === "" ? undefined : { title };
    }
    case "todos":
      return Array.isArray(value) ? { work: readTodos(value) } : undefined;
    case "task": {
      const task = isObject(value) ? readTask(value) : undefined;
      return task === undefined ? undefined : { work: [task] };
    }
    case "subagent-meta":
      return isObject(value)
        ? {
            subagent: {
              id: agentIdOf(file),
              type: stringAt(value, "agentType") ?? null,
              description: stringAt(value, "description") ?? null,
              callId: stringAt(value, "toolUseId") ?? null,
            },
          }
        : undefined;
    default:
      return undefined;
  }
}

function readTask(task: JsonObject): WorkItem | undefined {
  const given = task.id;
  const id = typeof given === "number" ? String(given) : given;
  const text = stringAt(task, "subject") ?? stringAt(task, "description");
  if (typeof id !== "string" || text === undefined) return undefined;
  return { id, text, status: readStatus(task.status) ?? "pending" };
}
