import { Buffer } from "node:buffer";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk, FileStat } from "../../fs/disk.ts";
import { namesIn } from "../../fs/folders.ts";
import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { SessionRows, SessionStore } from "./stored-sessions.ts";

/*
 * Reads the storage of opencode versions without a database, which kept every message and every part in its own file:
 * session/<project>/<session>.json, message/<session>/<message>.json, part/<message>/<part>.json,
 * todo/<session>.json.
 */

/** The maximum size of a file. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Changes when a session does. Begins with the time of the newest file. */
export function storageMark(disk: Disk, storage: string): string {
  const infos = sessionFiles(disk, storage);
  const newest = infos.toSorted((a, b) => b.stat.mtimeMs - a.stat.mtimeMs).slice(0, MAX_LIVE);
  const messages = newest.flatMap(({ id }) => filesIn(disk, join(storage, "message", id)));
  const all = [...infos, ...messages];
  const at = Math.max(0, ...all.map(({ stat }) => stat.mtimeMs));
  return `${at} ${sumOf(all)}`;
}

/** A session's own file changes with every request, but the last reply may continue after that. */
const MAX_LIVE = 20;

export function openStorage(disk: Disk, storage: string): SessionStore {
  const sessions = sessionFiles(disk, storage).map((info): SessionRows => {
    const messages = filesIn(disk, join(storage, "message", info.id));
    const all = [info, ...messages];
    const session = tryParse(readText(disk, info.path));
    const object = isObject(session) ? session : {};
    return {
      id: info.id,
      parent: stringAt(object, "parentID") ?? null,
      directory: stringAt(object, "directory") ?? null,
      fingerprint: sumOf(all),
      changedAt: Math.max(...all.map(({ stat }) => stat.mtimeMs)),
      log: () => logOf(disk, storage, info.id, object, messages),
      state: () => stateOf(disk, storage, info),
    };
  });
  return { sessions, isStill: () => true, close: () => undefined };
}

interface StorageFile {
  readonly id: string;
  readonly path: string;
  readonly stat: FileStat;
}

function sessionFiles(disk: Disk, storage: string): readonly StorageFile[] {
  const folder = join(storage, "session");
  return namesIn(disk, folder).flatMap((project) =>
    disk.stat(join(folder, project))?.kind === "folder" ? filesIn(disk, join(folder, project)) : [],
  );
}

function filesIn(disk: Disk, folder: string): readonly StorageFile[] {
  return namesIn(disk, folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = disk.stat(path);
      return stat?.kind === "file" ? [{ id: name.slice(0, -".json".length), path, stat }] : [];
    });
}

function sumOf(files: readonly StorageFile[]): string {
  const sizes = files.reduce((sum, { stat }) => sum + stat.size, 0);
  const sum = crc32(files.map(({ path, stat }) => `${path} ${stat.size} ${stat.mtimeMs}`).join("\n"));
  return `${files.length}-${sizes}-${sum.toString(16)}`;
}

function* logOf(
  disk: Disk,
  storage: string,
  id: string,
  info: JsonObject,
  messages: readonly StorageFile[],
): Generator<Buffer> {
  const session = {
    id,
    project_id: stringAt(info, "projectID") ?? null,
    parent_id: stringAt(info, "parentID") ?? null,
    directory: stringAt(info, "directory") ?? null,
    version: stringAt(info, "version") ?? null,
    time_created: numberAt(objectAt(info, "time"), "created") ?? null,
  };
  yield Buffer.from(`${JSON.stringify({ opencode: 1, session })}\n`);
  // Their names sort in the order of their creation.
  for (const message of messages) {
    const text = readText(disk, message.path);
    const value = tryParse(text);
    const role = isObject(value) ? stringAt(value, "role") : undefined;
    yield lineOf("message", { id: message.id, session_id: id }, text);
    for (const part of filesIn(disk, join(storage, "part", message.id)))
      yield lineOf(
        "part",
        { id: part.id, message_id: message.id, session_id: id },
        readText(disk, part.path),
        role,
      );
  }
  const revert = objectAt(info, "revert");
  if (revert !== undefined) yield Buffer.from(`${JSON.stringify({ revert })}\n`);
}

function lineOf(kind: "message" | "part", names: object, text: string, role?: string): Buffer {
  const speaker = role === undefined ? "" : `"role":${JSON.stringify(role)},`;
  return Buffer.from(
    `{${speaker}"${kind}":${JSON.stringify(names).slice(0, -1)},"data":${onOneLine(text)}}}\n`,
  );
}

/**
 * Removes line ends with the space around them: JSON has them only between its values. The lookbehind
 * keeps a long run from being tried at each of its characters.
 */
function withoutLineEnds(json: string): string {
  return json.trim().replace(/(?<!\s)\s*[\r\n]\s*/g, "");
}

function onOneLine(text: string): string {
  const line = withoutLineEnds(text);
  return line.startsWith("{") && line.endsWith("}") ? line : JSON.stringify(text);
}

function stateOf(disk: Disk, storage: string, info: StorageFile): string {
  const todo = readText(disk, join(storage, "todo", `${info.id}.json`));
  const list = Array.isArray(tryParse(todo)) ? `,"todo":${withoutLineEnds(todo)}` : "";
  return `{"info":${onOneLine(readText(disk, info.path))}${list}}\n`;
}

/** Empty if the file is missing. */
function readText(disk: Disk, path: string): string {
  return disk.readFile(path, MAX_FILE_BYTES)?.toString("utf8") ?? "";
}
