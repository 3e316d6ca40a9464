import type { DamagedIndex, SearchReader } from "../../core/search/search-engine.ts";
import { type IndexState, readState } from "./index-state.ts";
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
  const catalogue = await reader.catalogue();
  if (catalogue.kind === "damaged") return catalogue;
  const rows = new Map<string, SessionRow>();
  let turns = 0;
  let files = 0;
  let problems = 0;
  for (const { key, row: text } of catalogue.rows) {
    const row: SessionRow = JSON.parse(text);
    rows.set(key, row);
    turns += row.turns;
    files += row.files;
    problems += row.problems.length;
  }
  const totals = { sessions: rows.size, turns, files, problems };
  return { kind: "rows", rows, totals, state: readState(catalogue.state) };
}
