import { withoutBraces } from "../../fs/glob.ts";
import type { FieldTable } from "../ranking/index-schema.ts";
import type { QueryNode, TermNode } from "../ranking/query-node.ts";
import type { DateSpan, SearchFilter } from "../ranking/search-plan.ts";
import type { SessionCondition, SessionSource } from "../session-condition.ts";
import { termField } from "./index-layout.ts";
import { comparablePath } from "./session-documents.ts";

/** A query in the cluster's form. */
export type ClusterQuery = Readonly<Record<string, unknown>>;

/** Everything that the reader owns or others share. Part of every query that this program sends. */
export function visibleTo({ owner }: SessionSource): ClusterQuery {
  return anyOf([{ term: { owner } }, { term: { visibility: "team" } }]);
}

/** Everything that one machine of one person has written. */
export function ownedBy({ owner, machine }: SessionSource): ClusterQuery {
  return allOf([{ term: { owner } }, { term: { machine } }]);
}

export function ofKind(...kinds: readonly ("session" | "turn" | "source")[]): ClusterQuery {
  return { terms: { kind: kinds } };
}

export function allOf(queries: readonly ClusterQuery[]): ClusterQuery {
  return { bool: { filter: queries } };
}

export function anyOf(queries: readonly ClusterQuery[]): ClusterQuery {
  return { bool: { should: queries, minimum_should_match: 1 } };
}

/** How many terms of the index a prefix or a typo may match: the best ones. */
const EXPANSIONS = 50;

/** Finds and scores the documents of a kind that match a node, as far as the cluster can: to find candidates. */
export function scoredNode(node: QueryNode, fields: FieldTable, kind: "card" | "turn"): ClusterQuery {
  if (node.kind === "term") {
    const queries = fields.flatMap((field, place) =>
      field.kind === kind && (node.fields & (1 << place)) !== 0
        ? termQueries(termField(place), node, node.boost * field.boost)
        : [],
    );
    return queries.length === 0 ? { match_none: {} } : anyOf(queries);
  }
  const children = node.nodes.map((child) => scoredNode(child, fields, kind));
  if (node.kind === "any") return anyOf(children);
  if (node.kind === "all") return { bool: { must: children } };
  const [first = { match_none: {} }, ...others] = children;
  return { bool: { must: [first], must_not: others } };
}

/**
 * Finds the sessions that may match a node: those that have its terms anywhere. `isRare`, if given: only rare terms count
 * in texts that are not stored, as in ranking.
 */
export function sessionNode(node: QueryNode, isRare?: (term: string) => boolean): ClusterQuery {
  if (node.kind === "term") {
    const inRest = isRare?.(node.term) === false ? [] : termQueries("rest", node, 1);
    return anyOf([...termQueries("all", node, 1), ...inRest]);
  }
  const nodes = node.nodes.map((child) => sessionNode(child, isRare));
  if (node.kind === "any") return anyOf(nodes);
  return allOf(node.kind === "all" ? nodes : nodes.slice(0, 1));
}

/** Whether `sessionNode` finds no more sessions than match: one term, in any field. */
export function isExactForSessions(node: QueryNode, fields: FieldTable): boolean {
  const everyField = 2 ** fields.length - 1;
  if (node.kind === "term") return node.fields === everyField && !node.prefix && node.maxDistance === 0;
  return node.kind === "any" && node.nodes.every((child) => isExactForSessions(child, fields));
}

function termQueries(field: string, node: TermNode, boost: number): readonly ClusterQuery[] {
  const { term: value, prefix, maxDistance } = node;
  const queries: ClusterQuery[] = [{ term: { [field]: { value, boost } } }];
  const weaker = boost * 0.4;
  if (prefix)
    queries.push({ prefix: { [field]: { value, boost: weaker, rewrite: `top_terms_${EXPANSIONS}` } } });
  if (maxDistance > 0) {
    const fuzziness = String(maxDistance);
    const options = { transpositions: false, max_expansions: EXPANSIONS, boost: weaker };
    queries.push({ fuzzy: { [field]: { value, fuzziness, ...options } } });
  }
  return queries;
}

/**
 * Multiplies the score of each document by the weight of the clauses that it has, and raises it if its session was
 * active at a date of the query: an approximation of ranking (ranking/aggregate-by-session.ts).
 */
export function weighted(
  query: ClusterQuery,
  clauses: readonly { readonly query: ClusterQuery; readonly weight: number }[],
  dates: readonly DateSpan[],
): ClusterQuery {
  const functions = clauses.map(({ query: filter, weight }) => ({ filter, weight }));
  const byClauses = {
    function_score: { query, functions, score_mode: "sum", boost_mode: "multiply" },
  };
  if (dates.length === 0) return byClauses;
  const near = dates.map(({ from, to }) => ({
    filter: { range: { activeAt: { gte: from - DAYS_BEFORE, lte: to + DAYS_AFTER } } },
    weight: AT_DATE,
  }));
  return {
    function_score: { query: byClauses, functions: near, score_mode: "max", boost_mode: "multiply" },
  };
}

const DAY_MS: number = 24 * 60 * 60 * 1000;
const DAYS_BEFORE: number = 6 * DAY_MS;
const DAYS_AFTER: number = 14 * DAY_MS;
const AT_DATE = 2;

/** Filters documents by attributes of their sessions, generously: ranking checks the results. */
export function filterQueries(filter: SearchFilter): {
  readonly filter: readonly ClusterQuery[];
  readonly mustNot: readonly ClusterQuery[];
} {
  const { since, until, contexts, only, not = [] } = filter;
  return {
    filter: [
      ...(since === undefined ? [] : [{ range: { lastTurnAt: { gte: since } } }]),
      ...(until === undefined ? [] : [{ range: { firstTurnAt: { lte: until } } }]),
      ...(contexts === undefined ? [] : [{ terms: { turnContexts: contexts } }]),
      ...(only === undefined ? [] : conditionQueries(only)),
    ],
    mustNot: not.flatMap((condition) => (isExact(condition) ? [allOf(conditionQueries(condition))] : [])),
  };
}

/** Whether everything that `conditionQueries` finds matches the condition. */
function isExact({ projects = [], titles = [] }: SessionCondition): boolean {
  return projects.length === 0 && titles.length === 0;
}

function conditionQueries(condition: SessionCondition): readonly ClusterQuery[] {
  const { keys, since, until } = condition;
  const listed = (field: string, values: readonly string[] | undefined): readonly ClusterQuery[] =>
    values === undefined || values.length === 0 ? [] : [{ terms: { [field]: values } }];
  const lower = (values: readonly string[] | undefined): readonly string[] | undefined =>
    values?.map((value) => value.toLowerCase());
  const some = (queries: readonly ClusterQuery[]): readonly ClusterQuery[] =>
    queries.length === 0 ? [] : [anyOf(queries)];
  return [
    ...(keys === undefined ? [] : [{ terms: { key: keys } }]),
    ...some(
      (condition.machines ?? []).map((value) => ({ term: { machine: { value, case_insensitive: true } } })),
    ),
    ...listed("owner", condition.owners),
    ...listed("agent", condition.agents),
    ...some((condition.projects ?? []).flatMap(withoutBraces).flatMap(projectQueries)),
    ...listed("branch", lower(condition.branches)),
    ...listed("tools", lower(condition.tools)),
    ...some((condition.titles ?? []).map(titleQuery)),
    ...listed("contexts", condition.contexts),
    ...(since === undefined ? [] : [{ range: { endedAt: { gte: since } } }]),
    ...(until === undefined ? [] : [{ range: { startedAt: { lte: until } } }]),
  ];
}

/** Finds at least the projects that fs/glob.ts finds: by the end of their path, a glob, or a folder above. */
function projectQueries(pattern: string): readonly ClusterQuery[] {
  const path = comparablePath(pattern).replace(/^\.\//, "");
  if (/[*?]/.test(path)) return [{ wildcard: { projects: { value: `*${path.replace(/\*+/g, "*")}*` } } }];
  return [
    { term: { projects: path } },
    { wildcard: { projects: { value: `*/${literal(path)}` } } },
    { prefix: { projects: { value: `${path}/` } } },
  ];
}

function titleQuery(words: string): ClusterQuery {
  const each = words.toLowerCase().split(/\s+/);
  return allOf(each.map((word) => ({ wildcard: { title: { value: `*${literal(word)}*` } } })));
}

function literal(text: string): string {
  return text.replace(/[\\*?]/g, "\\$&");
}
