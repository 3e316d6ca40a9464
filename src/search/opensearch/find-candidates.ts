import { hasPhrases } from "../ranking/check-phrases.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import { exactNode, type QueryNode } from "../ranking/query-node.ts";
import { inverseFrequency } from "../ranking/scorer.ts";
import type { SearchPlan } from "../ranking/search-plan.ts";
import { timeFactor } from "../ranking/time-factor.ts";
import type { SessionSource } from "../session-condition.ts";
import type { IndexTotals } from "./candidate-view.ts";
import { listIn, numberIn, textIn, valueIn } from "./cluster.ts";
import {
  allOf,
  anyOf,
  type ClusterQuery,
  filterQueries,
  isExactForSessions,
  ofKind,
  scoredNode,
  sessionNode,
  visibleTo,
  weighted,
} from "./queries.ts";
import type { KnownStatistics } from "./statistics.ts";

/** A query in the cluster's form, and everything known for it. */
export interface CandidateSearch {
  readonly schema: IndexSchema;
  readonly source: SessionSource;
  readonly plan: SearchPlan;
  /** The required clauses, then the others; none to list sessions. */
  readonly clauses: readonly QueryNode[];
  readonly totals: IndexTotals;
  readonly statistics: KnownStatistics;
}

export interface Candidates {
  /** Ids of session documents, the most likely first. */
  readonly ids: readonly string[];
  /** How many sessions the cluster finds with any of the words, and with all. */
  readonly withAny: number;
  readonly withAll: number;
  /** Whether these numbers are exact, as ranking would count. */
  readonly isExact: boolean;
}

/** More than the page are ranked, because the cluster's order is only nearly that of ranking. */
const MORE_THAN_THE_PAGE = 40;
/** A phrase can be checked only in the texts, and many sessions have its words. */
const MORE_WITH_A_PHRASE = 120;
/** How many candidates of each kind the cluster returns. */
const NAMED = 100;
/** A session is some tens of kilobytes. */
const MOST_CANDIDATES = 1_000;

/**
 * Builds three searches: sessions with any of the words, by their cards; those with all of them; and turns, by session.
 * A session that ranking would put on the page is among the first of one of them.
 */
export function candidateSearches(search: CandidateSearch): readonly object[] {
  const { plan, clauses, schema, source, statistics, totals } = search;
  const { fields } = schema;
  const required = clauses.slice(0, plan.narrowing?.length ?? 0).map((node) => sessionNode(node));
  const byFilter = filterQueries(plan.filter);
  const excluded = plan.excluded
    .filter(({ kind }) => kind === "word")
    .map((clause) => exactNode(clause, { fields, has: () => false }));
  const scope = [visibleTo(source), ...byFilter.filter];
  const mustNot = byFilter.mustNot;
  const inSessions = [
    ...mustNot,
    ...excluded.filter((node) => isExactForSessions(node, fields)).map((node) => sessionNode(node)),
  ];
  const written = [...(plan.narrowing ?? []), ...plan.clauses];
  const size = candidateCount(plan);
  const byTime = plan.sort === "relevance" && clauses.length > 0 ? {} : sortByTime(plan.sort);
  const base = { _source: false, track_total_hits: true, docvalue_fields: ["session", "activeAt"] };
  const sessionFilter = [ofKind("session"), ...scope, ...required];
  if (clauses.length === 0) {
    return [{ ...base, ...byTime, size, query: { bool: { filter: sessionFilter, must_not: inSessions } } }];
  }
  const weightOf = (node: QueryNode): number =>
    Math.max(0.001, inverseFrequency(totals.turns, statistics.turnsWith(node) ?? 0));
  const scored = (kind: "card" | "turn"): readonly ClusterQuery[] =>
    clauses.map((node) => scoredNode(node, fields, kind));
  const weights = (kind: "card" | "turn"): Parameters<typeof weighted>[1] =>
    scored(kind).map((query, i) => ({ query, weight: weightOf(clauses[i] ?? { kind: "any", nodes: [] }) }));
  const named = (kind: "card" | "turn"): readonly ClusterQuery[] =>
    scored(kind).map((query, i) => ({ bool: { must: [query], _name: String(i) } }));
  const dates = plan.dates ?? [];
  const sessions = (filter: readonly ClusterQuery[]): ClusterQuery =>
    weighted({ bool: { filter, must_not: inSessions, should: named("card") } }, weights("card"), dates);
  const some = [...sessionFilter, anyOf(clauses.map((node) => sessionNode(node)))];
  const all = [...sessionFilter, allOf(clauses.map((node) => sessionNode(node, statistics.isRare)))];
  const isByAll = plan.sort !== "relevance" || hasPhrases(plan.clauses);
  const turns = {
    bool: {
      filter: [ofKind("turn"), ...scope],
      must_not: [...mustNot, ...excluded.map((node) => scoredNode(node, fields, "turn"))],
      should: named("turn"),
      minimum_should_match: 1,
      // A phrase is in one text, or there is none.
      must: clauses.flatMap((node, i) =>
        isByAll && written[i]?.kind === "phrase" ? [scoredNode(node, fields, "turn")] : [],
      ),
    },
  };
  const many = Math.max(size, NAMED);
  return [
    { ...base, ...byTime, size: many, query: sessions(some) },
    isByAll
      ? { ...base, ...byTime, size: many, query: sessions(all) }
      : { ...base, size: 0, query: { bool: { filter: all, must_not: inSessions } } },
    {
      ...base,
      track_total_hits: false,
      size: many,
      collapse: { field: "session" },
      query: weighted(turns, weights("turn"), dates),
    },
  ];
}

function candidateCount({ offset, limit, clauses }: SearchPlan): number {
  const more = hasPhrases(clauses) ? MORE_WITH_A_PHRASE : MORE_THAN_THE_PAGE;
  return Math.min(MOST_CANDIDATES, offset + limit + more);
}

function sortByTime(sort: SearchPlan["sort"]): object {
  const order = sort === "oldest" ? "asc" : "desc";
  return { sort: [{ activeAt: { order, missing: "_last" } }, "_score", { key: "asc" }] };
}

/** Chooses the candidates from the answers to `candidateSearches`. */
export function chooseCandidates(search: CandidateSearch, answers: readonly unknown[]): Candidates {
  const { plan, clauses, schema } = search;
  const [some, all, turns] = answers;
  const withAny = numberIn(some, "hits", "total", "value");
  const { since, until, contexts, only, not = [] } = plan.filter;
  const isFiltered = [since, until, contexts].some((each) => each !== undefined);
  const isExact =
    !isFiltered &&
    [...(only === undefined ? [] : [only]), ...not].every(
      ({ projects = [], titles = [] }) => projects.length + titles.length === 0,
    ) &&
    plan.excluded.every(({ kind, terms }) => kind === "word" && terms.length === 1) &&
    clauses.every((node) => isExactForSessions(node, schema.fields));
  const size = candidateCount(plan);
  if (clauses.length === 0) return { ids: idsOf(some).slice(0, size), withAny, withAll: withAny, isExact };
  const withAll = numberIn(all, "hits", "total", "value");
  const ids =
    plan.sort === "relevance"
      ? byLikelyScore(
          search,
          listIn(some, "hits", "hits"),
          listIn(all, "hits", "hits"),
          listIn(turns, "hits", "hits"),
        )
      : [...new Set([...idsOf(all).slice(0, size), ...idsOf(some).slice(0, size)])];
  return {
    ids: withAny <= size ? [...new Set([...idsOf(some), ...ids])] : ids.slice(0, size),
    withAny,
    withAll,
    isExact,
  };
}

function idsOf(answer: unknown): readonly string[] {
  return listIn(answer, "hits", "hits").map((hit) => textIn(hit, "fields", "session", 0));
}

/** Orders sessions as ranking will, from what the cluster says of their cards and best turns. */
function byLikelyScore(
  { plan, clauses, statistics, totals }: CandidateSearch,
  ...[some, all, turns]: readonly (readonly unknown[])[]
): readonly string[] {
  const weights = clauses.map((node) =>
    Math.max(0.001, inverseFrequency(totals.turns, statistics.turnsWith(node) ?? 0)),
  );
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const shareOf = (hit: unknown): number =>
    listIn(hit, "matched_queries").reduce<number>((sum, name) => sum + (weights[Number(name)] ?? 0), 0) /
    whole;
  const found = new Map<string, { card: number; turn: number; share: number; activeAt: number }>();
  const note = (hit: unknown, kind: "card" | "turn"): void => {
    const id = textIn(hit, "fields", "session", 0);
    const active = valueIn(hit, "fields", "activeAt", 0);
    const known = found.get(id) ?? {
      card: 0,
      turn: 0,
      share: 0,
      activeAt: typeof active === "number" ? active : Number.NaN,
    };
    const share = shareOf(hit);
    // A card that has none of the words has no score of its own.
    if (share > 0) known[kind] = Math.max(known[kind], numberIn(hit, "_score"));
    known.share = Math.max(known.share, share);
    found.set(id, known);
  };
  for (const hit of [...(some ?? []), ...(all ?? [])]) note(hit, "card");
  for (const hit of turns ?? []) note(hit, "turn");
  const scored = [...found].map(([id, { card, turn, share, activeAt }]) => ({
    id,
    score: (card + 2 * turn) * share * timeFactor(activeAt, plan.now, plan.dates ?? []),
  }));
  return scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
}
