import type { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Environment } from "../../fs/library.ts";
import type { JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
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

export function copilotFolder({ home, variables }: Environment): string {
  return variables.COPILOT_HOME || join(home, ".copilot");
}

export function copilotRoots(environment: Environment): readonly LogRoot[] {
  // session-state/<session>/checkpoints/<n>.md is the deepest.
  const extensions = [".jsonl", ".yaml", ".md", ".json", ".db"];
  return [{ folder: join(copilotFolder(environment), "session-state"), depth: 3, extensions }];
}

/** The files that Copilot CLI keeps in the folder of a session, next to its events. */
const IN_FOLDER = /\/session-state\/([^/.][^/]*)\/(.+)$/;

export function groupCopilotFiles(
  files: readonly FoundFile[],
  peek: Peek,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  const groups = groupFiles("copilot", files, (file) => place(file, peek), memory);
  // A folder without events is not a session.
  return groups.filter((group) => group.files.some(({ role }) => role === "main"));
}

function place(file: FoundFile, peek: Peek): Placement | undefined {
  if (file.size === 0) return undefined;
  const path = file.path.replaceAll("\\", "/");
  const [, folder, name] = IN_FOLDER.exec(path) ?? [];
  if (folder !== undefined && name !== "events.jsonl")
    return { id: folder, role: name === "workspace.yaml" ? "title" : "other" };
  if (!path.endsWith(".jsonl")) return undefined;
  for (const head of sniffHeads(file.path, peek))
    if (ownsCopilot(head)) return { id: folder ?? idInHead(head) ?? sessionIdOfPath(path), role: "main" };
  return isUnreadable(file.path, peek) ? { id: folder ?? sessionIdOfPath(path), role: "main" } : undefined;
}

/** A first event may be longer than the head. */
const EVENT_START =
  /^\uFEFF?\s*\{\s*"type"\s*:\s*"(?:session|user|assistant|system)\.[a-z_]+"\s*,\s*"data"\s*:\s*\{/;

export function ownsCopilot(head: Buffer): boolean {
  const objects = headObjects(head);
  return objects.length > 0 ? objects.some(isEvent) : EVENT_START.test(head.toString("utf8", 0, 200));
}

/** Types have a namespace, and the payload is in `data`. */
function isEvent(object: JsonObject): boolean {
  return (
    /^[a-z_]+\.[a-z_.]+$/.test(stringAt(object, "type") ?? "") &&
    objectAt(object, "data") !== undefined &&
    typeof object.id === "string" &&
    typeof object.timestamp === "string" &&
    "parentId" in object
  );
}

function idInHead(head: Buffer): string | undefined {
  const start = headObjects(head).find(({ type }) => type === "session.start");
  return sessionIdAt(objectAt(start, "data"), "sessionId");
}

const NAME = /^name: (.+)$/m;

/** Names in older versions do not say who gave them. */
const NAMED_BY_COPILOT = /^user_named: false\s*$/m;

/**
 * The name of a session is in a small YAML file. Copilot CLI makes one from the first prompt, unless the user gives
 * one.
 */
export function readWorkspace(file: SessionFile, text: string): SideFile | undefined {
  if (file.role !== "title") return undefined;
  const [, given = ""] = NAME.exec(text) ?? [];
  const title = unquoted(given.trim());
  if (title === "" || /^[|>][+-]?$/.test(title)) return undefined;
  return NAMED_BY_COPILOT.test(text) ? { generatedTitle: title } : { title };
}

function unquoted(text: string): string {
  const [, inner] = /^'(.*)'$/.exec(text) ?? [];
  if (inner !== undefined) return inner.replaceAll("''", "'");
  if (!/^".*"$/.test(text)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
