import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { nodeProcesses } from "../../../../src/fs/processes.ts";
import { sessionSchema } from "../../../../src/search/document-fields.ts";
import type { SearchAnswer, SearchEngine } from "../../../../src/search/engine.ts";
import { openEngine } from "../../../../src/search/open-engine.ts";
import { createCluster } from "../../../../src/search/opensearch/cluster.ts";
import { createOpenSearchEngine } from "../../../../src/search/opensearch/opensearch-engine.ts";
import { parseQuery } from "../../../../src/search/query/parse-query.ts";
import { queryDates } from "../../../../src/search/query/query-dates.ts";
import { searchClauses } from "../../../../src/search/query/search-clauses.ts";
import { refreshIndex } from "../../../../src/search/refresh/refresh-index.ts";
import type { QualityQuery } from "../../../quality/ask-queries.ts";
import { libraryIn } from "../../../support/library-in.ts";

export interface Agreement {
  readonly queries: number;
  readonly sessions: number;
  /** Of how many the first five are the same sessions, and of how many in the same order. */
  readonly sameFive: number;
  readonly sameOrder: number;
  readonly sameFirst: number;
  /** Of how many the numbers of sessions with all words and with any are the same. */
  readonly sameTotals: number;
  /** Those with other sessions. */
  readonly others: readonly string[];
  /** How long the cluster took for each query, in milliseconds. */
  readonly times: readonly number[];
}

/** Indexes the logs of a home in both engines and compares what they answer. */
export async function compareEngines(
  home: string,
  store: string,
  { urls, alias }: { readonly urls: readonly string[]; readonly alias: string },
  queries: readonly QualityQuery[],
): Promise<Agreement> {
  const library = libraryIn(home, { store, now: () => NOW });
  const embedded = openEngine(library, nodeProcesses);
  const cluster = createCluster({ urls, fetch: globalThis.fetch, now: Date.now, random: Math.random, wait });
  const shared = createOpenSearchEngine({
    cluster,
    alias,
    schema: sessionSchema,
    source: { owner: "ann", machine: "laptop" },
    visibilityOf: () => "private",
  });
  await refreshIndex(library, { engine: embedded });
  const cache = join(store, "cache-of-cluster");
  await refreshIndex({ ...library, places: { ...library.places, cache, index: cache } }, { engine: shared });
  const times: number[] = [];
  const others: string[] = [];
  let sameFive = 0;
  let sameOrder = 0;
  let sameFirst = 0;
  let sameTotals = 0;
  const [here, there] = [await readerOf(embedded), await readerOf(shared)];
  for (const { query } of queries) {
    const one = await ask(here, query);
    const start = performance.now();
    const two = await ask(there, query);
    times.push(performance.now() - start);
    const [a, b] = [firstFive(one), firstFive(two)];
    if (a[0] === b[0]) sameFirst++;
    if (a.join() === b.join()) sameOrder++;
    if (a.toSorted().join() === b.toSorted().join()) sameFive++;
    else others.push(query);
    if (one.total === two.total && one.ranked === two.ranked) sameTotals++;
  }
  const sessions = there.covers?.sessions ?? 0;
  await Promise.all([here.close(), there.close()]);
  return { queries: queries.length, sessions, sameFive, sameOrder, sameFirst, sameTotals, others, times };
}

/** Recency counts from here. */
const NOW = Date.UTC(2026, 10, 16);

type Reader = Extract<Awaited<ReturnType<SearchEngine["read"]>>, { readonly kind: "open" }>["reader"];

async function readerOf(engine: SearchEngine): Promise<Reader> {
  const opened = await engine.read();
  if (opened.kind !== "open") throw new Error(JSON.stringify(opened));
  return opened.reader;
}

async function ask(reader: Reader, text: string): Promise<SearchAnswer> {
  const query = parseQuery(text);
  const noFilter = { projects: [], files: [], agents: [], branches: [], tools: [], commands: [], errors: [] };
  const answer = await reader.search({
    ...searchClauses(query, { ...noFilter, titles: [], contexts: [], since: undefined, until: undefined }),
    filter: {},
    sort: "relevance",
    offset: 0,
    limit: 5,
    turnsPerHit: 3,
    now: NOW,
    dates: queryDates(query.words, { now: NOW, offsetMinutesAt: () => 0 }),
  });
  if (answer.kind !== "answer") throw new Error(answer.what);
  return answer;
}

function firstFive({ hits }: SearchAnswer): readonly string[] {
  return hits.slice(0, 5).map(({ key }) => key);
}
