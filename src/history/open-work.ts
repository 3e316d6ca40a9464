import { filterSessions } from "../search/filter-sessions.ts";
import { foldRepeats, type PendingSession, pendingWork, projectOfFolder } from "../search/pending-work.ts";
import type { SessionFilter } from "../search/query/session-filter.ts";
import type { SessionCatalog } from "../search/session-catalog.ts";

interface OpenWorkOptions {
  /** Only the project that this folder is in; absent: all projects. */
  readonly folder: string | undefined;
  /** Only items of the agents' own lists. */
  readonly todos: boolean;
  /** Lists the same item of a project once. */
  readonly folded: boolean;
}

/** Finds the open work of the sessions that pass a filter. */
export async function openWork(
  all: SessionCatalog,
  filter: SessionFilter,
  { folder, todos, folded }: OpenWorkOptions,
): Promise<{
  readonly project: string | undefined;
  readonly sessions: readonly PendingSession[];
  /** With those whose items are all listed with a newer session. */
  readonly totalWithRepeats: number;
}> {
  const project = folder === undefined ? undefined : projectOfFolder(all.rows, folder);
  const matching = new Set(await filterSessions(all, filter));
  // An item may be closed by a session that the filter leaves out.
  const sessions = pendingWork(all.rows)
    .filter(({ row }) => matching.has(row) && (project === undefined || row.digest.project === project))
    .map((each) => ({ ...each, items: each.items.filter(({ source }) => !todos || source === "todo") }))
    .filter(({ items }) => items.length > 0);
  return {
    project,
    sessions: folded ? foldRepeats(sessions) : sessions,
    totalWithRepeats: sessions.length,
  };
}
