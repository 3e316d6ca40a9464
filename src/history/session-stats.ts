import { filterSessions } from "../search/filter-sessions.ts";
import type { SessionFilter } from "../search/query/session-filter.ts";
import type { SessionCatalog } from "../search/session-catalog.ts";
import { countStats } from "../search/stats/count-stats.ts";
import { costFinder } from "../search/stats/prices.ts";

interface StatsParts {
  readonly prices: Parameters<typeof costFinder>[0];
  /** Minutes to add to UTC at a moment, for days of the local time zone. */
  readonly offsetMinutesAt: (ms: number) => number;
}

/** Counts what the sessions that pass a filter did; its times limit the turns, not the sessions. */
export async function sessionStats(
  all: SessionCatalog,
  { since, until, ...filter }: SessionFilter,
  { prices, offsetMinutesAt }: StatsParts,
): ReturnType<typeof countStats> {
  const rows = await filterSessions(all, { ...filter, since: undefined, until: undefined });
  return countStats(all, rows, { since, until, offsetMinutesAt, costOf: costFinder(prices) });
}
