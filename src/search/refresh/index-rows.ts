import type { Problem } from "../../errors.ts";
import type { Config } from "../../fs/config.ts";
import type { EngineFailure, SearchReader, SearchWriter } from "../engine.ts";
import { isStub, type SessionRow } from "./session-row.ts";

/** Sums over all sessions. */
export interface Totals {
  readonly sessions: number;
  /** Those of the sessions of which only parts are left. */
  readonly stubs: number;
  readonly turns: number;
  readonly files: number;
  /** Problems of sessions that could be read only in part. */
  readonly problems: number;
}

/** All rows of the index by key, and its state. */
export interface IndexRows {
  readonly kind: "rows";
  readonly rows: ReadonlyMap<string, SessionRow>;
  readonly totals: Totals;
  readonly state: IndexState;
}

/** The number of rows per request. */
const PAGE_ROWS = 10_000;

export async function rowsOf(reader: SearchReader): Promise<IndexRows | EngineFailure> {
  const rows = new Map<string, SessionRow>();
  let stubs = 0;
  let turns = 0;
  let files = 0;
  let problems = 0;
  for (let after: string | undefined; ; ) {
    const page = await reader.rows({ limit: PAGE_ROWS, ...(after === undefined ? {} : { after }) });
    if (page.kind !== "rows") return page;
    for (const { key, row: text } of page.rows) {
      const row: SessionRow = JSON.parse(text);
      rows.set(key, row);
      stubs += isStub(row) ? 1 : 0;
      turns += row.turns;
      files += row.files;
      problems += row.problems.length;
    }
    after = page.next;
    if (after === undefined) break;
  }
  const totals = { sessions: rows.size, stubs, turns, files, problems };
  return { kind: "rows", rows, totals, state: readState(reader.state) };
}

interface CountingWriter {
  readonly writer: SearchWriter;
  /** The rows and totals after the commit; undefined if sessions came from worker threads. */
  readonly known: () => Pick<IndexRows, "rows" | "totals"> | undefined;
}

/** Wraps a writer to keep track of rows and totals, so that they need not be read again after the commit. */
export function countingWriter(
  writer: SearchWriter,
  rows: ReadonlyMap<string, SessionRow>,
  totals: Totals,
): CountingWriter {
  const changed = new Map<string, SessionRow | undefined>();
  let isKnown = true;
  return {
    writer: {
      ...writer,
      put(session) {
        changed.set(session.key, JSON.parse(session.row));
        return writer.put(session);
      },
      remove(key) {
        changed.set(key, undefined);
        writer.remove(key);
      },
      ...(writer.add !== undefined && {
        add(batches) {
          isKnown = false;
          writer.add?.(batches);
        },
      }),
    },
    known() {
      if (!isKnown) return undefined;
      const now = new Map(rows);
      let sum = totals;
      for (const [key, row] of changed) {
        sum = addRow(addRow(sum, rows.get(key), -1), row, 1);
        if (row === undefined) now.delete(key);
        else now.set(key, row);
      }
      return { rows: now, totals: sum };
    },
  };
}

function addRow(totals: Totals, row: SessionRow | undefined, times: 1 | -1): Totals {
  if (row === undefined) return totals;
  return {
    sessions: totals.sessions + times,
    stubs: totals.stubs + (isStub(row) ? times : 0),
    turns: totals.turns + times * row.turns,
    files: totals.files + times * row.files,
    problems: totals.problems + times * row.problems.length,
  };
}

/** The state of the index besides its sessions. Written with every commit. */
export interface IndexState {
  readonly indexedAt: number;
  /** Keys of sessions whose files are gone. */
  readonly gone: readonly string[];
  /** Marks of files that are not sessions or are excluded, by key: not read again until they change. */
  readonly skipped: Readonly<Record<string, string>>;
  /** Logs that can't be opened, or are skipped because no line of them can be read: the reason, by key. */
  readonly unread?: Readonly<Record<string, Problem>>;
  /** The `settingsMark` that the index was built with. */
  readonly settings?: string;
  /** The mark of the prompt histories. */
  readonly historyMark: string;
  /** The marks of the sources besides logs when the index had all of the archive: then it need not be listed again. */
  readonly archiveMark?: string;
  /** Folders and files that could not be read. */
  readonly problems: readonly Problem[];
}

export const emptyState: IndexState = { indexedAt: 0, gone: [], skipped: {}, historyMark: "", problems: [] };

/**
 * Rows of another version are rebuilt. 6: where the copies of a log are; 7: activity; 8: fragments are only those of
 * logs that are gone, open work without lines for programs; 9: decisions with their question.
 */
const ROW_VERSION = 9;

/**
 * Returns a mark of the settings that determine what is read, kept and masked. If it changes, everything is read
 * again.
 */
export function settingsMark({ exclude, redact, index }: Config): string {
  return JSON.stringify({ exclude, redact, index, rows: ROW_VERSION });
}

/** Whether a log could not be opened: that may change without its size, time or inode. */
export function isClosed({ line }: Problem): boolean {
  return line === 0;
}

/** The logs that could not be read. A search has no time to parse a state that names none. */
export function unreadIn(state: string): readonly Problem[] {
  return state.includes('"unread":{"') ? Object.values(readState(state).unread ?? {}) : [];
}

export function readState(text: string): IndexState {
  return text === "" ? emptyState : JSON.parse(text);
}
