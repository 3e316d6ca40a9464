import type { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Environment } from "../../fs/library.ts";
import type { JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type { FoundFile, LogRoot, Peek, Placement, PlacementCache, SessionFiles } from "../agent.ts";
import { sessionIdAt, sessionIdOfPath } from "../session-id.ts";
import { groupFiles, headObjects, isUnreadable, sniffHeads } from "../sniff-format.ts";

/** The folder of the user's settings, skills and sessions. */
export function piFolder({ home, variables }: Environment): string {
  return variables.PI_CODING_AGENT_DIR || join(home, ".pi", "agent");
}

export function piRoots(environment: Environment): readonly LogRoot[] {
  const folder = environment.variables.PI_CODING_AGENT_SESSION_DIR || join(piFolder(environment), "sessions");
  // It contains one folder per project, or none if the user named the folder.
  return [{ folder, depth: 2, extensions: [".jsonl"] }];
}

/** A header, or an entry that only Pi writes like this: relatives leave the header out. */
export function ownsPi(head: Buffer): boolean {
  const first = headObjects(head)[0];
  return isHeader(first) || isMessageEntry(first);
}

function isHeader(object: JsonObject | undefined): boolean {
  return object?.type === "session" && typeof object.id === "string" && !("payload" in object);
}

function isMessageEntry(object: JsonObject | undefined): boolean {
  const message = objectAt(object, "message");
  if (object?.type !== "message" || stringAt(message, "role") === undefined) return false;
  // claw-code has messages of blocks; Claude Code names the session on each line.
  return !("blocks" in (message ?? {})) && !("sessionId" in object);
}

/** Checkpoints and copies carry the header of their session: one id, one session. */
export function groupPiFiles(
  files: readonly FoundFile[],
  peek: Peek,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  const place = (file: FoundFile): Placement | undefined => {
    if (file.size === 0 || !file.path.endsWith(".jsonl")) return undefined;
    for (const head of sniffHeads(file.path, peek)) {
      if (!ownsPi(head)) continue;
      const first = headObjects(head)[0];
      const named = isHeader(first) ? sessionIdAt(first, "id") : undefined;
      return { id: named ?? idOfPiPath(file.path), role: "main" };
    }
    return isUnreadable(file.path, peek) ? { id: idOfPiPath(file.path), role: "main" } : undefined;
  };
  return groupFiles("pi", files, place, memory);
}

const FILE_NAME =
  /(?:^|[\\/])\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_([^\\/]+?)(?:\.checkpoint\.[^\\/]+)?\.jsonl$/;

/** `<time>_<id>.jsonl`: the id follows the time, and may contain underscores. */
export function idOfPiPath(path: string): string {
  const named = sessionIdAt({ id: FILE_NAME.exec(path)?.[1] }, "id");
  return named ?? sessionIdOfPath(path.replace(/\.checkpoint\.[^\\/]+\.jsonl$/, ".jsonl"));
}

/** The name of a project's folder below Pi's `sessions`, as Pi derives it from the resolved path. */
export function encodePiFolder(path: string): string {
  return `--${path.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}
