import type { Digest } from "../extract/digest.ts";
import type { Library } from "../fs/library.ts";
import type { Mask } from "../search/export-session.ts";
import type { PendingSession } from "../search/pending-work.ts";
import type { IndexAccess } from "../search/refresh/index-access.ts";
import type { SearchResult } from "../search/search-sessions.ts";
import { openSearcher } from "../search/searcher.ts";
import type { CatalogRow, SessionList } from "../search/session-catalog.ts";
import { readFilters, readRequest, type SearchPage } from "./filters.ts";
import type { ListedOptions } from "./history.ts";
import type { Machine } from "./open-store.ts";

/**
 * Answers many questions from an index that stays open until `close()`. Checks for changed logs every few seconds,
 * before an answer.
 */
export interface HistorySearcher {
  /** The project of the machine's folder; undefined if it has no sessions. */
  project(): Promise<string | undefined>;
  search(query: string, page?: SearchPage): Promise<SearchResult>;
  list(options?: Omit<ListedOptions, "signal">): Promise<SessionList>;
  /** Open work, of one project or of all, newest first; each item of a project once. */
  pending(project: string | undefined): Promise<readonly PendingSession[]>;
  /** The digest of a listed session; undefined if the index no longer has it. */
  digest(row: CatalogRow): Promise<Digest | undefined>;
  /** Checks for changed logs before the next answer. */
  expire(): void;
  close(): Promise<void>;
}

/** Opens a searcher that reads queries as users type them, and masks its answers. */
export async function openHistorySearcher(
  library: Library,
  access: IndexAccess,
  mask: Mask,
  machine: Machine,
): Promise<HistorySearcher> {
  const searcher = await openSearcher(library, access);
  return {
    ...searcher,
    search: async (query, page = {}) => mask(await searcher.search(readRequest(query, page, machine))),
    list: async ({ filter = {}, words = [], ...page } = {}) => {
      const found = await searcher.list({ ...page, filter: readFilters(filter, words, machine) });
      return { ...found, rows: mask(found.rows) };
    },
    pending: async (project) => mask(await searcher.pending(project)),
    digest: async (row) => mask(await searcher.digest(row)),
  };
}
