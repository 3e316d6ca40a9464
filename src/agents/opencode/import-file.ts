import { Buffer } from "node:buffer";
import { isObject, type JsonObject, readJsonLine, tryParse } from "../../jsonl/json-line.ts";
import { splitLines } from "../../jsonl/lines.ts";
import { jsonText, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { AgentImport, ImportSource } from "../agent.ts";
import { nameOfLog } from "./files.ts";

/**
 * Writes a session back into opencode's database with opencode's own command, which takes a file in the form of
 * `opencode export`. Sub-agents are sessions too, and come after the one that started them.
 */
export const opencodeImport: AgentImport = {
  files(session) {
    const logs = session.files.filter(({ role }) => role === "main" || role === "subagent");
    return logs.map((log) => ({
      name: `${nameOfLog(log.path)}.json`,
      from: log,
      content: () => contentOf(session, log),
    }));
  },
  command: (path) => ["opencode", "import", path],
  comparableLine,
  messageId: (line) => {
    const value = tryParse(line.toString("utf8"));
    return stringAt(isObject(value) ? objectAt(value, "message") : undefined, "id");
  },
};

/** An import gives rows new times, and sorts their names. */
function comparableLine(line: Buffer): string {
  const value = tryParse(line.toString("utf8"));
  const row = isObject(value) ? (objectAt(value, "message") ?? objectAt(value, "part")) : undefined;
  if (row !== undefined) return jsonText(sorted({ id: row.id, data: row.data }));
  const session = isObject(value) ? objectAt(value, "session") : undefined;
  return session === undefined
    ? line.toString("utf8").trimEnd()
    : jsonText([session.id, session.parent_id, session.directory]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

interface LogFile {
  readonly path: string;
  readonly role: string;
}

function* contentOf<F extends LogFile>(session: ImportSource<F>, log: F): Generator<Uint8Array, void, void> {
  let isFirst = true;
  let hasMessage = false;
  let hasPart = false;
  for (const { bytes, ended } of splitLines(session.read(log))) {
    const line = bytes.toString("utf8");
    if (isFirst) {
      const [head] = readJsonLine(bytes, ended).objects;
      const info = infoOf(objectAt(head, "session") ?? {}, stateOf(session, log));
      yield Buffer.from(`{"info":${JSON.stringify(info)},"messages":[`);
      isFirst = false;
      continue;
    }
    const [start = "", kind] = ROW.exec(line.slice(0, 200)) ?? [];
    const row = kind === undefined ? undefined : readRow(line.slice(start.length));
    if (row === undefined) continue;
    if (kind === "message") {
      yield Buffer.from(`${hasMessage ? "]}," : ""}{"info":${row},"parts":[`);
      hasMessage = true;
      hasPart = false;
    } else if (hasMessage) {
      yield Buffer.from(`${hasPart ? "," : ""}${row}`);
      hasPart = true;
    }
  }
  yield Buffer.from(`${hasMessage ? "]}" : ""}]}\n`);
}

const ROW = /^\{(?:"role":"[^"]*",)?"(message|part)":(?=\{)/;
const DATA = ',"data":';

/** The JSON of a row with its names inserted, and otherwise unchanged; undefined if there is none. */
function readRow(line: string): string | undefined {
  // All quotes in texts before it are escaped.
  const at = line.indexOf(DATA);
  const names = at === -1 ? undefined : tryParse(`${line.slice(0, at)}}`);
  const data = line.slice(at + DATA.length).replace(/\}\}\s*$/, "");
  if (!isObject(names) || !data.startsWith("{") || !isObject(tryParse(data))) return undefined;
  const { id, session_id: sessionID, message_id: messageID } = names;
  const added = JSON.stringify({ id, sessionID, ...(messageID === undefined ? {} : { messageID }) });
  const inner = data.slice(1, -1).trim();
  return `{${inner}${inner === "" ? "" : ","}${added.slice(1)}`;
}

function stateOf<F extends LogFile>(session: ImportSource<F>, log: F): JsonObject {
  const path = log.path.replace(/\.jsonl$/, ".json");
  const file = session.files.find((each) => each.path === path);
  if (file === undefined) return {};
  const text = Buffer.concat(Array.from(session.read(file), (chunk) => Buffer.from(chunk))).toString("utf8");
  const state = tryParse(text);
  return isObject(state) ? state : {};
}

/** Columns of the session's row that contain JSON, and columns that are one object in an export. */
const JSON_COLUMNS = ["metadata", "permission", "revert", "model"];

/**
 * The session in the form of opencode's own export. The project's folder is taken from the log, because the session
 * may have moved.
 */
function infoOf(head: JsonObject, state: JsonObject): JsonObject {
  const row = objectAt(state, "session") ?? {};
  const older = objectAt(state, "info");
  const directory = stringAt(head, "directory") ?? stringAt(row, "directory");
  if (older !== undefined) return { slug: stringAt(head, "id"), ...older, directory };
  const count = (column: string): number => numberAt(row, column) ?? 0;
  const created = numberAt(head, "time_created") ?? 0;
  const fields: Record<string, unknown> = {
    id: stringAt(head, "id"),
    slug: stringAt(head, "slug") ?? stringAt(head, "id"),
    projectID: stringAt(head, "project_id"),
    parentID: stringAt(head, "parent_id"),
    directory,
    path: stringAt(row, "path"),
    title: stringAt(row, "title") ?? "Restored session",
    agent: stringAt(row, "agent"),
    version: stringAt(head, "version") ?? "",
    cost: count("cost"),
    tokens: {
      input: count("tokens_input"),
      output: count("tokens_output"),
      reasoning: count("tokens_reasoning"),
      cache: { read: count("tokens_cache_read"), write: count("tokens_cache_write") },
    },
    time: {
      created,
      updated: numberAt(row, "time_updated") ?? created,
      ...timeOf(row, "compacting"),
      ...timeOf(row, "archived"),
    },
  };
  if (numberAt(row, "summary_files") !== undefined) {
    const diffs = tryParse(stringAt(row, "summary_diffs") ?? "");
    fields.summary = {
      additions: count("summary_additions"),
      deletions: count("summary_deletions"),
      files: count("summary_files"),
      ...(Array.isArray(diffs) ? { diffs } : {}),
    };
  }
  for (const column of JSON_COLUMNS) {
    const text = stringAt(row, column);
    if (text !== undefined) fields[column] = tryParse(text);
  }
  return fields;
}

function timeOf(row: JsonObject, name: string): object {
  const at = numberAt(row, `time_${name}`);
  return at === undefined ? {} : { [name]: at };
}
