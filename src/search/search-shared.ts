import { agentNames } from "../agents/agents.ts";
import type { Digest } from "../extract/digest.ts";
import { matchesPath, withoutBraces } from "../fs/glob.ts";
import type { Library } from "../fs/library.ts";
import type { SearchReader, SessionHit } from "./engine.ts";
import { searchClauses, wordsInFields } from "./query/search-clauses.ts";
import type { SessionFilter } from "./query/session-filter.ts";
import type { Clause, PhraseClause, WordClause } from "./ranking/search-plan.ts";
import { engineError } from "./refresh/index-access.ts";
import { isStub, type SessionRow } from "./refresh/session-row.ts";
import {
  type FoundSession,
  foundSession,
  type SearchRequest,
  type SearchResult,
  withContext,
  withoutDates,
} from "./search-sessions.ts";
import { SNIPPETS_PER_HIT, shownTerms } from "./search-snippets.ts";
import type { CatalogRow } from "./session-catalog.ts";
import { type SessionCondition, THIS_MACHINE } from "./session-condition.ts";

/*
 * A search in an engine that others write to too. Its content is not trusted: no log of this machine is opened
 * because another person's session names it, and a session that makes no sense is left out and reported.
 */

/** `machine`: the name of this one. */
export async function searchShared(
  library: Pick<Library, "now">,
  reader: SearchReader,
  machine: string,
  request: SearchRequest,
): Promise<SearchResult> {
  const startedAt = library.now();
  const { filter } = request;
  const { projects, owners = [], agents, branches, tools } = filter;
  const own = (name: string): string => (name === THIS_MACHINE ? machine : name);
  const machines = (filter.machines ?? []).map(own);
  const clauses = searchClauses(request.query, filter);
  const answer = await reader.search({
    ...clauses,
    narrowing: [...(clauses.narrowing ?? []), ...filter.files.flatMap(fileClauses)],
    excluded: [...clauses.excluded, ...request.excluded.flatMap(excludedWords)],
    filter: {
      ...(filter.since === undefined ? {} : { since: filter.since }),
      ...(filter.until === undefined ? {} : { until: filter.until }),
      ...(filter.contexts.length === 0 ? {} : { contexts: filter.contexts }),
      only: { projects, machines, owners, agents, branches, tools },
      not: request.excluded.flatMap((each) => excludedCondition(each, own)),
    },
    sort: request.sort,
    offset: request.offset,
    limit: request.limit,
    turnsPerHit: SNIPPETS_PER_HIT,
    now: library.now(),
    dates: request.dates ?? [],
  });
  if (answer.kind !== "answer") throw engineError(answer);
  const shown = shownTerms(request.query, answer.terms);
  const hits: FoundSession[] = [];
  let left = 0;
  for (const hit of answer.hits) {
    const row = readRow(hit);
    if (row === undefined) {
      left++;
      continue;
    }
    if (!(await hasFiles(reader, hit, filter.files))) continue;
    const found = await foundSession(
      () => row,
      hit,
      shown,
      async () => () => undefined,
    );
    const complete = await withContext(reader, hit, found, request);
    hits.push({ ...complete, from: hit.source });
  }
  const { match, total, ranked, nearestWords, missingWords } = answer;
  const partial = answer.partial ?? (left === 0 ? undefined : `${left} sessions could not be read`);
  const covers = reader.covers ?? { sessions: 0, turns: 0 };
  return {
    match,
    total,
    ranked,
    totalIsExact: answer.totalIsExact && partial === undefined && hits.length === answer.hits.length,
    hits,
    nearestWords,
    missingWords: withoutDates(missingWords, request),
    coverage: { ...covers, stubs: 0, files: 0, stale: 0, problems: left, indexedAt: null },
    tookMs: library.now() - startedAt,
    ...(partial === undefined ? {} : { partial }),
  };
}

/** Requires the words of a path, which its sessions have in any case; wildcards may cut words. */
function fileClauses(pattern: string): readonly Clause[] {
  const [only, ...others] = withoutBraces(pattern);
  if (only === undefined || others.length > 0) return [];
  const parts = only.split(/[/\\]/).filter((part) => !/[*?]/.test(part));
  return parts.flatMap((part) => wordsInFields(part, ["file"]));
}

async function hasFiles(
  reader: SearchReader,
  hit: SessionHit,
  patterns: readonly string[],
): Promise<boolean> {
  if (patterns.length === 0) return true;
  const stored = await reader.session(hit.key, { source: hit.source });
  if (stored?.kind !== "session") return false;
  const { files }: Digest = JSON.parse(stored.digest);
  return patterns.some((pattern) => files.some(({ path }) => matchesPath(pattern, path)));
}

/** The attributes that a session must not have. Words of commands, errors and files are excluded as words. */
function excludedCondition(
  filter: SessionFilter,
  own: (machine: string) => string,
): readonly SessionCondition[] {
  const { projects, owners = [], agents, branches, tools, titles, contexts, since, until } = filter;
  const machines = (filter.machines ?? []).map(own);
  const lists = [projects, machines, owners, agents, branches, tools, titles, contexts];
  if (lists.every(({ length }) => length === 0) && since === undefined && until === undefined) return [];
  return [{ projects, machines, owners, agents, branches, tools, titles, contexts, since, until }];
}

function excludedWords({ commands, errors, files }: SessionFilter): readonly (WordClause | PhraseClause)[] {
  const inField = (texts: readonly string[], field: string): readonly Clause[] =>
    texts.flatMap((text) => wordsInFields(text, [field]));
  const all = [...inField(commands, "command"), ...inField(errors, "error"), ...inField(files, "file")];
  return all
    .flatMap((clause) => (clause.kind === "any" ? clause.of : [clause]))
    .flatMap((clause) => (clause.kind === "any" ? [] : [clause]));
}

/** Reads the row of a hit; undefined if this program can't show it. */
function readRow({ row: text }: SessionHit): CatalogRow | undefined {
  let row: SessionRow;
  try {
    row = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isText = (value: unknown): boolean => value === null || typeof value === "string";
  const isTime = (value: unknown): boolean => value === null || typeof value === "number";
  const isGood =
    typeof row === "object" &&
    row !== null &&
    typeof row.id === "string" &&
    agentNames().includes(row.agent) &&
    [row.title, row.project, row.repository, row.worktree, row.branch, row.lead].every(isText) &&
    [row.startedAt, row.endedAt, row.turns, row.bytes].every(isTime) &&
    Array.isArray(row.topFiles) &&
    row.topFiles.every((path) => typeof path === "string") &&
    typeof row.tools === "object" &&
    (row.logs === undefined || Array.isArray(row.logs));
  if (!isGood) return undefined;
  return {
    digest: row,
    state: isStub(row) ? "stub" : "idle",
    source: row.lead,
    copies: row.logs?.length ?? 1,
    archive: null,
    bytes: row.bytes,
  };
}
