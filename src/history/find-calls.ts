import type { CatalogRow } from "../search/session-catalog.ts";
import { sessionKey } from "../session/session.ts";
import { abortable, pauseOf } from "./call-options.ts";
import type { HistoryContext } from "./context.ts";
import { readFilters, readRequest } from "./filters.ts";
import type { AgentCount, History, SearchOptions } from "./history.ts";

/** Calls over all sessions: lists, searches, statistics. */
export type FindCalls = Pick<
  History,
  | "search"
  | "searchAll"
  | "searcher"
  | "list"
  | "projects"
  | "indexed"
  | "stats"
  | "files"
  | "pending"
  | "grep"
  | "overview"
  | "exportSite"
>;

export function findCalls(context: HistoryContext): FindCalls {
  const { library, access, machine, managedFolder, mask, catalog } = context;
  const calls: FindCalls = {
    async search(query, call = {}) {
      const [result] = await calls.searchAll([readRequest(query, call, machine)], call);
      if (result !== undefined) return result;
      throw new Error("A search has no result");
    },
    async searchAll(requests, call = {}) {
      const { searchSessions } = await import("../search/search-sessions.ts");
      const reach = { ...abortable(access, call), skipRefresh: call.skipRefresh === true };
      return mask(await searchSessions(library, reach, requests));
    },
    async searcher(call = {}) {
      const { openHistorySearcher } = await import("./open-searcher.ts");
      return openHistorySearcher(library, abortable(access, call), mask, machine);
    },
    async list({ filter = {}, words = [], ...call } = {}) {
      const { listSessions } = await import("../search/session-catalog.ts");
      const reach = { ...abortable(access, call), skipRefresh: call.skipRefresh === true };
      const found = await listSessions(library, reach, {
        ...call,
        filter: readFilters(filter, words, machine),
      });
      return { ...found, rows: mask(found.rows) };
    },
    async projects({ filter = {}, offset = 0, limit, ...call } = {}) {
      const { countProjects } = await import("../search/list-projects.ts");
      const { rows, coverage } = await calls.list({ ...call, filter });
      const all = countProjects(rows);
      const end = limit === undefined ? all.length : offset + limit;
      return { total: all.length, projects: all.slice(offset, end), coverage };
    },
    async indexed({ signal } = {}) {
      signal?.throwIfAborted();
      const { sessionLabels } = await import("./session-labels.ts");
      return sessionLabels({ library, access });
    },
    async stats({ filter = {}, ...call } = {}) {
      const { sessionStats } = await import("./session-stats.ts");
      const { offsetMinutesAt = () => 0 } = machine;
      const { prices } = library.config;
      return catalog(call, async (all) => {
        const stats = await sessionStats(all, readFilters(filter, [], machine), { prices, offsetMinutesAt });
        return { ...mask(stats), coverage: all.coverage };
      });
    },
    async files(pattern, { filter = {}, written = false, limit, offset = 0, ...call } = {}) {
      const { fileHistory } = await import("../search/session-catalog.ts");
      return catalog(call, async (all) => {
        const found = await fileHistory(all, pattern, { filter: readFilters(filter, [], machine), written });
        return { total: found.length, sessions: mask(pageOf(found, offset, limit)), coverage: all.coverage };
      });
    },
    async pending({
      filter = {},
      everywhere = false,
      todos = false,
      folded = false,
      limit,
      offset = 0,
      folder,
      ...call
    } = {}) {
      const { openWork } = await import("./open-work.ts");
      const { withCatalog } = await import("../search/session-catalog.ts");
      const isEverywhere = everywhere || (filter.project ?? []).length > 0 || library.demo;
      const reach = { ...abortable(access, call), skipRefresh: call.skipRefresh === true };
      return withCatalog(library, reach, async (all) => {
        const { project, sessions, totalWithRepeats } = await openWork(
          all,
          readFilters(filter, [], machine),
          {
            folder: isEverywhere ? undefined : (folder ?? machine.folder ?? machine.home),
            todos,
            folded,
          },
        );
        return {
          total: sessions.length,
          totalWithRepeats,
          project,
          sessions: mask(pageOf(sessions, offset, limit)),
        };
      });
    },
    async *grep(pattern, call = {}) {
      const { grepHistory } = await import("./grep-history.ts");
      yield* grepHistory({ library, access, mask, options: machine }, pattern, call);
    },
    async overview({ newest = 5, folded = false, ...call } = {}) {
      const { foldRepeats, pendingWork } = await import("../search/pending-work.ts");
      const { retentionStatus } = await import("../retention/retention-status.ts");
      const { guardProgress } = await import("../archive/guard-stamp.ts");
      return catalog(call, ({ rows, coverage }) => {
        const whole = rows.filter(({ state }) => state !== "stub");
        const open = pendingWork(rows);
        return {
          agents: countAgents(whole),
          newest: mask(whole.slice(0, newest)),
          coverage,
          pendingSessions: (folded ? foldRepeats(open) : open).length,
          pendingWithRepeats: open.length,
          archiving: library.demo ? null : (guardProgress(library) ?? null),
          retention: library.demo ? [] : mask(retentionStatus(library, { rows, managedFolder })),
        };
      });
    },
    async exportSite({ folder, clientFolder, filter = {}, words = [], query, onProgress, ...call }) {
      const { readClient, writeSite } = await import("../site/write-site.ts");
      const answer = await writeSite(library, abortable(access, call), {
        folder,
        filter: readFilters(filter, words, machine),
        keys: await foundKeys(calls.search, query, { filter, ...call }),
        mask,
        client: readClient(library, clientFolder),
        pause: pauseOf(call),
        ...(onProgress && { onProgress }),
      });
      return mask(answer);
    },
  };
  return calls;
}

/** Counts sessions, turns and bytes by agent; the agent with the most sessions first. */
function countAgents(rows: readonly CatalogRow[]): readonly AgentCount[] {
  const counts = new Map<string, AgentCount>();
  for (const { digest, bytes } of rows) {
    const { agent, turns } = digest;
    const before = counts.get(agent) ?? { agent, sessions: 0, turns: 0, bytes: 0 };
    counts.set(agent, {
      agent,
      sessions: before.sessions + 1,
      turns: before.turns + turns,
      bytes: before.bytes + bytes,
    });
  }
  return [...counts.values()].sort((a, b) => b.sessions - a.sessions);
}

function pageOf<T>(all: readonly T[], offset: number, limit: number | undefined): readonly T[] {
  return all.slice(offset, limit === undefined ? undefined : offset + limit);
}

/** More sessions than anybody has. */
const ALL = 100_000;

/** The keys of the sessions that have all words and phrases of a query; undefined if there is none. */
async function foundKeys(
  search: History["search"],
  query: string | undefined,
  options: SearchOptions,
): Promise<ReadonlySet<string> | undefined> {
  if (query === undefined) return undefined;
  const { hits } = await search(query, { ...options, limit: ALL });
  return new Set(hits.filter(({ match }) => match !== "some").map(({ row }) => sessionKey(row.digest)));
}
