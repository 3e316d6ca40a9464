import { sessionKey } from "../session/session.ts";
import type { History, SearchOptions } from "./history.ts";

/** More sessions than anybody has. */
const ALL = 100_000;

/** The keys of the sessions that have all words and phrases of a query; undefined if there is none. */
export async function foundKeys(
  search: History["search"],
  query: string | undefined,
  options: SearchOptions,
): Promise<ReadonlySet<string> | undefined> {
  if (query === undefined) return undefined;
  const { hits } = await search(query, { ...options, limit: ALL });
  return new Set(hits.filter(({ match }) => match !== "some").map(({ row }) => sessionKey(row.digest)));
}
