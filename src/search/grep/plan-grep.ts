import type { SessionFiles } from "../../agents/agent.ts";
import { diskSource } from "../../agents/byte-source.ts";
import { withoutExcluded } from "../../agents/excluded-logs.ts";
import { findSessions, promptHistories } from "../../agents/find-sessions.ts";
import { type ArchivedSession, archivedSessions } from "../../archive/archived-sessions.ts";
import { withoutForgotten } from "../../archive/log-identity.ts";
import { forgottenSessions } from "../../archive/open-archive.ts";
import type { Problem } from "../../errors.ts";
import { isExcluded } from "../../fs/config.ts";
import { IndexDamage } from "../../fs/damage.ts";
import { errorCode } from "../../fs/disk-error.ts";
import type { Library } from "../../fs/library.ts";
import { whyUnreadable } from "../../fs/sources.ts";
import { splitLines } from "../../jsonl/lines.ts";
import { type SessionName, sessionKey } from "../../session/session.ts";
import type { SearchEngine } from "../engine.ts";
import { filterSessions } from "../filter-sessions.ts";
import { rowsOf } from "../refresh/index-rows.ts";
import { filesMark, type SessionRow } from "../refresh/session-row.ts";
import { readSessionCatalog } from "../session-catalog.ts";
import { sessionPointers } from "../session-pointers.ts";
import type { GrepJob, GrepQuery, PlacedPrompt } from "./grep-job.ts";
import { hasFilters, sessionFactsOf } from "./session-layers.ts";

interface GrepPlan {
  /** Newest first. */
  readonly jobs: readonly GrepJob[];
  readonly problems: readonly Problem[];
}

/** Lists the sessions to search without reading any. Filters by the index if there is one. */
export async function planGrep(
  library: Library,
  engine: SearchEngine,
  query: Pick<GrepQuery, "filter">,
): Promise<GrepPlan> {
  const { rows, passesFilters } = await readIndex(library, engine, query);
  const { sessions, problems } = findSessions(library, projectsOf(library, rows));
  const here = new Map(withoutForgotten(library, sessions).map((files) => [sessionKey(files), files]));
  const archived = new Map(archivedSessions(library).map((session) => [sessionKey(session.files), session]));
  const closed: Problem[] = [];
  for (const [key, { files }] of here) {
    const path = files[0]?.path ?? "";
    const why = archived.has(key) ? whyUnreadable(library.disk, path) : undefined;
    if (why === undefined) continue;
    // The archive is searched instead.
    here.delete(key);
    closed.push({ path, line: 0, what: `it can't be read: ${why}` });
  }

  /** The index row of a session, if it is current. */
  const rowOf = (key: string, isCurrent: (row: SessionRow) => boolean): SessionRow | undefined => {
    const row = rows.get(key);
    return row !== undefined && isCurrent(row) ? row : undefined;
  };
  const jobs: (GrepJob & { readonly newest: number })[] = [];
  const add = (job: Omit<GrepJob, "facts" | "fromFile">, row: SessionRow | undefined): void => {
    if (row !== undefined && (isExcluded(library, row) || !passesFilters(sessionKey(row)))) return;
    const newest = row?.endedAt ?? newestOf(job);
    jobs.push({ ...job, facts: row === undefined ? null : sessionFactsOf(row), fromFile: 0, newest });
  };
  const source = diskSource(library.disk);
  for (const [key, found] of here) {
    const mark = filesMark(found);
    const files = withoutExcluded(library, source, found);
    if (files === undefined) continue;
    const generations = generationsOf(files, archived.get(key));
    add(
      { files, origin: "log", generations },
      rowOf(key, (row) => row.mark === mark),
    );
  }
  for (const [key, { files, state }] of archived) {
    if (here.has(key)) continue;
    const row = rowOf(key, ({ origin, mark }) => origin !== "archive" || mark === state);
    add({ files, origin: "archive", generations: "all" }, row);
  }
  for (const job of historyJobs(library, (key) => here.has(key) || archived.has(key))) add(job, undefined);
  return { jobs: jobs.sort((a, b) => b.newest - a.newest), problems: [...problems, ...closed] };
}

interface IndexedSessions {
  readonly rows: ReadonlyMap<string, SessionRow>;
  /** Says whether a session in the index passes the filters. */
  readonly passesFilters: (key: string) => boolean;
}

const NO_INDEX: IndexedSessions = { rows: new Map(), passesFilters: () => true };

/** Reads the index without refreshing it. One that is missing, damaged or of another version counts as empty. */
async function readIndex(
  library: Library,
  engine: SearchEngine,
  { filter }: Pick<GrepQuery, "filter">,
): Promise<IndexedSessions> {
  const opened = await engine.read();
  if (opened.kind !== "open") return NO_INDEX;
  try {
    const read = await rowsOf(opened.reader);
    if (read.kind !== "rows") return NO_INDEX;
    if (!hasFilters(filter)) return { rows: read.rows, passesFilters: () => true };
    const catalog = await readSessionCatalog(library, opened.reader, undefined);
    const keys = new Set((await filterSessions(catalog, filter)).map(({ digest }) => sessionKey(digest)));
    return { rows: read.rows, passesFilters: (key) => keys.has(key) };
  } catch (error) {
    if (error instanceof IndexDamage) return NO_INDEX;
    throw error;
  } finally {
    await opened.reader.close();
  }
}

/** Lists project folders, in which some agents keep logs: from the index or, without one, from the first lines of logs. */
function projectsOf(library: Library, rows: ReadonlyMap<string, SessionRow>): readonly string[] {
  const pointers = rows.size === 0 ? sessionPointers(library) : undefined;
  const projects =
    pointers === undefined
      ? [...rows.values()].map(({ project }) => project)
      : pointers.all().map((pointer) => pointers.projectOf(pointer));
  return [...new Set(projects.filter((project) => project !== null))];
}

function newestOf({ files, prompts = [] }: Pick<GrepJob, "files" | "prompts">): number {
  const times = [...files.files.map(({ mtimeMs }) => mtimeMs), ...prompts.map(({ at }) => at ?? 0)];
  return times.reduce((newest, time) => Math.max(newest, time), 0);
}

/**
 * Logs grow at the end, so an archived file that the present one starts with has no text that is not in the
 * present one.
 */
function generationsOf(files: SessionFiles, archived: ArchivedSession | undefined): GrepJob["generations"] {
  if (archived === undefined) return "none";
  const now = new Map(files.files.map((file) => [file.path, file]));
  const isPrefix = archived.files.files.every(({ path, inode, size }) => {
    const file = now.get(path);
    return file !== undefined && file.inode === inode && file.size >= size;
  });
  if (!isPrefix) return "all";
  return archived.generation > 1 ? "older" : "none";
}

/** No one types more than this. */
const MAX_PROMPTS = 500_000;

/** Lists sessions that survive only in a prompt history. Skips histories that can't be read. */
function historyJobs(library: Library, isKnown: (key: string) => boolean): readonly GrepJob[] {
  if (library.demo) return [];
  const forgotten = forgottenSessions(library);
  const found = new Map<
    string,
    SessionName & { readonly project: string | null; readonly prompts: PlacedPrompt[] }
  >();
  let taken = 0;
  for (const { agent, path, readLine } of promptHistories(library)) {
    try {
      for (const line of splitLines(library.disk.readChunks(path))) {
        for (const { sessionId: id, project, at, text } of readLine(line)) {
          if (id === null) continue;
          const key = sessionKey({ agent, id });
          if (isKnown(key)) continue;
          const session = found.get(key) ?? { agent, id, project, prompts: [] };
          if (taken++ < MAX_PROMPTS) session.prompts.push({ path, line: line.number, at, text });
          found.set(key, session);
        }
      }
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }
  return [...found.values()]
    .filter((session) => !forgotten.hasSession(session) && !isExcluded(library, session))
    .map(({ agent, id, project, prompts }) => ({
      files: { agent, id, files: [] },
      origin: "history",
      generations: "none",
      fromFile: 0,
      facts: null,
      prompts,
      project,
    }));
}
