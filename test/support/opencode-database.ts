import type { Buffer } from "node:buffer";
import type { OpenSqlite, SqliteDatabase } from "./sqlite.ts";

/** A database as opencode makes it, as far as sessions go. */
export interface OpencodeDatabase {
  readonly sql: SqliteDatabase;
  session(
    id: string,
    more?: { readonly parent?: string; readonly title?: string; readonly revert?: string },
  ): void;
  message(session: string, id: string, data: object): void;
  part(session: string, message: string, id: string, data: object): void;
  /** A request and its reply. */
  turn(session: string, number: number, request: string, reply: string): void;
  todo(session: string, content: string, status: string): void;
  bytes(): Buffer;
}

const SCHEMA = [
  "create table `project` (`id` text primary key, `worktree` text not null)",
  "create table `session` (`id` text primary key, `project_id` text not null, `workspace_id` text, `parent_id` text, `slug` text not null, `directory` text not null, `path` text, `title` text not null, `version` text not null, `summary_files` integer, `cost` real default 0 not null, `tokens_input` integer default 0 not null, `revert` text, `permission` text, `agent` text, `model` text, `time_created` integer not null, `time_updated` integer not null, CONSTRAINT `fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE)",
  "create table `message` (`id` text primary key, `session_id` text not null, `time_created` integer not null, `time_updated` integer not null, `data` text not null)",
  "create table `part` (`id` text primary key, `message_id` text not null, `session_id` text not null, `time_created` integer not null, `time_updated` integer not null, `data` text not null)",
  "create table `todo` (`session_id` text not null, `content` text not null, `status` text not null, `priority` text not null, `position` integer not null, CONSTRAINT `todo_pk` PRIMARY KEY(`session_id`, `position`))",
  "create table `event` (`id` text primary key, `aggregate_id` text not null, `data` text not null)",
  "create index `part_session_idx` on `part` (`session_id`)",
];

export const STARTED_AT: number = Date.UTC(2026, 2, 2, 10);

export function makeOpencodeDatabase(openSqlite: OpenSqlite): OpencodeDatabase {
  const sql = openSqlite();
  for (const statement of SCHEMA) sql.run(statement);
  let clock = STARTED_AT;
  const tick = (): number => {
    clock += 1_000;
    return clock;
  };
  const touch = (session: string): void =>
    sql.run("update session set time_updated = ? where id = ?", [tick(), session]);
  const message: OpencodeDatabase["message"] = (session, id, data) => {
    const at = tick();
    const text = JSON.stringify({ ...data, time: { created: at } });
    sql.run("insert into message values (?, ?, ?, ?, ?)", [id, session, at, at, text]);
  };
  const part: OpencodeDatabase["part"] = (session, of, id, data) => {
    const at = tick();
    sql.run("insert into part values (?, ?, ?, ?, ?, ?)", [id, of, session, at, at, JSON.stringify(data)]);
  };
  return {
    sql,
    message,
    part,
    session(id, { parent, title, revert } = {}) {
      sql.run(
        "insert into session (id, project_id, parent_id, slug, directory, title, version, revert, model, time_created, time_updated) values (?, 'global', ?, 'a-slug', '/home/cy/shop', ?, '1.18.33', ?, '{\"id\":\"big\"}', ?, ?)",
        [id, parent ?? null, title ?? "New session - 2026-03-02", revert ?? null, STARTED_AT, tick()],
      );
    },
    turn(session, number, request, reply) {
      const name = `${session.slice(-4)}${number}`;
      message(session, `msg_${name}a`, { role: "user" });
      part(session, `msg_${name}a`, `prt_${name}a`, { type: "text", text: request });
      message(session, `msg_${name}b`, { role: "assistant", parentID: `msg_${name}a`, modelID: "big" });
      part(session, `msg_${name}b`, `prt_${name}b`, { type: "text", text: reply });
      touch(session);
    },
    todo(session, content, status) {
      const [[count] = []] = sql.rows(`select count(*) from todo where session_id = '${session}'`);
      sql.run("insert into todo values (?, ?, ?, 'high', ?)", [session, content, status, count]);
    },
    bytes: sql.bytes,
  };
}
