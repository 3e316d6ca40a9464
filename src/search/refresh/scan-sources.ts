import { isDeepStrictEqual } from "node:util";
import type { SessionFiles } from "../../agents/agent.ts";
import { type ByteSource, diskSource } from "../../agents/byte-source.ts";
import { findLogs, groupLogs } from "../../agents/find-sessions.ts";
import {
  type ArchivedLog,
  archivedLogs,
  archivedSessions,
  hasLog,
  joinLogs,
  keptCopies,
  leftOvers,
  type MachinesOfLogs,
  withLeftOvers,
} from "../../archive/archived-sessions.ts";
import { withoutForgotten } from "../../archive/log-identity.ts";
import { forgottenSessions } from "../../archive/open-archive.ts";
import type { Problem } from "../../errors.ts";
import type { Disk } from "../../fs/disk.ts";
import { saysDenied } from "../../fs/disk-error.ts";
import type { Library } from "../../fs/library.ts";
import { once } from "../../fs/once.ts";
import { insideOf } from "../../fs/places.ts";
import { whyUnreadable } from "../../fs/sources.ts";
import type { AgentName } from "../../session/entry.ts";
import { sessionKey } from "../../session/session.ts";
import type { SearchEngine } from "../engine.ts";
import { type HistoryStubs, historyMark, historyStubs } from "../history-stubs.ts";
import {
  createPlacements,
  marksOf,
  type PossiblyStale,
  readSnapshot,
  settledMark,
  writeSnapshot,
} from "./freshness.ts";
import { engineError } from "./index-access.ts";
import {
  emptyState,
  type IndexRows,
  type IndexState,
  isClosed,
  rowsOf,
  settingsMark,
  type Totals,
} from "./index-rows.ts";
import { bytesOf, filesMark, type Origin, type SessionRow } from "./session-row.ts";

/** The sources, their state in the index, and the work that a refresh has to do. */
export interface SourceScan {
  /** The id of the index that was compared; empty if there is none. */
  readonly index: string;
  /** Prompts of deleted sessions; undefined if the prompt histories are unchanged. */
  readonly stubs: HistoryStubs | undefined;
  readonly plan: RefreshPlan;
  readonly rows: ReadonlyMap<string, SessionRow>;
  readonly totals: Totals;
  readonly state: IndexState;
  /** Whether the index already has the reasons why logs can't be read. */
  readonly isUnreadSame: boolean;
  /** The mark of all sources besides logs; undefined if any of them changed just now. */
  readonly mark: string | undefined;
  readonly problems: readonly Problem[];
  /** Why everything has to be read again, if it has to. */
  readonly rebuilt: "absent" | "damaged" | "version" | "asked" | null;
  /** Saves the snapshot. Call it when an index has all of these sources. */
  keepSnapshot(has: Pick<KnownRows, "index" | "rows" | "totals">): void;
}

/** Compares the sources with the index. `check`: results of the freshness check. */
export async function scanSources(
  library: Library,
  { engine, rebuild }: { readonly engine: SearchEngine; readonly rebuild?: boolean },
  check?: PossiblyStale,
): Promise<SourceScan> {
  const snapshot = check === undefined ? readSnapshot(library) : check.snapshot;
  const marks = marksOf(library);
  const mark = settledMark(marks);
  const {
    index,
    rows,
    totals,
    state: before,
    rebuilt,
  } = rebuild === true ? { ...NOTHING, rebuilt: "asked" as const } : await readRows(engine);
  const settings = settingsMark(library.config);
  const hasNewSettings = before.settings !== settings;
  const state = hasNewSettings ? { ...before, settings, skipped: {}, unread: {} } : before;
  const projects = projectsOf(rows);
  const isFound = snapshot !== undefined && isSameList(projects, snapshot.projects);
  const found = (isFound ? check?.found : undefined) ?? findLogs(library, projects);
  const placements = createPlacements(snapshot);
  const groups = found.flatMap((logs) => groupLogs(library, logs, placements.of(logs.format.name)));
  const sessions = withoutForgotten(library, groups);
  const forgotten = forgottenSessions(library);
  const hasNewHistory = !library.demo && historyMark(library) !== state.historyMark;
  const isArchiveSame = !hasNewHistory && !hasNewSettings && mark !== undefined && mark === state.archiveMark;
  const logs = once(() => archivedLogs(library));
  const disk = diskSource(library.disk);
  const inArchive = isArchiveSame ? [] : archivedSessions(library, logs());
  const left = leftOvers(inArchive, sessions);
  const archived = withLeftOvers(inArchive, left, disk);
  const copiesOf = once(() => keptCopies(library, logs()));
  const denied = found.flatMap(({ problems }) => problems.filter(saysDenied)).map(({ path }) => path);
  const planFor = (present: readonly SessionFiles[], closed: ReadonlyMap<string, Problem>): RefreshPlan =>
    planRefresh({
      isDenied: (key, { lead }) => {
        const problem = closed.get(key);
        if (problem !== undefined) return saysDenied(problem);
        return lead !== null && denied.some((path) => lead === path || insideOf(path, lead));
      },
      found: present,
      left,
      archived,
      isArchiveSame,
      keptCopiesOf: (session) => copiesOf()(session),
      withCopies: (files, copies) => {
        const first = { files, source: disk };
        return joinLogs([first, ...copies], first);
      },
      rows,
      state,
      hasNewSettings,
      isForgotten: (session) => forgotten.hasSession(session),
    });
  const all = planFor(sessions, new Map());
  const closed = closedLogs(library.disk, all.toRead);
  const plan =
    closed.size === 0
      ? all
      : planFor(
          sessions.flatMap((files) => withoutClosed(files, closed)),
          closed,
        );
  const known = new Set([...sessions, ...archived.map(({ files }) => files)].map(sessionKey));
  for (const [key, { origin }] of rows) if (origin !== "history") known.add(key);
  const stubs = hasNewHistory
    ? historyStubs(library, (session) => known.has(sessionKey(session)))
    : undefined;
  const unread = { ...stillUnread(state, sessions), ...Object.fromEntries(closed) };
  const problems = [...found.flatMap((logs) => logs.problems), ...Object.values(unread)];
  const keepSnapshot: SourceScan["keepSnapshot"] = (has) => {
    if (mark === undefined) return;
    const logs = placements.list(found);
    writeSnapshot(library, {
      index: has.index,
      marks,
      projects: projectsOf(has.rows),
      totals: has.totals,
      logs,
    });
  };
  return {
    index,
    plan,
    rows,
    totals,
    state: { ...state, unread },
    isUnreadSame: isDeepStrictEqual(unread, before.unread ?? {}),
    mark,
    stubs,
    problems,
    rebuilt,
    keepSnapshot,
  };
}

/** The logs that have to be read and can't be opened, by the key of their session. */
function closedLogs(disk: Disk, toRead: readonly SessionToRead[]): ReadonlyMap<string, Problem> {
  const closed = new Map<string, Problem>();
  for (const { key, files, origin } of toRead) {
    if (origin === "archive") continue;
    for (const { path, role } of files.files) {
      const what = role === "main" ? whyUnreadable(disk, path) : undefined;
      if (what !== undefined) closed.set(key, { path, line: 0, what: `cannot be read: ${what}` });
    }
  }
  return closed;
}

/** Treats a log that can't be opened as gone: the session is still found in the index or the archive. */
function withoutClosed(files: SessionFiles, closed: ReadonlyMap<string, Problem>): readonly SessionFiles[] {
  const path = closed.get(sessionKey(files))?.path;
  if (path === undefined) return [files];
  const left = files.files.filter((file) => file.path !== path);
  return left.some(({ role }) => role === "main") ? [{ ...files, files: left }] : [];
}

/** Logs that could not be read the last time and have not changed. */
function stillUnread(
  { unread = {}, skipped }: IndexState,
  sessions: readonly SessionFiles[],
): Readonly<Record<string, Problem>> {
  if (Object.keys(unread).length === 0) return unread;
  const marks = new Map(sessions.map((files) => [sessionKey(files), filesMark(files)]));
  return Object.fromEntries(
    Object.entries(unread).filter(([key, problem]) => !isClosed(problem) && marks.get(key) === skipped[key]),
  );
}

function projectsOf(rows: ReadonlyMap<string, SessionRow>): readonly string[] {
  const places = [...rows.values()].flatMap(
    (row): readonly Pick<SessionRow, "project">[] => row.logs ?? [row],
  );
  return [...new Set(places.flatMap(({ project }) => project ?? []))].sort();
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}

interface KnownRows extends Omit<IndexRows, "kind"> {
  /** The id of the index that has them. */
  readonly index: string;
}

const NOTHING: KnownRows = {
  index: "",
  rows: new Map(),
  totals: { sessions: 0, stubs: 0, turns: 0, files: 0, problems: 0 },
  state: emptyState,
};

async function readRows(engine: SearchEngine): Promise<KnownRows & Pick<SourceScan, "rebuilt">> {
  const opened = await engine.read();
  if (opened.kind === "unreachable" || opened.kind === "denied") throw engineError(opened);
  if (opened.kind !== "open") return { ...NOTHING, rebuilt: opened.kind };
  const { reader } = opened;
  try {
    const read = await rowsOf(reader);
    if (read.kind === "damaged") return { ...NOTHING, rebuilt: "damaged" };
    if (read.kind !== "rows") throw engineError(read);
    return { ...read, index: reader.id, rebuilt: null };
  } finally {
    await reader.close();
  }
}

export function isUnchanged({
  plan: { toRead, toRemove, gone },
  state,
  isUnreadSame,
}: Pick<SourceScan, "plan" | "state" | "isUnreadSame">): boolean {
  return (
    isUnreadSame &&
    toRead.length === 0 &&
    toRemove.length === 0 &&
    gone.length === state.gone.length &&
    gone.every((key) => state.gone.includes(key))
  );
}

/** Logs that only the archive has: their archived files, and where they were. */
export interface KeptLogs {
  readonly state: string;
  readonly paths: readonly string[];
}

/** A session that has to be read, and its source. */
export interface SessionToRead {
  readonly key: string;
  readonly files: SessionFiles;
  readonly origin: Origin;
  readonly mark: string;
  /** The logs with its id that only the archive has: they are read with the agent's own files. */
  readonly kept?: KeptLogs;
  /** The machines of those of its files that come from other machines. */
  readonly machines?: MachinesOfLogs;
  /** Absent: from the agent's own files. */
  readonly source?: ByteSource;
}

export interface RefreshPlan {
  readonly toRead: readonly SessionToRead[];
  /** Keys of sessions to remove from the index: they were forgotten, or have a new id. */
  readonly toRemove: readonly string[];
  /** Keys of sessions whose files are gone; they stay in the index. */
  readonly gone: readonly string[];
}

interface RefreshInput {
  readonly found: readonly SessionFiles[];
  /** Sessions on disk that are only fragments of complete archived ones. */
  readonly left: ReadonlySet<SessionFiles>;
  readonly archived: readonly {
    readonly files: SessionFiles;
    readonly source: ByteSource;
    readonly state: string;
    readonly machines: MachinesOfLogs;
  }[];
  /** Whether the archive is unchanged since the index last had all of it. Then `archived` is empty. */
  readonly isArchiveSame: boolean;
  /** The logs with a session's id that only the archive has. */
  readonly keptCopiesOf: (session: SessionFiles) => readonly ArchivedLog[];
  readonly withCopies: (
    files: SessionFiles,
    copies: readonly ArchivedLog[],
  ) => Pick<SessionToRead, "files" | "source">;
  readonly rows: ReadonlyMap<string, KnownRow>;
  readonly state: IndexState;
  /** Whether settings changed that determine the content of the index. */
  readonly hasNewSettings: boolean;
  readonly isForgotten: (session: { readonly agent: AgentName; readonly id: string }) => boolean;
  /** Whether the log of a session may not be looked at: it is not gone. */
  readonly isDenied: (key: string, row: KnownRow) => boolean;
}

type KnownRow = Pick<
  SessionRow,
  "agent" | "id" | "mark" | "kept" | "origin" | "files" | "bytes" | "lead" | "logs" | "machine"
>;

/** Plans what to read and remove. Sessions whose files are gone come from the archive. */
function planRefresh(input: RefreshInput): RefreshPlan {
  const { found, left, archived, rows, state, hasNewSettings, isForgotten } = input;
  const { isArchiveSame, keptCopiesOf, withCopies, isDenied } = input;
  const toRead: SessionToRead[] = [];
  const here = new Set<string>();
  const leads = new Set<string>();
  for (const files of found) {
    const key = sessionKey(files);
    const row = rows.get(key);
    // The index or the archive has the session itself.
    if (here.has(key) || left.has(files) || (!hasLog(files) && isWhole(row))) continue;
    here.add(key);
    leads.add(leadMark(files));
    const mark = filesMark(files);
    const isSame = !hasNewSettings && (row?.mark === mark || state.skipped[key] === mark);
    if (isSame && isArchiveSame) continue;
    // The content of a copy is still found when its file is gone.
    const copies = !isArchiveSame || hadOtherLogs(row, files) ? keptCopiesOf(files) : [];
    const kept = copies.length === 0 ? undefined : keptLogs(copies);
    if (isSame && row?.kept === kept?.state) continue;
    const origin = hasLog(files) ? "log" : "fragments";
    const machines: MachinesOfLogs = Object.assign({}, ...copies.map((copy) => copy.machines));
    const whole = kept === undefined ? { files } : { ...withCopies(files, copies), kept, machines };
    toRead.push({ key, origin, mark, ...whole });
  }
  const inArchive = new Set<string>();
  for (const { files, source, state: mark, machines } of archived) {
    const key = sessionKey(files);
    inArchive.add(key);
    const row = rows.get(key);
    if (here.has(key)) continue;
    // The index has at least as much of the log as the archive, unless a copy was forgotten.
    const isIndexed =
      row?.origin === "archive"
        ? !hasNewSettings && row.mark === mark
        : (isWhole(row) || !hasLog(files)) && !isForgotten(files);
    if (row !== undefined && isIndexed) continue;
    // The same log exists under another name, and it was the only file of the session.
    if (files.files.length === 1 && leads.has(leadMark(files))) continue;
    toRead.push({ key, files, origin: "archive", mark, source, machines });
  }
  const toRemove: string[] = [];
  const gone: string[] = [];
  const added = toRead.filter(({ key, origin }) => origin === "log" && !rows.has(key));
  for (const [key, row] of rows) {
    if (here.has(key)) continue;
    const isRenamed = added.some(({ files }) => wasNamed(files, row));
    // It was forgotten, here or on its machine, and no copy of it is left.
    const isTakenBack =
      !isArchiveSame && !inArchive.has(key) && (row.machine !== undefined || isForgotten(row));
    if (isRenamed || isTakenBack) toRemove.push(key);
    else if (!isDenied(key, row)) gone.push(key);
  }
  return { toRead, toRemove, gone };
}

/** Whether the index entry was made from the session's log, not from its remains. */
function isWhole(row: KnownRow | undefined): boolean {
  return row?.origin === "log" || row?.origin === "archive";
}

function keptLogs(copies: readonly ArchivedLog[]): KeptLogs {
  return {
    state: copies.map(({ state }) => state).join("+"),
    paths: copies.flatMap(({ files }) => files.files[0]?.path ?? []),
  };
}

/** Whether the index entry comes from other logs than these: the archive may have the others. */
function hadOtherLogs(row: KnownRow | undefined, { files }: SessionFiles): boolean {
  if (row === undefined) return false;
  return row.logs !== undefined || !files.some(({ path }) => path === row.lead);
}

/** Whether these are the files of a session that is gone, under a new id. */
function wasNamed(files: SessionFiles, row: KnownRow): boolean {
  if (files.agent !== row.agent || files.files.length !== row.files || bytesOf(files) !== row.bytes)
    return false;
  const before = files.files.map((file) => ({ ...file, path: file.path.replaceAll(files.id, row.id) }));
  return filesMark({ ...files, files: before }) === row.mark;
}

function leadMark({ agent, files: [lead] }: SessionFiles): string {
  return lead === undefined ? "" : `${agent} ${lead.size} ${lead.mtimeMs} ${lead.inode}`;
}
