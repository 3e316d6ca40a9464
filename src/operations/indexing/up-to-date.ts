import type { SearchEngine, SearchReader } from "../../core/search/search-engine.ts";
import { findLogs } from "../find-sessions.ts";
import type { Library } from "../library.ts";
import { isSame, marksOf, readLastLook } from "./last-look.ts";
import { NO_CHANGE } from "./no-change.ts";
import type { Refreshed } from "./refresh-index.ts";

/** An index that has everything, and what a refresh would have said. */
export interface UpToDate {
  readonly reader: SearchReader;
  readonly refreshed: Refreshed;
}

/** Opens the index, if all is as it was when it was last found to be up to date; undefined: that is not sure. */
export async function openUpToDate(library: Library, engine: SearchEngine): Promise<UpToDate | undefined> {
  const last = readLastLook(library);
  if (last === undefined || last.marks !== marksOf(library)) return undefined;
  const found = findLogs(library, last.projects);
  if (!isSame(found, last)) return undefined;
  const opened = await engine.read();
  if (opened.kind !== "open") return undefined;
  const { reader } = opened;
  if (reader.id === last.index) {
    const problems = found.flatMap((logs) => logs.problems);
    return { reader, refreshed: { ...NO_CHANGE, problems, totals: last.totals } };
  }
  await reader.close();
  return undefined;
}
