import { decodeLine, isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { splitLines } from "../../jsonl/lines.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import { readKeptFrom } from "./pi-entry.ts";
import { NO_FILES, type PiCompaction, type PiEntry, type PiSaying } from "./pi-trail.ts";
import { contentChars, readMessage, readSystem, tokensOf } from "./read-message.ts";

/** A Pi log as Pi itself loads it: lines that are no JSON are not there. */
export interface PiTrail {
  /** 1 where the header has none; undefined where Pi would not load the file at all. */
  readonly version: number | undefined;
  readonly entries: readonly TrailEntry[];
  /** False where the last line lacks its end. */
  readonly isEnded: boolean;
}

export interface TrailEntry extends PiEntry {
  readonly line: number;
  /** Its place among all that could be read, the header included: what version 1 names entries by. */
  readonly index: number;
  /** False where the log has no name for it, and version 1 does not explain that. */
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
    // `null` is nothing to Pi; other values are entries that say nothing.
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
