import type { Problem } from "../../errors.ts";
import type { Config } from "../../fs/config.ts";
import type { DamagedIndex, SearchReader, SearchWriter } from "../engine.ts";
import type { SessionRow } from "./session-row.ts";

/** What all sessions come to. */
export interface Totals {
  readonly sessions: number;
  readonly turns: number;
  readonly files: number;
  /** Of sessions that were read only in part. */
  readonly problems: number;
}

/** All rows of the index by key, and what it knows about the whole. */
export interface IndexRows {
  readonly kind: "rows";
  readonly rows: ReadonlyMap<string, SessionRow>;
  readonly totals: Totals;
  readonly state: IndexState;
}

export async function rowsOf(reader: SearchReader): Promise<IndexRows | DamagedIndex> {
  const stored = await reader.rows();
  if (stored.kind === "damaged") return stored;
  const rows = new Map<string, SessionRow>();
  let turns = 0;
  let files = 0;
  let problems = 0;
  for (const { key, row: text } of stored.rows) {
    const row: SessionRow = JSON.parse(text);
    rows.set(key, row);
    turns += row.turns;
    files += row.files;
    problems += row.problems.length;
  }
  const totals = { sessions: rows.size, turns, files, problems };
  return { kind: "rows", rows, totals, state: readState(stored.state) };
}

interface CountingWriter {
  readonly writer: SearchWriter;
  /** What the index has once all is committed; undefined where that is not known. */
  readonly known: () => Pick<IndexRows, "rows" | "totals"> | undefined;
}

/** Watches what is written to an index, so that nobody has to open all rows afterwards to know what they come to. */
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
        writer.put(session);
      },
      remove(key) {
        changed.set(key, undefined);
        writer.remove(key);
      },
      add(batches) {
        isKnown = false;
        writer.add(batches);
      },
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
    turns: totals.turns + times * row.turns,
    files: totals.files + times * row.files,
    problems: totals.problems + times * row.problems.length,
  };
}

/** What the index must know about the whole, besides its sessions. Kept with every commit. */
export interface IndexState {
  readonly indexedAt: number;
  /** Keys of sessions whose files are gone. */
  readonly gone: readonly string[];
  /** Marks of what looked like a session and is none, or is not to be read: not looked at again until it changes. */
  readonly skipped: Readonly<Record<string, string>>;
  /** What of the settings decides what the index has of a session, as `settingsMark` gives it. */
  readonly settings?: string;
  /** Of the files that prompts of deleted sessions come from. */
  readonly historyMark: string;
  /** Of the archive when the index had all of it; what it was told then needs not be looked for again. */
  readonly archiveMark?: string;
  /** Of folders and files that could not be looked at. */
  readonly problems: readonly Problem[];
}

export const emptyState: IndexState = { indexedAt: 0, gone: [], skipped: {}, historyMark: "", problems: [] };

/** Changes with what is read, kept and masked: then all is read again. */
export function settingsMark({ exclude, redact, index }: Config): string {
  return JSON.stringify({ exclude, redact, index });
}

export function readState(text: string): IndexState {
  return text === "" ? emptyState : JSON.parse(text);
}
