import type { Library } from "../fs/library.ts";
import type { Mask } from "../search/export-session.ts";
import type { IndexAccess } from "../search/refresh/index-access.ts";
import { openSearcher } from "../search/searcher.ts";
import { readFilters, readRequest } from "./filters.ts";
import type { HistorySearcher } from "./history.ts";
import type { Machine } from "./open-store.ts";

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
