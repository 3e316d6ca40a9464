import type { DamagedIndex, SearchReader } from "../../core/search/search-engine.ts";
import { type IndexState, readState } from "./index-state.ts";
import type { SessionRow } from "./session-row.ts";

/** All rows of the index by key, and what it knows about the whole. */
export interface IndexRows {
  readonly kind: "rows";
  readonly rows: ReadonlyMap<string, SessionRow>;
  readonly turns: number;
  readonly state: IndexState;
}

export async function rowsOf(reader: SearchReader): Promise<IndexRows | DamagedIndex> {
  const catalogue = await reader.catalogue();
  if (catalogue.kind === "damaged") return catalogue;
  const rows = new Map<string, SessionRow>();
  let turns = 0;
  for (const { key, row: text } of catalogue.rows) {
    const row: SessionRow = JSON.parse(text);
    rows.set(key, row);
    turns += row.turns;
  }
  return { kind: "rows", rows, turns, state: readState(catalogue.state) };
}
