import { IndexDamage } from "../../fs/damage.ts";
import type {
  CallOptions,
  EngineFailure,
  RowsPage,
  SearchAnswer,
  SearchReader,
  StoredRow,
  StoredSession,
} from "../engine.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import type { IndexView } from "../ranking/index-view.ts";
import { type QueryNode, queryTerms } from "../ranking/query-node.ts";
import { queryNodes, searchIndex } from "../ranking/search-index.ts";
import type { Clause, SearchPlan } from "../ranking/search-plan.ts";
import type { SessionSource } from "../session-condition.ts";
import {
  createCandidateView,
  documentsOf,
  type FetchedTexts,
  type IndexTotals,
  receiveSession,
  receiveTexts,
} from "./candidate-view.ts";
import { type Cluster, listIn, numberIn, refusal, textIn, valueIn } from "./cluster.ts";
import { type Candidates, candidateSearches, chooseCandidates } from "./find-candidates.ts";
import { allOf, ofKind, ownedBy, visibleTo } from "./queries.ts";
import { type ReceivedSession, type SessionTexts, sessionId } from "./session-documents.ts";
import { createStatistics, type KnownStatistics } from "./statistics.ts";

/** An index of the cluster at one moment. */
export interface PointInTime {
  readonly cluster: Cluster;
  readonly pit: string;
  readonly schema: IndexSchema;
  readonly source: SessionSource;
  readonly totals: IndexTotals;
  /** The last commit of this source, and its state. */
  readonly id: string;
  readonly state: string;
  close(): Promise<void>;
}

/** Thrown inside a call and returned by it. */
class Failed extends Error {
  readonly failure: EngineFailure;
  constructor(failure: EngineFailure) {
    super(failure.what);
    this.failure = failure;
  }
}

async function returningFailures<T>(call: () => Promise<T>): Promise<T | EngineFailure> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Failed) return error.failure;
    if (error instanceof IndexDamage) return { kind: "damaged", what: error.message };
    throw error;
  }
}

/** Reads an index of the cluster. Every request carries the condition that says what this person may see. */
export function createReader(point: PointInTime): SearchReader {
  const { source } = point;
  return {
    id: point.id,
    state: point.state,
    covers: { sessions: point.totals.sessions, turns: point.totals.turns },
    search: (plan, options) => returningFailures(() => search(point, plan, options)),
    rows: (request, options) => returningFailures(() => listRows(point, request, options)),
    session: (key, options) =>
      returningFailures(() => findSession(point, key, options?.source ?? source, options)),
    close: () => point.close(),
  };
}

/** Answers to several searches, and anything missing from them. */
interface Answers {
  readonly bodies: readonly unknown[];
  readonly partial: string | undefined;
}

/** How long a node may search before it answers with partial results. */
const SEARCH_TIMEOUT = "20s";

/** Sends several searches in one request. All of them see the same state. */
async function ask(
  { cluster, pit }: PointInTime,
  searches: readonly object[],
  signal: AbortSignal | undefined,
): Promise<Answers> {
  const lines = searches.map(
    (body) =>
      `{}\n${JSON.stringify({ ...body, pit: { id: pit, keep_alive: "1m" }, timeout: SEARCH_TIMEOUT })}\n`,
  );
  const body = lines.join("");
  const reply = await cluster.send({ method: "POST", path: "/_msearch", body, signal });
  if (reply.kind !== "reply") throw new Failed(reply);
  if (reply.status !== 200)
    throw new Failed({ kind: "unreachable", what: `${cluster.name} refuses the search (${refusal(reply)})` });
  const bodies = listIn(reply.body, "responses");
  let partial: string | undefined;
  for (const each of bodies) {
    const type = textIn(each, "error", "type");
    if (type !== "") {
      const reasons = [
        textIn(each, "error", "root_cause", 0, "reason"),
        textIn(each, "error", "failed_shards", 0, "reason", "reason"),
        textIn(each, "error", "caused_by", "reason"),
        textIn(each, "error", "reason"),
      ];
      const reason = reasons.find((text) => text !== "") ?? type;
      throw new Failed({
        kind: "unreachable",
        what: `${cluster.name} could not search (${reason.slice(0, 300)})`,
      });
    }
    // Unassigned shards are not counted as failed.
    const total = numberIn(each, "_shards", "total");
    const missing = total - numberIn(each, "_shards", "successful");
    if (missing > 0) partial = `${missing} of ${total} shards did not answer`;
    if (valueIn(each, "timed_out") === true) partial = "some shards did not answer in time";
  }
  return { bodies, partial };
}

async function search(
  point: PointInTime,
  plan: SearchPlan,
  options: CallOptions = {},
): Promise<SearchAnswer> {
  const { schema, source, totals } = point;
  const { signal } = options;
  const statistics = createStatistics(schema.fields);
  let partial: string | undefined;
  const asking = async (searches: readonly object[]): Promise<readonly unknown[]> => {
    const answers = await ask(point, searches, signal);
    partial ??= answers.partial;
    return answers.bodies;
  };
  const count = async (what: Parameters<KnownStatistics["request"]>[0]): Promise<void> => {
    const aggs = statistics.request(what);
    if (aggs !== undefined) statistics.take((await asking([{ size: 0, query: visibleTo(source), aggs }]))[0]);
  };

  const nodes = await countClauses([...(plan.narrowing ?? []), ...plan.clauses], schema, statistics, count);
  const found = { schema, source, plan, clauses: nodes, totals, statistics };
  const candidates = chooseCandidates(found, await asking(candidateSearches(found)));
  const sessions = await fetchSessions(point, candidates.ids, signal);
  await count({ terms: expansions(createCandidateView(sessions, schema, totals, statistics), nodes) });
  const rankWith = (texts: FetchedTexts): Ranked => rank(sessions, { ...point, plan, statistics, texts });
  // The first round says whose texts the page needs, or whose must be read to look for a phrase.
  const missing = new Set<string>();
  const first = rankWith({ known: new Map(), missing });
  const known = await fetchTexts(point, [...missing], signal);
  const ranked = missing.size === 0 ? first : rankWith({ known, missing: new Set() });
  const answer = withTotals(ranked.answer, plan, candidates, sessions.length);
  partial ??= ranked.unreadable === 0 ? undefined : `${ranked.unreadable} sessions could not be read`;
  const nearestWords =
    answer.total === 0 ? await suggest(asking, point, statistics, queryTerms(nodes)) : answer.nearestWords;
  return { ...answer, nearestWords, ...(partial === undefined ? {} : { partial }) };
}

/** Builds the clauses of a query as ranking does, after counting the terms that this depends on. */
async function countClauses(
  clauses: readonly Clause[],
  schema: IndexSchema,
  statistics: KnownStatistics,
  count: (what: Parameters<KnownStatistics["request"]>[0]) => Promise<void>,
): Promise<readonly QueryNode[]> {
  if (clauses.length === 0) return [];
  const { fields } = schema;
  const likely = queryNodes(clauses, { fields, has: () => true, hasPrefix: () => true }).nodes;
  await count({ terms: queryTerms(likely), prefixes: clauses.flatMap(prefixesOf), clauses: likely });
  for (;;) {
    const unknown = new Set<string>();
    const has = (term: string): boolean => {
      if (!statistics.isCounted(term)) unknown.add(term);
      return statistics.has(term);
    };
    const { nodes } = queryNodes(clauses, { fields, has, hasPrefix: statistics.hasPrefix });
    await count({ terms: unknown, clauses: nodes });
    if (unknown.size === 0) return nodes;
  }
}

function prefixesOf(clause: Clause): readonly string[] {
  if (clause.kind === "any") return clause.of.flatMap(prefixesOf);
  return clause.kind === "word" && clause.prefix === true ? clause.terms.slice(-1) : [];
}

/** Terms beyond this limit are weighed as if only the candidates had them. */
const MOST_EXPANSIONS = 48;

/** The terms of the candidates that prefixes and typos match: they are weighed by the whole index, too. */
function expansions(view: IndexView, clauses: readonly QueryNode[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: QueryNode): void => {
    if (node.kind !== "term") {
      for (const child of node.nodes) visit(child);
      return;
    }
    if (node.prefix) for (const { term } of view.withPrefix(node.term)) found.add(term);
    if (node.maxDistance > 0)
      for (const near of view.near(node.term, node.maxDistance)) found.add(near.found.term);
  };
  for (const clause of clauses) visit(clause);
  return new Set([...found].slice(0, MOST_EXPANSIONS));
}

interface Ranked {
  readonly answer: SearchAnswer;
  /** Sessions that were left out because their document can't be read. */
  readonly unreadable: number;
}

/** Ranks the candidates. If one of them can't be read, the others are ranked without it. */
function rank(
  sessions: readonly ReceivedSession[],
  search: Pick<PointInTime, "schema" | "totals"> & {
    readonly plan: SearchPlan;
    readonly statistics: KnownStatistics;
    readonly texts: FetchedTexts;
  },
): Ranked {
  const { schema, totals, plan, statistics, texts } = search;
  const rankThese = (these: readonly ReceivedSession[]): SearchAnswer =>
    searchIndex(createCandidateView(these, schema, totals, statistics, texts), plan);
  try {
    return { answer: rankThese(sessions), unreadable: 0 };
  } catch (error) {
    const readable = sessions.filter((session) => {
      try {
        rankThese([session]);
        JSON.parse(session.row);
        return true;
      } catch {
        return false;
      }
    });
    if (readable.length === sessions.length) throw error;
    return { answer: rankThese(readable), unreadable: sessions.length - readable.length };
  }
}

/** The totals of the whole index, unless all of it was ranked. */
function withTotals(
  answer: SearchAnswer,
  plan: SearchPlan,
  { withAny, withAll, isExact }: Candidates,
  received: number,
): SearchAnswer {
  if (received >= withAny) return answer;
  if (answer.match === "none") return { ...answer, totalIsExact: false };
  const hasPhrase = plan.clauses.some(({ kind }) => kind === "phrase");
  if (hasPhrase && answer.match !== "some") return { ...answer, totalIsExact: false };
  const total = answer.match === "some" ? withAny : withAll;
  const ranked = plan.sort === "relevance" && plan.clauses.length > 0 ? withAny : total;
  return { ...answer, total, ranked, totalIsExact: isExact && answer.totalIsExact };
}

const SESSION_FIELDS: readonly string[] = [
  "key",
  "owner",
  "machine",
  "visibility",
  "row",
  "descriptor",
  "segment",
];

/** The number of sessions per request. */
const FETCHED_AT_ONCE = 50;

/** Fetches sessions by id: those of them that this person may see, in this order. */
async function fetchSessions(
  point: PointInTime,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly ReceivedSession[]> {
  const found = new Map<string, ReceivedSession>();
  for (const hit of await fetchHits(point, ids, SESSION_FIELDS, signal)) {
    const session = receiveSession(hit);
    if (session !== undefined) found.set(session.id, session);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

async function fetchTexts(
  point: PointInTime,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, SessionTexts>> {
  const hits = await fetchHits(point, ids, ["texts"], signal);
  return new Map(
    hits.flatMap((hit) => {
      const texts = receiveTexts(hit);
      return texts === undefined ? [] : [[textIn(hit, "_id"), texts] as const];
    }),
  );
}

async function fetchHits(
  point: PointInTime,
  ids: readonly string[],
  fields: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly unknown[]> {
  const hits: unknown[] = [];
  for (let from = 0; from < ids.length; from += FETCHED_AT_ONCE) {
    const some = ids.slice(from, from + FETCHED_AT_ONCE);
    const query = allOf([visibleTo(point.source), ofKind("session"), { terms: { session: some } }]);
    const { bodies } = await ask(point, [{ size: some.length, _source: fields, query }], signal);
    hits.push(...listIn(bodies[0], "hits", "hits"));
  }
  return hits;
}

const SUGGESTIONS = 3;

/** Suggests words of the index for words that it does not have. */
async function suggest(
  asking: (searches: readonly object[]) => Promise<readonly unknown[]>,
  { source }: PointInTime,
  statistics: KnownStatistics,
  words: Iterable<string>,
): Promise<SearchAnswer["nearestWords"]> {
  const missing = [...words].filter((word) => !statistics.has(word)).slice(0, 10);
  if (missing.length === 0) return [];
  const term = { field: "all", suggest_mode: "always", size: SUGGESTIONS * 4, min_word_length: 3 };
  const suggestions = missing.map((word, i) => [String(i), { text: word, term }] as const);
  const [answer] = await asking([
    { size: 0, query: visibleTo(source), suggest: Object.fromEntries(suggestions) },
  ]);
  const near = missing.map((word, i) => ({
    word,
    nearest: listIn(answer, "suggest", String(i), 0, "options").map((option) => textIn(option, "text")),
  }));
  // The dictionary is that of all sessions: only words of those that this person may see are named.
  const aggs = statistics.request({ terms: near.flatMap(({ nearest }) => nearest) });
  if (aggs !== undefined) statistics.take((await asking([{ size: 0, query: visibleTo(source), aggs }]))[0]);
  return near.flatMap(({ word, nearest }) => {
    const visible = nearest.filter(statistics.has).slice(0, SUGGESTIONS);
    return visible.length === 0 ? [] : [{ word, nearest: visible }];
  });
}

/** The rows of this source, by key. The position of a page is the key of the last row of the one before. */
async function listRows(
  point: PointInTime,
  { after, limit }: { readonly after?: string; readonly limit: number },
  options: CallOptions = {},
): Promise<RowsPage> {
  const size = Math.min(limit, 1_000);
  const own = [visibleTo(point.source), ofKind("session"), ownedBy(point.source)];
  const { bodies, partial } = await ask(
    point,
    [
      {
        size,
        _source: ["key", "row", "turns"],
        query: allOf(own),
        sort: [{ key: "asc" }],
        track_total_hits: true,
        aggs: { turns: { sum: { field: "turns" } } },
        ...(after === undefined ? {} : { search_after: [after] }),
      },
    ],
    options.signal,
  );
  // A missing row would be taken for a missing session.
  if (partial !== undefined)
    throw new Failed({ kind: "unreachable", what: `${point.cluster.name}: ${partial}` });
  const [body] = bodies;
  const rows = listIn(body, "hits", "hits").map(
    (hit): StoredRow => ({
      key: textIn(hit, "_source", "key"),
      source: point.source,
      row: textIn(hit, "_source", "row"),
      turns: numberIn(hit, "_source", "turns"),
    }),
  );
  return {
    kind: "rows",
    sessions: numberIn(body, "hits", "total", "value"),
    turns: numberIn(body, "aggregations", "turns", "value"),
    rows,
    next: rows.length < size ? undefined : rows.at(-1)?.key,
  };
}

async function findSession(
  point: PointInTime,
  key: string,
  source: SessionSource,
  options: CallOptions = {},
): Promise<StoredSession | undefined> {
  const [found] = await fetchSessions(point, [sessionId(source, key)], options.signal);
  if (found === undefined) return undefined;
  const texts = (await fetchTexts(point, [found.id], options.signal)).get(found.id);
  if (texts === undefined) throw new IndexDamage(`The texts of ${key} can't be read`);
  const { fields } = point.schema;
  const isStored = new Set(fields.flatMap(({ name, stored }) => (stored === false ? [] : [name])));
  return {
    kind: "session",
    key: found.key,
    source: found.source,
    row: found.row,
    digest: texts.digest,
    documents: async () =>
      documentsOf(found, texts, point.schema).map((document) => ({
        ...document,
        fields: Object.fromEntries(Object.entries(document.fields).filter(([name]) => isStored.has(name))),
      })),
  };
}

/** Adds up the counts of the sources. */
export function readTotals(body: unknown, fields: number): IndexTotals {
  const sum = (name: string): number => numberIn(body, "aggregations", name, "value");
  return {
    sessions: sum("sessions"),
    turns: sum("turns"),
    lengths: Array.from({ length: fields }, (_, field) => sum(`l${field}`)),
  };
}
