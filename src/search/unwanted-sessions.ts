import type { SearchReader } from "./engine.ts";
import { rowFits } from "./filter-sessions.ts";
import { searchClauses } from "./query/search-clauses.ts";
import type { SessionFilter } from "./query/session-filter.ts";
import { damaged } from "./refresh/index-access.ts";
import type { SessionRow } from "./refresh/session-row.ts";
import { sessionsWithFiles } from "./sessions-with-files.ts";

/** Whether a session is one of those that are not wanted: it fits one of the filters in all that this asks for. */
export async function unwantedSessions(
  reader: SearchReader,
  filters: readonly SessionFilter[],
): Promise<(key: string, row: SessionRow) => boolean> {
  const tests = await Promise.all(
    filters.map(async (filter) => {
      const byFile = await sessionsWithFiles(reader, filter.files);
      const byWords = await sessionsWithWords(reader, filter);
      return (key: string, row: SessionRow): boolean =>
        byFile?.has(key) !== false && byWords?.has(key) !== false && rowFits(row, filter);
    }),
  );
  return (key, row) => tests.some((test) => test(key, row));
}

/** Keys of the sessions with these words in commands and errors, which rows do not tell; undefined without words. */
async function sessionsWithWords(
  reader: SearchReader,
  filter: SessionFilter,
): Promise<ReadonlySet<string> | undefined> {
  if (filter.commands.length + filter.errors.length === 0) return undefined;
  const answer = await reader.search({
    ...searchClauses({ words: [], filters: [], warnings: [] }, { ...filter, titles: [] }),
    ...{ filter: {}, sort: "newest", offset: 0, limit: Number.MAX_SAFE_INTEGER },
    ...{ turnsPerHit: 0, now: 0, fill: false },
  });
  if (answer.kind === "damaged") throw damaged(answer);
  // Nobody has ruled out what a typo would mean.
  return new Set(answer.match === "all" ? answer.hits.map(({ key }) => key) : []);
}
