import type { Digest } from "../core/extract/digest.ts";
import type { ParsedQuery } from "../core/query/parse-query.ts";
import { searchClauses } from "../core/query/search-clauses.ts";
import type { SessionFilter } from "../core/query/session-filter.ts";
import { once } from "../core/search/once.ts";
import type {
  Match,
  NearestWords,
  SearchAnswer,
  SearchReader,
  SessionHit,
  TurnHit,
} from "../core/search/search-engine.ts";
import type { SearchPlan } from "../core/search/search-plan.ts";
import { MAX_UNSEEN_SESSIONS } from "../core/search/unseen-phrases.ts";
import { formatOf } from "../formats/formats.ts";
import { markdownPath } from "./archived-sessions.ts";
import { type CatalogueRow, type Coverage, coverageOf, rowFinisher } from "./catalogue.ts";
import { rowFits } from "./filter-sessions.ts";
import { damaged, type IndexAccess, withIndex } from "./indexing/index-access.ts";
import { type IndexRows, rowsOf } from "./indexing/index-rows.ts";
import { readState } from "./indexing/index-state.ts";
import { knownTotals } from "./indexing/last-look.ts";
import type { Refreshed } from "./indexing/refresh-index.ts";
import type { SessionRow } from "./indexing/session-row.ts";
import { type Library, sessionKey } from "./library.ts";
import { openArchive } from "./open-archive.ts";
import type { ConfirmedHit } from "./phrases-in-output.ts";
import {
  type HitSnippet,
  type ShownTerms,
  shownTerms,
  snippetsOf,
  withNearbyTurns,
} from "./search-snippets.ts";
import { sessionsWithFiles } from "./sessions-with-files.ts";
import { unwantedSessions } from "./unwanted-sessions.ts";

export interface SearchRequest {
  readonly query: ParsedQuery;
  readonly filter: SessionFilter;
  /** Sessions that fit one of these are left out. */
  readonly unwanted: readonly SessionFilter[];
  readonly sort: SearchPlan["sort"];
  readonly offset: number;
  readonly limit: number;
  /** Turns around each passage whose requests are told, too; absent: none. */
  readonly contextTurns?: number;
  /** Passages of tool output are as they stand in the log, secrets and all; the index has none. */
  readonly reveal?: boolean;
}

export interface FoundSession {
  readonly row: CatalogueRow;
  readonly score: number;
  /** What the session itself has: a good one may lack a word that others have. */
  readonly match: SessionHit["match"];
  /** The agent's own command to go on with it. */
  readonly resume: readonly string[];
  readonly snippets: readonly HitSnippet[];
  readonly matchingTurns: number;
}

export interface SearchResult {
  readonly match: Match;
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly hits: readonly FoundSession[];
  readonly nearestWords: readonly NearestWords[];
  readonly coverage: Coverage;
}

/** Shown of one session. */
const SNIPPETS_PER_HIT = 3;

/** Finds sessions. Several queries at once share one look at the disk. */
export async function searchSessions(
  library: Library,
  access: IndexAccess,
  requests: readonly SearchRequest[],
): Promise<readonly SearchResult[]> {
  return withIndex(library, access, async (reader, refreshed) => {
    const rows = once(() => readRows(reader));
    const results: SearchResult[] = [];
    for (const request of requests) results.push(await searchOne(library, reader, rows, refreshed, request));
    return results;
  });
}

async function searchOne(
  library: Library,
  reader: SearchReader,
  rows: () => Promise<IndexRows>,
  refreshed: Refreshed | undefined,
  request: SearchRequest,
): Promise<SearchResult> {
  const { filter } = request;
  const byFile = await sessionsWithFiles(reader, filter.files);
  const isNarrowed = byFile !== undefined || request.unwanted.length > 0 || narrows(filter);
  // Opening all rows takes as long as the search: a filter needs them.
  const known = isNarrowed ? (await rows()).rows : undefined;
  const isUnwanted = await unwantedSessions(reader, request.unwanted);
  const passes = (key: string): boolean => {
    const row = known?.get(key);
    if (row === undefined || byFile?.has(key) === false) return false;
    return rowFits(row, { ...filter, ...ANY_TIME }) && !isUnwanted(key, row);
  };
  const answer = await reader.search({
    ...searchClauses(request.query, filter),
    filter: {
      ...(filter.since === undefined ? {} : { since: filter.since }),
      ...(filter.until === undefined ? {} : { until: filter.until }),
      ...(filter.contexts.length === 0 ? {} : { contexts: filter.contexts }),
      ...(isNarrowed ? { session: passes } : {}),
    },
    ...{ sort: request.sort, offset: request.offset, limit: request.limit },
    ...{ turnsPerHit: SNIPPETS_PER_HIT, now: library.now(), fill: false },
  });
  if (answer.kind === "damaged") throw damaged(answer);
  const shown = shownTerms(request.query, answer.terms);
  const state = readState(reader.state);
  const archive = openArchive(library);
  const finish = rowFinisher(library, state, (row) => {
    const kept = library.demo ? undefined : archive.get(row);
    return kept === undefined ? null : markdownPath(library, kept);
  });
  const { match, total, totalIsExact, page } = await withOutputs(library, request, answer, shown.phrases);
  const hits: FoundSession[] = [];
  for (const each of page) {
    const found = await foundSession(library, finish, each, shown, request.reveal ?? false);
    hits.push(await withContext(reader, found, request.contextTurns ?? 0));
  }
  const totals = refreshed?.totals ?? knownTotals(library, reader) ?? (await rows()).totals;
  const problems = (refreshed?.problems ?? state.problems).length + totals.problems;
  const coverage = coverageOf(totals, state, problems, refreshed);
  const nearestWords = match === answer.match ? answer.nearestWords : [];
  return { match, total, totalIsExact, hits, nearestWords, coverage };
}

/** A hit, and the output that has its phrase, where that is known to. */
type PageHit = Pick<ConfirmedHit, "hit"> & Partial<Omit<ConfirmedHit, "hit">>;

interface Page extends Pick<SearchResult, "match" | "total" | "totalIsExact"> {
  readonly page: readonly PageHit[];
}

/**
 * The page with those sessions behind it whose logs have a phrase in tool output. They are looked for where the page
 * has room; not where hits that are known already are to stand in the order of time.
 */
async function withOutputs(
  library: Library,
  { offset, limit, sort }: SearchRequest,
  answer: SearchAnswer,
  phrases: readonly string[],
): Promise<Page> {
  const { match, total, totalIsExact, unseen } = answer;
  const known: Page = { match, total, totalIsExact, page: answer.hits.map((hit) => ({ hit })) };
  if (unseen.length === 0) return known;
  const isFound = match === "all";
  if (isFound && sort !== "relevance") return { ...known, totalIsExact: false };
  const { phrasesInOutput } = await import("./phrases-in-output.ts");
  const confirmed = phrasesInOutput(library, unseen.slice(0, MAX_UNSEEN_SESSIONS), phrases);
  const isAll = unseen.length <= MAX_UNSEEN_SESSIONS;
  if (confirmed.length === 0) return { ...known, totalIsExact: known.totalIsExact && isAll };
  const before = isFound ? total : 0;
  const from = Math.max(0, offset - before);
  const rest = confirmed.slice(from, Math.max(from, offset + limit - before));
  return {
    match: "all",
    total: before + confirmed.length,
    totalIsExact: isAll && (totalIsExact || !isFound),
    page: [...(isFound ? known.page : []), ...rest],
  };
}

async function readRows(reader: SearchReader): Promise<IndexRows> {
  const rows = await rowsOf(reader);
  if (rows.kind === "damaged") throw damaged(rows);
  return rows;
}

async function withContext(reader: SearchReader, hit: FoundSession, turns: number): Promise<FoundSession> {
  if (turns === 0) return hit;
  const stored = await reader.session(sessionKey(hit.row.digest));
  if (stored?.kind === "damaged") throw damaged(stored);
  const digest: Digest | undefined = stored === undefined ? undefined : JSON.parse(stored.digest);
  return { ...hit, snippets: withNearbyTurns(hit.snippets, digest?.requests ?? [], turns) };
}

/** The engine looks at the times of turns; a session may reach beyond them. Titles are words to it. */
const ANY_TIME = { since: undefined, until: undefined, titles: [], contexts: [] } as const;

function narrows({ projects, agents, branches, tools }: SessionFilter): boolean {
  return projects.length + agents.length + branches.length + tools.length > 0;
}

async function foundSession(
  library: Library,
  finish: (row: SessionRow) => CatalogueRow,
  { hit, place, text }: PageHit,
  shown: ShownTerms,
  reveal: boolean,
): Promise<FoundSession> {
  const row: SessionRow = JSON.parse(hit.row);
  const turn = hit.turns[place ?? -1];
  const seen =
    turn === undefined || text === undefined ? [] : await outputOf(library, turn, text, shown, reveal);
  const kept = seen.length > 0 ? seen : snippetsOf(row, hit, shown, SNIPPETS_PER_HIT);
  const snippets = kept.length > 0 ? kept : await outputsOf(library, row, hit, shown, reveal);
  const { command: resume } = formatOf(row.agent).resume({
    id: row.id,
    project: row.project,
    source: row.lead,
  });
  const { score, match, matchingTurns } = hit;
  return { row: finish(row), score, match, resume, snippets, matchingTurns };
}

/** Loaded when one is wanted: only hits that have their words nowhere else need how logs are read. */
async function outputsOf(
  library: Library,
  ...given: readonly [row: SessionRow, hit: SessionHit, shown: ShownTerms, reveal: boolean]
): Promise<readonly HitSnippet[]> {
  const { outputSnippets } = await import("./output-snippets.ts");
  return outputSnippets(library, ...given);
}

async function outputOf(
  library: Library,
  ...given: readonly [turn: TurnHit, text: string, shown: ShownTerms, reveal: boolean]
): Promise<readonly HitSnippet[]> {
  const { outputSnippet } = await import("./output-snippets.ts");
  const snippet = outputSnippet(library, ...given);
  return snippet === undefined ? [] : [snippet];
}
