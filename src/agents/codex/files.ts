import type { Buffer } from "node:buffer";
import { join, resolve } from "node:path";
import type { Environment } from "../../fs/library.ts";
import type { JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type { FoundFile, LogRoot, Peek, Placement, PlacementCache, SessionFiles } from "../agent.ts";
import { isPacked, unpackHead } from "../packed-log.ts";
import { sessionIdAt, sessionIdOfPath } from "../session-id.ts";
import { groupFiles, headObjects, isUnreadable, sniffHeads } from "../sniff-format.ts";

/** The folder of Codex's settings and logs. */
export function codexFolder({
  home,
  variables,
  folder,
}: Pick<Environment, "home" | "variables" | "folder">): string {
  return variables.CODEX_HOME ? resolve(folder, variables.CODEX_HOME) : join(home, ".codex");
}

export function codexRoots(environment: Environment): readonly LogRoot[] {
  const folder = codexFolder(environment);
  return [
    // Logs are in <year>/<month>/<day>; deeper folders cost nothing if there are none.
    { folder: join(folder, "sessions"), depth: 12, extensions: EXTENSIONS },
    { folder: join(folder, "archived_sessions"), depth: 1, extensions: EXTENSIONS },
  ];
}

/** Logs that were not used for a week are packed. */
const EXTENSIONS = [".jsonl", ".jsonl.zst"];

export function groupCodexFiles(
  files: readonly FoundFile[],
  peek: Peek,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  const place = (file: FoundFile): Placement | undefined => {
    if (file.size === 0 || !EXTENSIONS.some((ending) => file.path.endsWith(ending))) return undefined;
    if (isPacked(file.path)) return placePacked(file.path, unpackHead(peek(file.path)));
    for (const head of sniffHeads(file.path, peek))
      if (ownsCodex(head)) return { id: idInHead(head) ?? idOfCodexPath(file.path), role: "main" };
    return isUnreadable(file.path, peek) ? { id: idOfCodexPath(file.path), role: "main" } : undefined;
  };
  return groupFiles("codex", files, place, memory);
}

/** A file that can't be unpacked is a log too: its bytes are archived, and reading it reports why. */
function placePacked(path: string, head: Buffer): Placement | undefined {
  if (head.length > 0 && !ownsCodex(head)) return undefined;
  return { id: idInHead(head) ?? idOfCodexPath(path), role: "main" };
}

const UUID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl(?:\.zst)?$/i;

function idOfCodexPath(path: string): string {
  return UUID.exec(path)?.[1] ?? sessionIdOfPath(path);
}

const LINE_TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "request_item",
  "event_msg",
  "compacted",
  "world_state",
]);

/** The header contains the instructions for the model and may be longer than the head, so its start must do. */
const HEADER_START = /^\uFEFF?\s*\{[^{}]*"type"\s*:\s*"session_meta"[^{}]*"payload"\s*:\s*\{/;
const ID_AT_START =
  /^\uFEFF?\s*\{[^{}]*"payload"\s*:\s*\{\s*(?:"[a-z_]+"\s*:\s*"[^"]*"\s*,\s*)*?"id"\s*:\s*"([^"]+)"/;

export function ownsCodex(head: Buffer): boolean {
  const first = headObjects(head)[0];
  if (first === undefined) return HEADER_START.test(beginning(head));
  return isCodexLine(first) || isOldHeader(first) || isOldItem(first);
}

function isCodexLine(object: JsonObject): boolean {
  return LINE_TYPES.has(object.type) && objectAt(object, "payload") !== undefined;
}

function isOldItem(object: JsonObject): boolean {
  const type = stringAt(object, "type") ?? "";
  if (type === "message") return typeof object.role === "string" && Array.isArray(object.content);
  return OLD_ITEM_TYPES.has(type) && "call_id" in object;
}

function idInHead(head: Buffer): string | undefined {
  const objects = headObjects(head);
  const header = objects.find((object) => object.type === "session_meta" || isOldHeader(object));
  if (header !== undefined) return sessionIdAt(objectAt(header, "payload") ?? header, "id");
  return sessionIdAt({ id: ID_AT_START.exec(beginning(head))?.[1] }, "id");
}

function beginning(head: Buffer): string {
  return head.toString("utf8", 0, 2_000);
}

/** Logs of 2025's first half have no envelope: a header without a type, then the items themselves. */
export const OLD_ITEM_TYPES: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
  "web_search_call",
]);

export function isOldHeader(object: JsonObject): boolean {
  if ("type" in object || typeof object.id !== "string" || typeof object.timestamp !== "string") return false;
  return "instructions" in object || "git" in object;
}
