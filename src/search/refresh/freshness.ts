import { type FoundLogs, findLogs, groupLogs } from "../../agents/find-sessions.ts";
import { archivedSessions } from "../../archive/archived-sessions.ts";
import { forgottenSessions } from "../../archive/open-archive.ts";
import type { Problem } from "../../errors.ts";
import type { Library } from "../../fs/library.ts";
import { sessionKey } from "../../session/session.ts";
import type { SearchEngine, SearchReader } from "../engine.ts";
import { type HistoryStubs, historyMark, historyStubs } from "../history-stubs.ts";
import {
  emptyState,
  type IndexRows,
  type IndexState,
  rowsOf,
  settingsMark,
  type Totals,
} from "./index-rows.ts";
import { planRefresh, type RefreshPlan } from "./plan-refresh.ts";
import type { Refreshed } from "./refresh-index.ts";
import type { SessionRow } from "./session-row.ts";
import {
  createPlacements,
  isSameSnapshot,
  marksOf,
  readSnapshot,
  type SourceSnapshot,
  writeSnapshot,
} from "./source-snapshot.ts";

/** What there is, what the index has of it, and what is to be done. */
export interface SourceScan {
  /** The index that was looked into; empty where there is none. */
  readonly index: string;
  /** Of deleted sessions; undefined where the history is as it was. */
  readonly stubs: HistoryStubs | undefined;
  readonly plan: RefreshPlan;
  readonly rows: ReadonlyMap<string, SessionRow>;
  readonly totals: Totals;
  readonly state: IndexState;
  /** Of the archive and the history; undefined where they changed just now. */
  readonly marks: string | undefined;
  readonly problems: readonly Problem[];
  /** Why everything has to be read anew, if it has. */
  readonly rebuilt: "absent" | "damaged" | "version" | "asked" | null;
  /** To be called where an index has all that was seen: the next look will see it at once. */
  keep(has: Pick<KnownRows, "index" | "rows" | "totals">): void;
}

/** `glance`: what was seen a moment ago, of which nothing is looked for again. */
export async function scanSources(
  library: Library,
  { engine, rebuild }: { readonly engine: SearchEngine; readonly rebuild?: boolean },
  { last = readSnapshot(library), found: seen }: Partial<FreshnessCheck> = {},
): Promise<SourceScan> {
  const marks = marksOf(library);
  const {
    index,
    rows,
    totals,
    state: before,
    rebuilt,
  } = rebuild === true ? { ...NOTHING, rebuilt: "asked" as const } : await readRows(engine);
  const settings = settingsMark(library.config);
  const isSetAnew = before.settings !== settings;
  const state = isSetAnew ? { ...before, settings, skipped: {} } : before;
  const projects = projectsOf(rows);
  const isSeen = seen !== undefined && last !== undefined && isSameList(projects, last.projects);
  const found = isSeen ? seen : findLogs(library, projects);
  const placements = createPlacements(last);
  const sessions = found.flatMap((logs) => groupLogs(library, logs, placements.of(logs.format.agent)));
  const forgotten = forgottenSessions(library);
  const isChanged = !library.demo && historyMark(library) !== state.historyMark;
  const isArchiveSame = !isChanged && !isSetAnew && marks !== undefined && marks === state.archiveMark;
  const archived = isArchiveSame ? [] : archivedSessions(library);
  const plan = planRefresh({
    ...{ found: sessions, archived, rows, state, isSetAnew },
    isForgotten: (session) => forgotten.has(session),
  });
  const known = new Set([...sessions, ...archived.map(({ files }) => files)].map(sessionKey));
  for (const [key, { origin }] of rows) if (origin !== "history") known.add(key);
  const stubs = isChanged ? historyStubs(library, (session) => known.has(sessionKey(session))) : undefined;
  const problems = found.flatMap((logs) => logs.problems);
  const keep: SourceScan["keep"] = (has) => {
    if (marks === undefined) return;
    const logs = placements.list(found);
    writeSnapshot(library, {
      index: has.index,
      marks,
      projects: projectsOf(has.rows),
      totals: has.totals,
      logs,
    });
  };
  return { index, plan, rows, totals, state, marks, stubs, problems, rebuilt, keep };
}

function projectsOf(rows: ReadonlyMap<string, SessionRow>): readonly string[] {
  return [...new Set([...rows.values()].flatMap(({ project }) => project ?? []))].sort();
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}

interface KnownRows extends Omit<IndexRows, "kind"> {
  /** Of the index that they are from. */
  readonly index: string;
}

const NOTHING: KnownRows = {
  index: "",
  rows: new Map(),
  totals: { sessions: 0, turns: 0, files: 0, problems: 0 },
  state: emptyState,
};

async function readRows(engine: SearchEngine): Promise<KnownRows & Pick<SourceScan, "rebuilt">> {
  const opened = await engine.read();
  if (opened.kind !== "open") return { ...NOTHING, rebuilt: opened.kind };
  const { reader } = opened;
  try {
    const read = await rowsOf(reader);
    if (read.kind === "damaged") return { ...NOTHING, rebuilt: "damaged" };
    return { ...read, index: reader.id, rebuilt: null };
  } finally {
    await reader.close();
  }
}

export function isUnchanged({ toRead, toRemove, gone }: RefreshPlan, state: IndexState): boolean {
  return (
    toRead.length === 0 &&
    toRemove.length === 0 &&
    gone.length === state.gone.length &&
    gone.every((key) => state.gone.includes(key))
  );
}

/** An index that has everything, and what a refresh would have said. */
interface UpToDate {
  readonly kind: "same";
  readonly reader: SearchReader;
  readonly refreshed: Refreshed;
}

/** It is not sure that nothing has changed. What was seen on the way needs not be looked for again. */
export interface FreshnessCheck {
  readonly kind: "glance";
  readonly last: SourceSnapshot | undefined;
  /** The logs that are there now, with those in the projects of the last look. */
  readonly found: readonly FoundLogs[] | undefined;
}

/** Opens the index, if all is as it was when it was last found to be up to date. */
export async function openIfCurrent(
  library: Library,
  engine: SearchEngine,
): Promise<UpToDate | FreshnessCheck> {
  const last = readSnapshot(library);
  if (last === undefined || last.marks !== marksOf(library))
    return { kind: "glance", last, found: undefined };
  const found = findLogs(library, last.projects);
  const glance: FreshnessCheck = { kind: "glance", last, found };
  if (!isSameSnapshot(found, last)) return glance;
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

/** What a refresh says that had nothing to do. */
export const NO_CHANGE = { read: 0, removed: 0, stale: 0, bytes: 0, rebuilt: null };
