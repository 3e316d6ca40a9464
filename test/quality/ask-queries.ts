import { readFileSync } from "node:fs";
import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import type { MatchKind } from "../../src/search/engine.ts";
import { openEngine } from "../../src/search/open-engine.ts";
import { parseQuery } from "../../src/search/query/parse-query.ts";
import { queryDates } from "../../src/search/query/query-dates.ts";
import { noFilter } from "../../src/search/query/session-filter.ts";
import { searchSessions } from "../../src/search/search-sessions.ts";
import type { HitSnippet } from "../../src/search/search-snippets.ts";
import { libraryIn } from "../support/library-in.ts";

/** What somebody types weeks later, and the session that is meant: any of several where they are alike. */
export interface QualityQuery {
  readonly query: string;
  readonly kind: string;
  readonly sessions: readonly string[];
  /** Not looked at while the ranking was tuned. */
  readonly heldOut?: boolean;
}

export interface Outcome {
  readonly asked: QualityQuery;
  readonly match: MatchKind;
  /** Place of the session that was meant, from 1; 0 where it is not among the first ten. */
  readonly rank: number;
  readonly first: { readonly id: string; readonly title: string } | undefined;
  /** The snippets of the session that was meant, if it is among the first ten. */
  readonly shown: readonly Pick<HitSnippet, "role" | "text">[];
}

export interface Figures {
  readonly queries: number;
  /** Shares between 0 and 1. */
  readonly first: number;
  readonly inFive: number;
  readonly meanReciprocalRank: number;
}

export const qualityQueries: readonly QualityQuery[] = JSON.parse(
  readFileSync(new URL("queries.json", import.meta.url), "utf8"),
);

/** Recency counts from here: figures of another day would differ a little. */
const NOW = Date.UTC(2026, 10, 16);

/** Indexes the logs of a home into a store of their own and asks everything, as the command would. */
export async function askQueries(
  home: string,
  store: string,
  queries: readonly QualityQuery[] = qualityQueries,
): Promise<readonly Outcome[]> {
  const library = libraryIn(home, { store, now: () => NOW });
  const access = {
    engine: openEngine(library, nodeProcesses),
    inMemory: () =>
      openEngine({ disk: createMemoryDisk(library.now), places: library.places }, nodeProcesses),
  };
  const results = await searchSessions(
    library,
    access,
    queries.map(({ query }) => ({
      query: parseQuery(query),
      filter: noFilter,
      excluded: [],
      dates: queryDates(parseQuery(query).words, { now: NOW, offsetMinutesAt: () => 0 }),
      sort: "relevance" as const,
      offset: 0,
      limit: 10,
    })),
  );
  return queries.map((asked, index) => {
    const found = results[index]?.hits ?? [];
    const [first] = found;
    const rank = found.findIndex(({ row }) => asked.sessions.includes(row.digest.id)) + 1;
    return {
      asked,
      match: results[index]?.match ?? "none",
      rank,
      shown: found[rank - 1]?.snippets ?? [],
      first:
        first === undefined ? undefined : { id: first.row.digest.id, title: first.row.digest.title ?? "" },
    };
  });
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const share = (counts: (rank: number) => number): number =>
    outcomes.reduce((sum, { rank }) => sum + (rank === 0 ? 0 : counts(rank)), 0) /
    Math.max(1, outcomes.length);
  return {
    queries: outcomes.length,
    first: share((rank) => (rank === 1 ? 1 : 0)),
    inFive: share((rank) => (rank <= 5 ? 1 : 0)),
    meanReciprocalRank: share((rank) => 1 / rank),
  };
}
