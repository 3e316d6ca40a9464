import { agentNamed } from "../agents/agents.ts";
import { markdownPath } from "../archive/archived-sessions.ts";
import { openArchive } from "../archive/open-archive.ts";
import type { Digest } from "../extract/digest.ts";
import type { Library } from "../fs/library.ts";
import { once } from "../fs/once.ts";
import { isoTime } from "../render/json/session-json.ts";
import { shellQuote } from "../render/words.ts";
import type {
  MatchKind,
  MissingWord,
  NearestWords,
  SearchAnswer,
  SearchReader,
  SessionHit,
} from "./engine.ts";
import { matchingKeys, sessionsWithFiles } from "./filter-sessions.ts";
import { answerByName } from "./named-session.ts";
import type { FindInLog } from "./passage-in-log.ts";
import type { ParsedQuery } from "./query/parse-query.ts";
import { searchClauses } from "./query/search-clauses.ts";
import type { SessionFilter } from "./query/session-filter.ts";
import type { SearchPlan } from "./ranking/search-plan.ts";
import { knownTotals } from "./refresh/freshness.ts";
import { engineError, type IndexAccess, withIndex } from "./refresh/index-access.ts";
import { type IndexRows, readState, rowsOf } from "./refresh/index-rows.ts";
import type { Refreshed } from "./refresh/refresh-index.ts";
import type { SessionRow } from "./refresh/session-row.ts";
import {
  firstRequest,
  type HitSnippet,
  type NearbyTurn,
  type ShownTerms,
  SNIPPETS_PER_HIT,
  shownTerms,
  snippetsOf,
  withNearbyTurns,
} from "./search-snippets.ts";
import { type CatalogRow, type Coverage, coverageOf, rowFinisher } from "./session-catalog.ts";
import { needsRow, type SessionCondition, type SessionSource } from "./session-condition.ts";

export interface SearchRequest {
  readonly query: ParsedQuery;
  readonly filter: SessionFilter;
  /** Sessions that match one of these filters are left out. */
  readonly excluded: readonly SessionFilter[];
  /** Times that the query names: sessions of these times come first. */
  readonly dates?: SearchPlan["dates"];
  /** Whether a word of the query is a part of such a time: it is not missing if no session has it. */
  readonly isDateWord?: (word: string) => boolean;
  readonly sort: SearchPlan["sort"];
  readonly offset: number;
  readonly limit: number;
  /** How many turns before and after each snippet to show the requests of; absent: none. */
  readonly contextTurns?: number;
  /** Show the first request of sessions without a passage, because there were only filters. */
  readonly firstRequests?: boolean;
}

export interface FoundSession {
  readonly row: CatalogRow;
  readonly score: number;
  /** How this session matches: a good hit may lack a word that others have. */
  readonly match: SessionHit["match"];
  /** The agent's command to resume it. */
  readonly resume: readonly string[];
  readonly snippets: readonly HitSnippet[];
  readonly matchingTurns: number;
  /** Its owner and machine, in an answer of a team's engine. */
  readonly from?: SessionSource;
}

export interface SearchResult {
  readonly match: MatchKind;
  /** How many sessions match this way. */
  readonly total: number;
  /** How many can be paged: by relevance also those that lack some words. */
  readonly ranked: number;
  readonly totalIsExact: boolean;
  readonly hits: readonly FoundSession[];
  readonly nearestWords: readonly NearestWords[];
  /** Words of the query that are neither in conversations nor in tool output, and the words shown instead. */
  readonly missingWords: readonly MissingWord[];
  readonly coverage: Coverage;
  /** How long this query took, without the check for changed logs. */
  readonly tookMs: number;
  /** Why an answer of a team's engine is not complete. */
  readonly partial?: string;
}

/** Finds sessions. Several queries share one refresh. */
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

/** Finds sessions in an open index. */
export async function searchOne(
  library: Library,
  reader: SearchReader,
  rows: () => Promise<IndexRows>,
  refreshed: Refreshed | undefined,
  request: SearchRequest,
): Promise<SearchResult> {
  const startedAt = library.now();
  const answer =
    (await answerByName(library, reader, rows, request)) ?? (await askEngine(library, reader, request));
  const shown = shownTerms(request.query, answer.terms);
  const state = readState(reader.state);
  const archive = openArchive(library);
  const finish = rowFinisher(
    library,
    state,
    (row) => {
      const [log] = library.demo ? [] : archive.copies(row);
      const kept = log === undefined ? undefined : archive.get(log);
      return kept === undefined ? null : markdownPath(library, kept);
    },
    request.filter.projects,
  );
  const openLogs = once(() => importLogReader(library));
  const hits: FoundSession[] = [];
  for (const hit of answer.hits) {
    const found = await foundSession(finish, hit, shown, openLogs);
    hits.push(await withContext(reader, hit, found, request));
  }
  const totals = refreshed?.totals ?? knownTotals(library, reader) ?? (await rows()).totals;
  const problems = (refreshed?.problems ?? state.problems).length + totals.problems;
  const coverage = coverageOf(totals, state, problems, refreshed);
  const { match, total, ranked, nearestWords, missingWords } = answer;
  const totalIsExact = answer.totalIsExact && answer.partial === undefined;
  const tookMs = library.now() - startedAt;
  return { match, total, ranked, totalIsExact, hits, nearestWords, missingWords, coverage, tookMs };
}

/** Words of a date bring sessions of that time to the front, whether or not any session has them. */
export function withoutDates(
  words: SearchAnswer["missingWords"],
  { isDateWord }: Pick<SearchRequest, "isDateWord">,
): SearchAnswer["missingWords"] {
  return isDateWord === undefined ? words : words.filter(({ word }) => !isDateWord(word));
}

async function askEngine(
  library: Library,
  reader: SearchReader,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const { filter } = request;
  const byFile = filter.files.length === 0 ? undefined : await sessionsWithFiles(reader, filter.files);
  const { projects, machines = [], owners = [], agents, branches, tools } = filter;
  const only = {
    projects,
    machines,
    owners,
    agents,
    branches,
    tools,
    ...(byFile !== undefined && { keys: [...byFile] }),
  };
  const not = await excludedConditions(reader, request.excluded);
  const answer = await reader.search({
    ...searchClauses(request.query, filter),
    filter: {
      ...(filter.since === undefined ? {} : { since: filter.since }),
      ...(filter.until === undefined ? {} : { until: filter.until }),
      ...(filter.contexts.length === 0 ? {} : { contexts: filter.contexts }),
      ...(byFile !== undefined || needsRow(only) ? { only } : {}),
      not,
    },
    sort: request.sort,
    offset: request.offset,
    limit: request.limit,
    turnsPerHit: SNIPPETS_PER_HIT,
    now: library.now(),
    dates: request.dates ?? [],
  });
  if (answer.kind !== "answer") throw engineError(answer);
  return { ...answer, missingWords: withoutDates(answer.missingWords, request) };
}

/** Imported on demand: few searches read logs. */
async function importLogReader(library: Library): Promise<FindInLog> {
  const { createLogReader } = await import("./passage-in-log.ts");
  return createLogReader(library);
}

/** Reads the rows of an open index; damage is thrown. */
export async function readRows(reader: SearchReader): Promise<IndexRows> {
  const rows = await rowsOf(reader);
  if (rows.kind !== "rows") throw engineError(rows);
  return rows;
}

export async function withContext(
  reader: SearchReader,
  { key, source }: SessionHit,
  found: FoundSession,
  { contextTurns: turns = 0, firstRequests = false }: SearchRequest,
): Promise<FoundSession> {
  const lacksPassage = firstRequests && found.snippets.length === 0;
  if (turns === 0 && !lacksPassage) return found;
  const stored = await reader.session(key, { source });
  if (stored !== undefined && stored.kind !== "session") throw engineError(stored);
  const digest: Digest | undefined = stored === undefined ? undefined : JSON.parse(stored.digest);
  const requests = digest?.requests ?? [];
  const snippets = lacksPassage ? firstRequest(requests) : found.snippets;
  return { ...found, snippets: turns === 0 ? snippets : withNearbyTurns(snippets, requests, turns) };
}

/** Turns a found session into a hit. */
export async function foundSession(
  finish: (row: SessionRow) => CatalogRow,
  hit: SessionHit,
  shown: ShownTerms,
  openLogs: () => Promise<FindInLog>,
): Promise<FoundSession> {
  const row = finish(JSON.parse(hit.row));
  const { digest } = row;
  const snippets = await snippetsOf(digest, hit, shown, openLogs);
  const { command: resume } = agentNamed(digest.agent).resume({
    id: digest.id,
    project: digest.project,
    source: digest.maskedLead ?? digest.lead,
  });
  const { score, match, matchingTurns } = hit;
  return { row, score, match, resume, snippets, matchingTurns };
}

/** A session is left out if it matches all of one filter: words in commands and errors are found by a search. */
async function excludedConditions(
  reader: SearchReader,
  filters: readonly SessionFilter[],
): Promise<readonly SessionCondition[]> {
  const conditions: SessionCondition[] = [];
  for (const filter of filters) {
    const { projects, machines = [], agents, branches, tools, titles, contexts, since, until } = filter;
    const byFile = await sessionsWithFiles(reader, filter.files);
    const byWords = await sessionsWithWords(reader, filter);
    const keys = byWords?.filter((key) => byFile?.has(key) !== false) ?? (byFile && [...byFile]);
    conditions.push({ projects, machines, agents, branches, tools, titles, contexts, since, until, keys });
  }
  return conditions;
}

/** Finds the sessions with these words in commands and errors, which rows do not have; undefined without words. */
async function sessionsWithWords(
  reader: SearchReader,
  filter: SessionFilter,
): Promise<readonly string[] | undefined> {
  if (filter.commands.length + filter.errors.length === 0) return undefined;
  const query = { words: [], filters: [], warnings: [] };
  return matchingKeys(reader, searchClauses(query, { ...filter, titles: [] }));
}

/** A hit as `sessions search --json` prints it. */
export function hitJson(hit: FoundSession): object {
  const { row, score, match, resume, matchingTurns, snippets, from } = hit;
  const { digest, state, source, copies, archive } = row;
  return {
    sessionId: digest.id,
    agent: digest.agent,
    title: digest.title,
    project: digest.project,
    repository: digest.repository,
    worktree: digest.worktree,
    branch: digest.branch,
    machine: from?.machine ?? digest.machine ?? null,
    ...(from === undefined ? {} : { owner: from.owner }),
    startedAt: isoTime(digest.startedAt),
    endedAt: isoTime(digest.endedAt),
    score: Math.round(score * 1000) / 1000,
    match,
    state,
    source,
    copies,
    archive,
    resume: shellQuote(resume),
    files: digest.topFiles,
    tools: digest.tools,
    turns: digest.turns,
    matchingTurns,
    snippets: snippets.map(({ turn, role, at, context, text, highlights, before, after }) => ({
      turn,
      role,
      at: isoTime(at),
      context,
      text,
      highlights,
      ...(before === undefined ? {} : { before: before.map(turnJson) }),
      ...(after === undefined ? {} : { after: after.map(turnJson) }),
    })),
  };
}

function turnJson({ turn, at, context, text }: NearbyTurn): object {
  return { turn, at: isoTime(at), context, text };
}
