import { type CatalogRow, type Filters, type HistorySearcher, UserError } from "../../index.ts";
import { parseQuery } from "../../search/query/parse-query.ts";
import { matchText } from "../output/search-hits.ts";
import type { PickRequest, PickRow, PickState } from "./pick-state.ts";

type Answer = NonNullable<PickState["answer"]>;

/**
 * Fetches the content of the list. A query that can't be read is an answer with an error in it, because it is still
 * being typed.
 */
export async function fetchAnswer(
  searcher: HistorySearcher,
  request: PickRequest,
  { filter, project }: { readonly filter: Filters; readonly project: string | undefined },
): Promise<Answer> {
  const here = request.scope === "project" && project !== undefined ? { project: [project] } : {};
  const narrowed = { ...filter, ...here };
  try {
    if (request.list === "pending") return await fetchPending(searcher, request, project);
    if (request.query === "") {
      const { total, rows } = await searcher.list({ filter: narrowed, limit: request.limit });
      return { request, rows: rows.map(plainRow), total, totalIsExact: true, match: "" };
    }
    return await fetchFound(searcher, request, narrowed);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { request, rows: [], total: 0, totalIsExact: true, match: `: ${error.message}` };
  }
}

async function fetchPending(
  searcher: HistorySearcher,
  request: PickRequest,
  project: string | undefined,
): Promise<Answer> {
  const all = await searcher.pending(request.scope === "project" ? project : undefined);
  const rows = all.slice(0, request.limit).map(({ row, items }) => ({ ...plainRow(row), pending: items }));
  return { request, rows, total: all.length, totalIsExact: true, match: "" };
}

async function fetchFound(searcher: HistorySearcher, request: PickRequest, filter: Filters): Promise<Answer> {
  const { query, limit } = request;
  const typed = await searcher.search(query, { filter, limit });
  const prefixed = typed.match === "all" ? undefined : withPrefix(query);
  const longer = prefixed === undefined ? typed : await searcher.search(prefixed, { filter, limit });
  const found = longer.match === "all" ? longer : typed;
  const { hits, total, totalIsExact } = found;
  return {
    request,
    rows: hits.map(({ row, snippets, matchingTurns }) => ({ row, snippets, matchingTurns, pending: [] })),
    total,
    totalIsExact,
    match: matchText(found, parseQuery(query)),
  };
}

/** The last word, which may be incomplete; undefined if the query does not end in a plain word. */
export function withPrefix(query: string): string | undefined {
  return /(?:^|\s)[\p{L}\p{N}_-]{2,}$/u.test(query) ? `${query}*` : undefined;
}

function plainRow(row: CatalogRow): PickRow {
  return { row, snippets: [], matchingTurns: 0, pending: [] };
}
