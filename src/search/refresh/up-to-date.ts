import { type FoundLogs, findLogs } from "../../agents/find-sessions.ts";
import type { Library } from "../../fs/library.ts";
import type { SearchEngine, SearchReader } from "../engine.ts";
import { isSame, type LastLook, marksOf, readLastLook } from "./last-look.ts";
import { NO_CHANGE } from "./no-change.ts";
import type { Refreshed } from "./refresh-index.ts";

/** An index that has everything, and what a refresh would have said. */
export interface UpToDate {
  readonly kind: "same";
  readonly reader: SearchReader;
  readonly refreshed: Refreshed;
}

/** It is not sure that nothing has changed. What was seen on the way needs not be looked for again. */
export interface Glance {
  readonly kind: "glance";
  readonly last: LastLook | undefined;
  /** The logs that are there now, with those in the projects of the last look. */
  readonly found: readonly FoundLogs[] | undefined;
}

/** Opens the index, if all is as it was when it was last found to be up to date. */
export async function openUpToDate(library: Library, engine: SearchEngine): Promise<UpToDate | Glance> {
  const last = readLastLook(library);
  if (last === undefined || last.marks !== marksOf(library))
    return { kind: "glance", last, found: undefined };
  const found = findLogs(library, last.projects);
  const glance: Glance = { kind: "glance", last, found };
  if (!isSame(found, last)) return glance;
  const opened = await engine.read();
  if (opened.kind !== "open") return glance;
  const { reader } = opened;
  if (reader.id === last.index) {
    const problems = found.flatMap((logs) => logs.problems);
    return { kind: "same", reader, refreshed: { ...NO_CHANGE, problems, totals: last.totals } };
  }
  await reader.close();
  return glance;
}
