import type { Digest } from "../extract/digest.ts";
import { matchesPath, matchesProject, withoutBraces } from "../fs/glob.ts";
import type { SearchReader } from "./engine.ts";
import { wordsInFields } from "./query/search-clauses.ts";
import type { SessionFilter } from "./query/session-filter.ts";
import { damaged } from "./refresh/index-access.ts";
import type { SessionRow } from "./refresh/session-row.ts";
import type { CatalogRow, SessionCatalog } from "./session-catalog.ts";

/** Returns the sessions that match. Digests are only read if the rows do not decide. */
export async function filterSessions(
  catalog: SessionCatalog,
  filter: SessionFilter,
): Promise<readonly CatalogRow[]> {
  const rows = catalog.rows.filter(({ digest }) => rowMatches(digest, filter));
  if (!needsDigest(filter)) return rows;
  const matching: CatalogRow[] = [];
  for (const row of rows) {
    const digest = await catalog.digestOf(row);
    if (digest !== undefined && digestMatches(digest, filter)) matching.push(row);
  }
  return matching;
}

/** Whether the row of a session matches. */
export function rowMatches(row: SessionRow, filter: SessionFilter): boolean {
  const { project, branch } = row;
  return (
    any(filter.agents, (agent) => agent === row.agent) &&
    any(filter.projects, (pattern) => project !== null && matchesProject(pattern, project)) &&
    any(filter.branches, (wanted) => branch !== null && same(wanted, branch)) &&
    any(filter.tools, (wanted) => Object.keys(row.tools).some((tool) => same(wanted, tool))) &&
    any(filter.titles, (words) => row.title !== null && holds(row.title, words)) &&
    any(filter.contexts, (context) => row.contexts.includes(context)) &&
    (filter.since === undefined || (row.endedAt ?? Number.NEGATIVE_INFINITY) >= filter.since) &&
    (filter.until === undefined || (row.startedAt ?? Number.POSITIVE_INFINITY) <= filter.until)
  );
}

function needsDigest({ files, commands, errors, since, until }: SessionFilter): boolean {
  return (
    files.length > 0 || commands.length > 0 || errors.length > 0 || since !== undefined || until !== undefined
  );
}

function digestMatches(digest: Digest, filter: SessionFilter): boolean {
  return (
    any(filter.files, (pattern) => digest.files.some((file) => matchesPath(pattern, file.path))) &&
    any(filter.commands, (words) => digest.commands.some(({ command }) => holds(command, words))) &&
    any(filter.errors, (words) => digest.errors.some(({ text }) => holds(text, words))) &&
    isWithin(digest, filter)
  );
}

/** Without values, everything matches. */
function any<T>(values: readonly T[], matches: (value: T) => boolean): boolean {
  return values.length === 0 || values.some(matches);
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function holds(text: string, words: string): boolean {
  const folded = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
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
      if (stored?.kind === "damaged") throw damaged(stored);
      if (stored === undefined) continue;
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
  const wanted = words.flatMap((word) => wordsInFields(word, ["file"]));
  const answer = await reader.search({
    wanted,
    unwanted: [],
    filter: {},
    sort: "newest",
    offset: 0,
    limit: Number.MAX_SAFE_INTEGER,
    turnsPerHit: 0,
    now: 0,
  });
  if (answer.kind === "damaged") throw damaged(answer);
  // A file name with a typo is another file.
  return answer.match === "all" ? answer.hits.map(({ key }) => key) : [];
}
