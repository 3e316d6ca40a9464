import { Buffer } from "node:buffer";
import type { Disk } from "../../fs/disk.ts";
import { isObject, tryParse } from "../../jsonl/json-line.ts";
import { stringAt } from "../../jsonl/values.ts";
import { DatabaseError, openPages } from "./sqlite/pages.ts";
import { type ColumnValue, type Row, readTables, type Table } from "./sqlite/tables.ts";

/*
 * opencode keeps sessions as rows of a database. Here each becomes a log: lines of JSON that depend on its rows alone, so
 * that the same rows are the same bytes, and new messages are new lines at the end. What changes all the time (its title,
 * its todo list) is a small file beside the log.
 *
 *   {"opencode":1,"session":{"id":…,"directory":…}}    what never changes
 *   {"message":{"id":…,"data":{"role":"user",…}}}      a row, with the JSON that is in it as it is
 *   {"role":"user","part":{"id":…,"data":{…}}}         the parts of that message, and whose message it is
 *   {"row":{"table":…}}                                 of tables that are not known
 *   {"revert":{…}}                                      if the user went back and has not gone on yet
 */

/** The sessions in one place, in one state. */
export interface SessionStore {
  readonly sessions: readonly SessionRows[];
  /** False if it changed while it was read: then the data may be a mixture. */
  isStill(): boolean;
  close(): void;
}

export interface SessionRows {
  readonly id: string;
  /** The session that started it, if it belongs to a sub-agent. */
  readonly parent: string | null;
  readonly directory: string | null;
  /** Changes with every row. */
  readonly fingerprint: string;
  /** When a row changed last. */
  readonly changedAt: number;
  log(): Iterable<Uint8Array>;
  /** The parts that change: the session's own row, and small lists. */
  state(): string;
}

/** Columns of a session that never change, if they exist. */
const FIRST_LINE = ["id", "project_id", "parent_id", "slug", "directory", "version", "time_created"];

/** Without these there is no conversation. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session: ["id"],
  message: ["id", "session_id", "data"],
  part: ["id", "session_id", "message_id", "data"],
};

/** Opens the database and looks at all its rows, reading only their first bytes. */
export function openDatabase(disk: Disk, path: string): SessionStore {
  const pages = openPages(disk, path);
  try {
    const tables = readTables(pages);
    const table = (name: string): Table | undefined => tables.get(name);
    const [sessions, messages, parts] = ["session", "message", "part"].map(table);
    if (sessions === undefined || messages === undefined || parts === undefined)
      throw new DatabaseError("it has no sessions");
    for (const { name, columns } of [sessions, messages, parts])
      for (const column of NEEDED[name] ?? [])
        if (!columns.includes(column))
          throw new DatabaseError(
            `table ${name} has no column ${column}: a newer opencode may have written it`,
          );
    const others = [...tables.values()].filter(
      ({ name, columns }) => name !== "message" && name !== "part" && columns.includes("session_id"),
    );
    const found = new Map<string, FoundRows>();
    for (const row of sessions.rows()) {
      const id = row.value("id");
      if (typeof id !== "string") continue;
      const directory = sessions.columns.includes("directory") ? row.value("directory") : null;
      const rows = newRows(row.number, row.value("parent_id"), directory);
      for (const column of sessions.columns) addValue(rows, row.value(column));
      found.set(id, rows);
      noteTime(rows, row);
    }
    for (const each of [messages, parts, ...others]) {
      const isKnown = each === messages || each === parts;
      for (const row of each.rows()) {
        const rows = found.get(String(row.value("session_id")));
        if (rows === undefined) continue;
        const numbers = rows.numbers.get(each.name);
        if (numbers === undefined) rows.numbers.set(each.name, [row.number]);
        else numbers.push(row.number);
        // Texts of messages are long, and do not change without a new time.
        for (const column of isKnown ? ["id", "time_updated"] : each.columns)
          addValue(rows, row.value(column));
        noteTime(rows, row);
      }
    }
    return {
      sessions: [...found].map(([id, rows]) => ({
        id,
        parent: rows.parent,
        directory: rows.directory,
        fingerprint: rows.sums.map((sum) => (sum >>> 0).toString(16)).join(""),
        changedAt: rows.changedAt,
        log: () => logOf({ sessions, messages, parts, others }, rows),
        state: () => stateOf({ sessions, others }, rows),
      })),
      isStill: pages.isStill,
      close: pages.close,
    };
  } catch (error) {
    // A mixture of two states looks like damage.
    const isMixed = error instanceof DatabaseError && !pages.isStill();
    pages.close();
    throw isMixed ? new DatabaseError(error.message, true) : error;
  }
}

/** The rows of a session, by their numbers in their tables. */
interface FoundRows {
  readonly session: number;
  readonly parent: string | null;
  readonly directory: string | null;
  readonly numbers: Map<string, number[]>;
  readonly sums: [number, number];
  changedAt: number;
}

function newRows(session: number, parent: ColumnValue, directory: ColumnValue): FoundRows {
  const isChild = typeof parent === "string" && parent !== "";
  return {
    session,
    parent: isChild ? parent : null,
    directory: typeof directory === "string" ? directory : null,
    numbers: new Map(),
    sums: [0x811c9dc5, 0x1b873593],
    changedAt: 0,
  };
}

function addValue({ sums }: FoundRows, value: ColumnValue): void {
  const text = value instanceof Buffer ? value.toString("latin1") : String(value);
  let [a, b] = sums;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b, 31) + code;
  }
  sums[0] = Math.imul(a ^ 0xff, 0x01000193);
  sums[1] = Math.imul(b, 31) + 0xff;
}

/** Later times are ignored: no file can have them. */
const LATEST = Date.UTC(2200, 0);

function noteTime(rows: FoundRows, row: Row): void {
  const at = row.value("time_updated");
  if (typeof at === "number" && at > rows.changedAt && at < LATEST) rows.changedAt = Math.floor(at);
}

interface LogTables {
  readonly sessions: Table;
  readonly messages: Table;
  readonly parts: Table;
  readonly others: readonly Table[];
}

function* logOf({ sessions, messages, parts, others }: LogTables, rows: FoundRows): Generator<Buffer> {
  const session = rowAt(sessions, rows.session);
  const first = FIRST_LINE.filter((column) => sessions.columns.includes(column));
  yield Buffer.from(`{"opencode":1,"session":${jsonOfRow(session, first)}}\n`);
  const revert = session.value("revert");
  const partsOf = new Map<string, { readonly id: string; readonly number: number }[]>();
  for (const number of rows.numbers.get("part") ?? []) {
    const row = rowAt(parts, number);
    const message = String(row.value("message_id"));
    const group = partsOf.get(message);
    const part = { id: String(row.value("id")), number };
    if (group === undefined) partsOf.set(message, [part]);
    else group.push(part);
  }
  const inOrder = (rows.numbers.get("message") ?? []).map((number) => {
    const row = rowAt(messages, number);
    return { id: String(row.value("id")), at: Number(row.value("time_created")), number };
  });
  for (const message of inOrder.sort((a, b) => a.at - b.at || byId(a, b))) {
    const role = roleOf(rowAt(messages, message.number));
    yield* lineOf("message", messages, message.number);
    for (const part of (partsOf.get(message.id) ?? []).sort(byId))
      yield* lineOf("part", parts, part.number, role);
    partsOf.delete(message.id);
  }
  // Parts whose messages are gone.
  for (const [, left] of [...partsOf].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const part of left.sort(byId)) yield* lineOf("part", parts, part.number);
  for (const table of others)
    if (isLog(table))
      for (const number of rows.numbers.get(table.name) ?? []) yield* lineOf("row", table, number);
  if (typeof revert === "string" && revert !== "") yield Buffer.from(`{"revert":${asJson(revert)}}\n`);
}

/** The speaker of a message. */
function roleOf(message: Row): string | undefined {
  const data = tryParse(String(message.value("data")));
  return isObject(data) ? stringAt(data, "role") : undefined;
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Whether a table holds parts of the conversation, or small things beside it. */
function isLog({ columns }: Table): boolean {
  return columns.includes("data");
}

/** The row, with the JSON in its column `data` unchanged. */
function* lineOf(
  kind: "message" | "part" | "row",
  table: Table,
  number: number,
  role?: string,
): Generator<Buffer> {
  const row = rowAt(table, number);
  const columns = table.columns.filter((column) => column !== "data");
  const speaker = role === undefined ? "" : `"role":${JSON.stringify(role)},`;
  const start = `{${speaker}"${kind}":{${kind === "row" ? `"table":${JSON.stringify(table.name)},` : ""}`;
  yield Buffer.from(`${start}${jsonOfRow(row, columns).slice(1, -1)},"data":`);
  const data = row.bytes("data");
  yield data !== undefined && isOneLine(data) ? data : Buffer.from(jsonOf(row.value("data")));
  yield Buffer.from("}}\n");
}

const LF = 10;

/** An object on one line. If it is not an object after all, the line can't be read, and is counted. */
function isOneLine(data: Buffer): boolean {
  return data[0] === 0x7b && data[data.length - 1] === 0x7d && !data.includes(LF);
}

function asJson(text: string): string {
  const bytes = Buffer.from(text);
  return isOneLine(bytes) ? text : JSON.stringify(text);
}

function stateOf({ sessions, others }: Pick<LogTables, "sessions" | "others">, rows: FoundRows): string {
  const fields = [`"session":${jsonOfRow(rowAt(sessions, rows.session), sessions.columns)}`];
  for (const table of others) {
    const numbers = rows.numbers.get(table.name) ?? [];
    if (isLog(table) || numbers.length === 0) continue;
    const list = numbers.map((number) => jsonOfRow(rowAt(table, number), table.columns));
    fields.push(`${JSON.stringify(table.name)}:[${list.join(",")}]`);
  }
  return `{${fields.join(",")}}\n`;
}

function rowAt(table: Table, number: number): Row {
  const row = table.row(number);
  if (row === undefined) throw new DatabaseError(`table ${table.name} has no row ${number}`);
  return row;
}

function jsonOfRow(row: Row, columns: readonly string[]): string {
  return `{${columns.map((column) => `${JSON.stringify(column)}:${jsonOf(row.value(column))}`).join(",")}}`;
}

function jsonOf(value: ColumnValue): string {
  if (typeof value === "bigint") return String(value);
  return JSON.stringify(value instanceof Buffer ? { $base64: value.toString("base64") } : value);
}
