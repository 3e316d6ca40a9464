import { isBeingWritten, runningSessions } from "../agents/running-sessions.ts";
import { archivedSessions } from "../archive/archived-sessions.ts";
import type { Problem } from "../errors.ts";
import type { Digest, DigestFile } from "../extract/digest.ts";
import { matchesPath } from "../fs/glob.ts";
import type { Library } from "../fs/library.ts";
import { statIfAllowed } from "../fs/sources.ts";
import { sessionKey } from "../session/session.ts";
import type { SearchReader } from "./engine.ts";
import { filterSessions } from "./filter-sessions.ts";
import { withLeadingLog } from "./leading-log.ts";
import type { SessionFilter } from "./query/session-filter.ts";
import { engineError, type IndexAccess, withIndex } from "./refresh/index-access.ts";
import { type IndexState, rowsOf, type Totals } from "./refresh/index-rows.ts";
import type { Refreshed } from "./refresh/refresh-index.ts";
import { isStub, type SessionRow } from "./refresh/session-row.ts";

export type SessionState = "live" | "idle" | "kept" | "stub";

/** A session in a list: its row in the index, and its present state. */
export interface CatalogRow {
  readonly digest: SessionRow;
  readonly state: SessionState;
  /** The path of its main log; null if that is gone. */
  readonly source: string | null;
  /** How many logs have its id. */
  readonly copies: number;
  /** The path of its readable copy; null if there is none. */
  readonly archive: string | null;
  /** The bytes of its logs. */
  readonly bytes: number;
}

/** The data that an answer is based on. */
export interface Coverage {
  /** All that can be searched, `stubs` included. */
  readonly sessions: number;
  /** Those of which only parts are left: prompts, or sub-agents. Lists leave them out. */
  readonly stubs: number;
  readonly turns: number;
  readonly files: number;
  /** Sessions that have changed since they were indexed. */
  readonly stale: number;
  readonly problems: number;
  readonly indexedAt: number | null;
}

export interface SessionCatalog {
  /** Newest first. */
  readonly rows: readonly CatalogRow[];
  readonly problems: readonly Problem[];
  readonly coverage: Coverage;
  /** The digest of a session; undefined if the index does not have it. */
  digestOf(row: CatalogRow): Promise<Digest | undefined>;
}

/** Opens the catalog of all sessions, after refreshing the index, for as long as `use` takes. */
export async function withCatalog<T>(
  library: Library,
  access: IndexAccess,
  use: (catalog: SessionCatalog) => T | Promise<T>,
): Promise<T> {
  return withIndex(library, access, async (reader, refreshed) =>
    use(await readSessionCatalog(library, reader, refreshed)),
  );
}

export async function readSessionCatalog(
  library: Library,
  reader: SearchReader,
  refreshed: Refreshed | undefined,
): Promise<SessionCatalog> {
  const read = await rowsOf(reader);
  if (read.kind !== "rows") throw engineError(read);
  const copies = new Map(
    archivedSessions(library).map(({ files, markdown }) => [sessionKey(files), markdown]),
  );
  const finish = rowFinisher(library, read.state, (row) => copies.get(sessionKey(row)) ?? null);
  const rows = [...read.rows.values()].map(finish).sort(newestFirst);
  const problems = [
    ...(refreshed?.problems ?? read.state.problems),
    ...rows.flatMap(({ digest }) => digest.problems),
  ];
  return {
    rows,
    problems,
    coverage: coverageOf(read.totals, read.state, problems.length, refreshed),
    digestOf: (row) => digestOf(reader, row),
  };
}

export function coverageOf(
  { sessions, stubs, turns, files }: Totals,
  { indexedAt }: IndexState,
  problems: number,
  refreshed: Refreshed | undefined,
): Coverage {
  return { sessions, stubs, turns, files, stale: refreshed?.stale ?? 0, problems, indexedAt };
}

async function digestOf(reader: SearchReader, { digest }: CatalogRow): Promise<Digest | undefined> {
  const stored = await reader.session(sessionKey(digest));
  if (stored === undefined) return undefined;
  if (stored.kind !== "session") throw engineError(stored);
  return JSON.parse(stored.digest);
}

/** A session that ended longer ago is not live; its file is not checked. */
const MAY_BE_LIVE_MS = 24 * 3_600_000;

/**
 * Returns a function that adds the present state to a row: which of its logs is meant, whether it is live, whether
 * its log is gone, where its readable copy is.
 */
export function rowFinisher(
  library: Library,
  state: IndexState,
  copyOf: (row: SessionRow) => string | null,
  projects: readonly string[] = [],
): (row: SessionRow) => CatalogRow {
  const gone = new Set(state.gone);
  const running = runningSessions(library);
  const stateOf = (row: SessionRow, key: string): SessionState => {
    if (isStub(row)) return "stub";
    if (row.origin === "archive" || gone.has(key)) return "kept";
    return running.has(key) || isLogBeingWritten(library, row) ? "live" : "idle";
  };
  const { folder } = library.environment;
  return (stored) => {
    const row = withLeadingLog(stored, { projects, folder });
    const key = sessionKey(row);
    const state = stateOf(row, key);
    return {
      digest: row,
      state,
      source: state === "kept" ? null : (row.maskedLead ?? row.lead),
      copies: row.logs?.length ?? 1,
      archive: copyOf(row),
      bytes: row.bytes,
    };
  };
}

function isLogBeingWritten({ disk, now }: Library, { lead, endedAt }: SessionRow): boolean {
  if (lead === null || (endedAt !== null && now() - endedAt > MAY_BE_LIVE_MS)) return false;
  const file = statIfAllowed(disk, lead);
  return file !== undefined && isBeingWritten(file.mtimeMs, now());
}

/** Sorts by the end of sessions; those without a time come last. */
function newestFirst(a: CatalogRow, b: CatalogRow): number {
  const difference = (b.digest.endedAt ?? 0) - (a.digest.endedAt ?? 0);
  return difference !== 0 ? difference : a.digest.id < b.digest.id ? -1 : 1;
}

export interface ListOptions {
  readonly filter?: SessionFilter;
  readonly offset?: number;
  readonly limit?: number;
  /** Includes sessions of which only prompts or fragments are left. */
  readonly stubs?: boolean;
}

export interface SessionList {
  /** How many match in total. */
  readonly total: number;
  readonly rows: readonly CatalogRow[];
  readonly coverage: Coverage;
}

/** Lists the sessions of all agents, newest first. */
export async function listSessions(
  library: Library,
  access: IndexAccess,
  options: ListOptions = {},
): Promise<SessionList> {
  return withCatalog(library, access, (catalog) => listFrom(catalog, options));
}

/** Lists the sessions of an open catalog that match. */
export async function listFrom(catalog: SessionCatalog, options: ListOptions = {}): Promise<SessionList> {
  const filtered =
    options.filter === undefined ? catalog.rows : await filterSessions(catalog, options.filter);
  const matching = filtered.filter(({ state }) => options.stubs === true || state !== "stub");
  const offset = options.offset ?? 0;
  const rows = matching.slice(offset, offset + (options.limit ?? matching.length));
  return { total: matching.length, rows, coverage: catalog.coverage };
}

/** A session that touched a file, and how. */
export interface FileHit {
  readonly row: CatalogRow;
  readonly files: readonly DigestFile[];
}

export interface FileHistoryOptions {
  readonly filter: SessionFilter;
  readonly written: boolean;
}

/**
 * Whether a session means this absolute path by a relative one: tools name files relative to the project, texts also by
 * the end of their path.
 */
export function isFileOf(
  { path, reads, writes }: DigestFile,
  { digest }: CatalogRow,
  whole: string,
): boolean {
  return [digest.project, digest.repository].some((folder) => {
    if (folder === null || !whole.startsWith(`${folder}/`)) return false;
    const own = path.replace(/^\.?\//, "");
    return whole === `${folder}/${own}` || (reads + writes === 0 && whole.endsWith(`/${own}`));
  });
}

/** Finds the sessions that read, wrote or named a file, by the end of its path or a glob. Newest first. */
export async function fileHistory(
  catalog: SessionCatalog,
  pattern: string,
  { filter, written }: FileHistoryOptions,
): Promise<readonly FileHit[]> {
  const hits: FileHit[] = [];
  for (const row of await filterSessions(catalog, filter)) {
    const digest = await catalog.digestOf(row);
    const files =
      digest?.files.filter(
        (file) =>
          (matchesPath(pattern, file.path) || isFileOf(file, row, pattern)) && (file.writes > 0 || !written),
      ) ?? [];
    if (files.length > 0) hits.push({ row, files });
  }
  return hits;
}
