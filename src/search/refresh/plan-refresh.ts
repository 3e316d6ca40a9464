import type { SessionFiles } from "../../agents/agent.ts";
import type { ByteSource } from "../../agents/byte-source.ts";
import type { AgentName } from "../../session/entry.ts";
import { sessionKey } from "../../session/session.ts";
import type { IndexState } from "./index-rows.ts";
import { bytesOf, markOf, type Origin, type SessionRow } from "./session-row.ts";

/** A session to be read, and where from. */
export interface SessionToRead {
  readonly key: string;
  readonly files: SessionFiles;
  readonly origin: Origin;
  readonly mark: string;
  /** Absent: the agent's own files. */
  readonly source?: ByteSource;
}

export interface RefreshPlan {
  readonly toRead: readonly SessionToRead[];
  /** Keys of sessions that are to leave the index: they were forgotten, or have another name now. */
  readonly toRemove: readonly string[];
  /** Keys of sessions whose files are gone; they stay in the index. */
  readonly gone: readonly string[];
}

export interface RefreshInput {
  readonly found: readonly SessionFiles[];
  readonly archived: readonly {
    readonly files: SessionFiles;
    readonly source: ByteSource;
    readonly state: string;
  }[];
  readonly rows: ReadonlyMap<string, KnownRow>;
  readonly state: IndexState;
  /** Settings have changed that decide what the index has of a session. */
  readonly isSetAnew: boolean;
  readonly isForgotten: (session: { readonly agent: AgentName; readonly id: string }) => boolean;
}

type KnownRow = Pick<SessionRow, "agent" | "id" | "mark" | "origin" | "files" | "bytes">;

/** Compares what there is with what the index has. Sessions whose files are gone come from the archive. */
export function planRefresh(input: RefreshInput): RefreshPlan {
  const { found, archived, rows, state, isSetAnew, isForgotten } = input;
  const toRead: SessionToRead[] = [];
  const here = new Set<string>();
  const leads = new Set<string>();
  for (const files of found) {
    const key = sessionKey(files);
    if (here.has(key) || isForgotten(files)) continue;
    here.add(key);
    leads.add(leadMark(files));
    const mark = markOf(files);
    if (!isSetAnew && (rows.get(key)?.mark === mark || state.skipped[key] === mark)) continue;
    const origin = files.files.some(({ role }) => role === "main") ? "log" : "fragments";
    toRead.push({ key, files, origin, mark });
  }
  for (const { files, source, state: mark } of archived) {
    const key = sessionKey(files);
    const row = rows.get(key);
    // What was indexed from the log, before it went, is the same as what the archive has or more.
    if (here.has(key)) continue;
    if (row !== undefined && (row.origin !== "archive" || (!isSetAnew && row.mark === mark))) continue;
    // The log is there under another name, as it was archived, and nothing else belonged to it.
    if (files.files.length === 1 && leads.has(leadMark(files))) continue;
    toRead.push({ key, files, origin: "archive", mark, source });
  }
  const toRemove: string[] = [];
  const gone: string[] = [];
  const added = toRead.filter(({ key, origin }) => origin === "log" && !rows.has(key));
  for (const [key, row] of rows) {
    if (here.has(key)) continue;
    const isRenamed = added.some(({ files }) => wasNamed(files, row));
    (isRenamed || isForgotten(row) ? toRemove : gone).push(key);
  }
  return { toRead, toRemove, gone };
}

/** Are these the files of a session that is gone, under another name? */
function wasNamed(files: SessionFiles, row: KnownRow): boolean {
  if (files.agent !== row.agent || files.files.length !== row.files || bytesOf(files) !== row.bytes)
    return false;
  const before = files.files.map((file) => ({ ...file, path: file.path.replaceAll(files.id, row.id) }));
  return markOf({ ...files, files: before }) === row.mark;
}

function leadMark({ agent, files: [lead] }: SessionFiles): string {
  return lead === undefined ? "" : `${agent} ${lead.size} ${lead.mtimeMs} ${lead.inode}`;
}
