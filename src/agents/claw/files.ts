import { Buffer } from "node:buffer";
import { join, sep } from "node:path";
import type { Environment } from "../../fs/library.ts";
import { decodeLine, type JsonObject, topLevelKeys } from "../../jsonl/json-line.ts";
import { arrayAt, numberAt, objectAt } from "../../jsonl/values.ts";
import type {
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
import { isWholeFileLog } from "./parser.ts";

export function clawRoots({ home, variables, folder, projects }: Environment): readonly LogRoot[] {
  const roots = new Map<string, LogRoot>();
  const add = (path: string, depth: number, extensions: readonly string[]): void => {
    if (!roots.has(path)) roots.set(path, { folder: path, depth, extensions });
  };
  // Contains one folder per workspace; the logs of older versions are next to those folders.
  add(join(variables.CLAW_CONFIG_HOME || join(home, ".claw"), "sessions"), 2, [".json", ".jsonl"]);
  for (const project of [folder, ...projects]) {
    add(below(project, `.claw${sep}sessions`), 2, [".json", ".jsonl"]);
    // The first builds wrote next to the settings of Claude Code.
    add(below(project, `.claude${sep}sessions`), 1, [".json"]);
  }
  return [...roots.values()];
}

/** `join` inspects every letter, and every search needs the folders of all projects; most of them are clean. */
function below(project: string, name: string): string {
  const isClean = !project.endsWith(sep) && !project.includes("..");
  return isClean ? project + sep + name : join(project, name);
}

const ROTATION = /\.rot-\d+\.jsonl$/;

/** Rotations have the header of their session, and their names end in the time of the rotation. */
export function groupClawFiles(
  files: readonly FoundFile[],
  peek: Peek,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  const place = (file: FoundFile): Placement | undefined => {
    if (file.size === 0 || !/\.jsonl?$/.test(file.path)) return undefined;
    const role = ROTATION.test(file.path) ? "rotation" : "main";
    const named = sessionIdOfPath(file.path.replace(ROTATION, ".jsonl"));
    for (const head of sniffHeads(file.path, peek))
      if (ownsClaw(head)) return { id: idInHead(head) ?? named, role };
    return isUnreadable(file.path, peek) ? { id: named, role } : undefined;
  };
  const groups = groupFiles("claw", files, place, memory);
  return groups.map((group) => ({ ...group, files: withLead(group.files) }));
}

/** If the log itself is gone, the last rotation is the log. */
function withLead(files: readonly SessionFile[]): readonly SessionFile[] {
  const newest = files.at(-1);
  if (files[0]?.role === "main" || newest === undefined) return files;
  return [{ ...newest, role: "main" }, ...files.slice(0, -1)];
}

function idInHead(head: Buffer): string | undefined {
  const meta = headObjects(head).find((object) => object.type === "session_meta");
  if (meta !== undefined) return sessionIdAt(meta, "session_id");
  const text = decodeLine(head);
  const at = topLevelKeys(text).get("session_id");
  const given = at === undefined ? undefined : /^"([^"]+)"/.exec(text.slice(at, at + 200))?.[1];
  return sessionIdAt({ given }, "given");
}

/** Lines as only claw-code writes them, or a whole-file log, of which the head shows only the start. */
export function ownsClaw(head: Buffer): boolean {
  return headObjects(head).some(isClawLine) || isWholeFileLog(decodeLine(head));
}

function isClawLine(object: JsonObject): boolean {
  if ("payload" in object) return false;
  switch (object.type) {
    case "session_meta":
      return typeof object.session_id === "string";
    case "message":
      return arrayAt(objectAt(object, "message"), "blocks") !== undefined;
    case "compaction":
      return numberAt(object, "removed_message_count") !== undefined;
    case "prompt_history":
      return numberAt(object, "timestamp_ms") !== undefined;
    default:
      return false;
  }
}

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** The name of a workspace's folder below claw-code's `sessions`: FNV-1a over its path, 64 bits in hex. */
export function workspaceFingerprint(path: string): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, "0");
}
