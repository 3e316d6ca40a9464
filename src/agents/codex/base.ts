import type { Buffer } from "node:buffer";
import { dirname, join, sep } from "node:path";
import { numberAt, objectAt } from "../../jsonl/values.ts";
import type { LogBase } from "../agent.ts";
import { sessionIdAt } from "../session-id.ts";
import { headObjects } from "../sniff-format.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SESSIONS = "sessions";

/**
 * The log that a fork continues: the fork's header names the thread, and how much of that thread's log is its
 * beginning. Logs are in a folder for the day of their start, in local time, and the id of a thread begins with that
 * time.
 */
export function codexBase(path: string, head: Buffer): LogBase | undefined {
  const [header] = headObjects(head);
  if (header?.type !== "session_meta") return undefined;
  const base = objectAt(objectAt(header, "payload"), "history_base");
  const session = sessionIdAt(base, "thread_id");
  const bytes = numberAt(base, "end_byte_offset");
  if (session === undefined || bytes === undefined || !(bytes > 0)) return undefined;
  const names = [`-${session}.jsonl`, `-${session}.jsonl.zst`].map((name) => name.toLowerCase());
  return {
    session,
    bytes,
    folders: [dirname(path), ...otherFolders(path, session)],
    isNamed: (name) => names.some((ending) => name.toLowerCase().endsWith(ending)),
  };
}

/** The folders of the day on which a thread began, in every time zone, and the folder of archived logs. */
function otherFolders(path: string, session: string): readonly string[] {
  const root = rootOf(path);
  const startedAt = Number.parseInt(session.replaceAll("-", "").slice(0, 12), 16);
  if (root === undefined || Number.isNaN(startedAt)) return [];
  const days = [0, -DAY_MS, DAY_MS].map((shift) => new Date(startedAt + shift));
  return [
    ...days.map((day) => join(root, SESSIONS, ...day.toISOString().slice(0, 10).split("-"))),
    join(root, "archived_sessions"),
  ];
}

/** The folder that contains `sessions` and `archived_sessions`. */
function rootOf(path: string): string | undefined {
  const at = Math.max(
    path.lastIndexOf(`${sep}${SESSIONS}${sep}`),
    path.lastIndexOf(`${sep}archived_sessions${sep}`),
  );
  return at < 0 ? undefined : path.slice(0, at);
}
