import type { Digest } from "../extract/digest.ts";
import { matchesPath, withoutBraces } from "../fs/glob.ts";
import type { SearchReader } from "./engine.ts";
import { withLeadingLog } from "./leading-log.ts";
import { wordsInFields } from "./query/search-clauses.ts";
import type { SessionFilter } from "./query/session-filter.ts";
import type { SearchPlan } from "./ranking/search-plan.ts";
import { engineError } from "./refresh/index-access.ts";
import type { CatalogRow, SessionCatalog } from "./session-catalog.ts";
import { any, hasWords, rowMatches } from "./session-condition.ts";

/** Returns the sessions that match. Digests are read only if the rows are not enough. */
export async function filterSessions(
  catalog: SessionCatalog,
  filter: SessionFilter,
): Promise<readonly CatalogRow[]> {
  const rows = catalog.rows
    .filter(({ digest }) => rowMatches(digest, filter))
    .map((row) => inProject(row, filter));
  if (!needsDigest(filter)) return rows;
  const matching: CatalogRow[] = [];
  for (const row of rows) {
    const digest = await catalog.digestOf(row);
    if (digest !== undefined && digestMatches(digest, filter)) matching.push(row);
  }
  return matching;
}

/** The same row, led by a log in a requested project. */
function inProject(row: CatalogRow, { projects }: SessionFilter): CatalogRow {
  if (projects.length === 0 || row.digest.logs === undefined) return row;
  const digest = withLeadingLog(row.digest, { projects });
  return { ...row, digest, source: row.source === null ? null : (digest.maskedLead ?? digest.lead) };
}

function needsDigest({ files, commands, errors, since, until }: SessionFilter): boolean {
  return (
    files.length > 0 || commands.length > 0 || errors.length > 0 || since !== undefined || until !== undefined
  );
}

function digestMatches(digest: Digest, filter: SessionFilter): boolean {
  return (
    any(filter.files, (pattern) => digest.files.some((file) => matchesPath(pattern, file.path))) &&
    any(filter.commands, (words) => digest.commands.some(({ command }) => hasWords(command, words))) &&
    any(filter.errors, (words) => digest.errors.some(({ text }) => hasWords(text, words))) &&
    isWithin(digest, filter)
  );
}

/** Whether any turn is within the times. */
function isWithin({ requests, startedAt, endedAt }: Digest, { since, until }: SessionFilter): boolean {
  if (since === undefined && until === undefined) return true;
  const times = requests.map(({ at }) => at).filter((at) => at !== null);
  const all = times.length > 0 ? times : [startedAt, endedAt].filter((at) => at !== null);
  return all.some(
    (at) => at >= (since ?? Number.NEGATIVE_INFINITY) && at <= (until ?? Number.POSITIVE_INFINITY),
  );
}

/** Finds the sessions that touched or named a file that matches a pattern; undefined without patterns. */
export async function sessionsWithFiles(
  reader: SearchReader,
  patterns: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  if (patterns.length === 0) return undefined;
  const keys = new Set<string>();
  for (const pattern of patterns.flatMap(withoutBraces)) {
    for (const key of await candidates(reader, pattern)) {
      const stored = await reader.session(key);
      if (stored === undefined) continue;
      if (stored.kind !== "session") throw engineError(stored);
      const { files }: Digest = JSON.parse(stored.digest);
      if (files.some(({ path }) => matchesPath(pattern, path))) keys.add(key);
    }
  }
  return keys;
}

/** Finds sessions whose files have the words of the pattern: reading all digests would take seconds. */
async function candidates(reader: SearchReader, pattern: string): Promise<readonly string[]> {
  // Next to a wildcard there may be half a word.
  const words = pattern.split(/[/\\]/).flatMap((part) => (/[*?]/.test(part) ? [] : [part]));
  const clauses = words.flatMap((word) => wordsInFields(word, ["file"]));
  return matchingKeys(reader, { clauses, excluded: [] });
}

/** The number of sessions per request. */
const PAGE_SESSIONS = 10_000;

/** Lists the keys of all sessions that match the clauses exactly, without typos. */
export async function matchingKeys(
  reader: SearchReader,
  clauses: Pick<SearchPlan, "narrowing" | "clauses" | "excluded">,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (;;) {
    const answer = await reader.search({
      ...clauses,
      filter: {},
      sort: "newest",
      offset: keys.length,
      limit: PAGE_SESSIONS,
      turnsPerHit: 0,
      now: 0,
    });
    if (answer.kind !== "answer") throw engineError(answer);
    if (answer.match !== "all") return keys;
    keys.push(...answer.hits.map(({ key }) => key));
    if (answer.hits.length === 0 || (answer.totalIsExact && keys.length >= answer.total)) return keys;
  }
}
