import type { FieldTable } from "../ranking/index-schema.ts";
import type { IndexStatistics } from "../ranking/index-view.ts";
import type { QueryNode } from "../ranking/query-node.ts";
import { RARE } from "../ranking/scorer.ts";
import { type ClusterBody, numberIn } from "./cluster.ts";
import { termField } from "./index-layout.ts";
import { anyOf, type ClusterQuery, ofKind, scoredNode } from "./queries.ts";

/** The known counts of the whole index. Terms and clauses are counted by the cluster, several per request. */
export interface KnownStatistics extends IndexStatistics {
  isCounted(term: string): boolean;
  /** Whether so few turns have a term in a stored text that others count, too. */
  isRare(term: string): boolean;
  /** Returns the aggregation that counts whatever is not known yet; undefined if everything is. */
  request(what: ToCount): ClusterBody | undefined;
  /** Takes the answer to the last request. */
  take(answer: unknown): void;
}

export interface ToCount {
  readonly terms?: Iterable<string>;
  readonly prefixes?: Iterable<string>;
  readonly clauses?: readonly QueryNode[];
}

export function createStatistics(fields: FieldTable): KnownStatistics {
  const terms = new Map<string, readonly number[]>();
  const prefixes = new Map<string, boolean>();
  const clauses = new Map<string, number>();
  let asked: readonly Count[] = [];
  return {
    documentsWith: (term, field) => terms.get(term)?.[field],
    turnsWith: (clause) => clauses.get(clauseKey(clause)),
    has: (term) => (terms.get(term) ?? []).some((count) => count > 0),
    hasPrefix: (prefix) => prefixes.get(prefix) === true,
    isCounted: (term) => terms.has(term),
    isRare: (term) => {
      const counts = terms.get(term) ?? [];
      const stored = fields.map(({ kind, stored: how }, i) =>
        kind === "turn" && how !== false ? (counts[i] ?? 0) : 0,
      );
      return stored.reduce((sum, count) => sum + count, 0) < RARE;
    },
    request(what) {
      asked = [
        ...[...new Set(what.terms)]
          .filter((term) => !terms.has(term))
          .map((term) => countTerm(term, fields, terms)),
        ...[...new Set(what.prefixes)]
          .filter((prefix) => !prefixes.has(prefix))
          .map(
            (prefix): Count => ({
              filters: [anyOf(["all", "rest"].map((field) => ({ prefix: { [field]: { value: prefix } } })))],
              take: ([count = 0]) => void prefixes.set(prefix, count > 0),
            }),
          ),
        ...(what.clauses ?? [])
          .filter((clause) => !clauses.has(clauseKey(clause)))
          .map(
            (clause): Count => ({
              filters: [{ bool: { filter: [ofKind("turn"), turnsThatCount(clause, fields)] } }],
              take: ([count = 0]) => void clauses.set(clauseKey(clause), count),
            }),
          ),
      ];
      if (asked.length === 0) return undefined;
      const filters = asked.flatMap((count, i) =>
        count.filters.map((filter, j) => [`${i}.${j}`, filter] as const),
      );
      return { counts: { filters: { filters: Object.fromEntries(filters) } } };
    },
    take(answer) {
      asked.forEach((count, i) => {
        const counted = count.filters.map((_, j) =>
          numberIn(answer, "aggregations", "counts", "buckets", `${i}.${j}`, "doc_count"),
        );
        count.take(counted);
      });
      asked = [];
    },
  };
}

interface Count {
  readonly filters: readonly ClusterQuery[];
  take(counts: readonly number[]): void;
}

/** Counts the documents that have a term, by field. */
function countTerm(term: string, fields: FieldTable, into: Map<string, readonly number[]>): Count {
  return {
    filters: fields.map((_, field) => ({ term: { [termField(field)]: { value: term } } })),
    take: (counts) => void into.set(term, counts),
  };
}

/** A clause without its weights, because weights do not change which turns match. */
function clauseKey(clause: QueryNode): string {
  return JSON.stringify(clause, (key, value: unknown) => (key === "boost" ? undefined : value));
}

/** The turns that ranking counts for a clause: for single terms, only those that have it in a stored text. */
function turnsThatCount(clause: QueryNode, fields: FieldTable): ClusterQuery {
  if (clause.kind === "any") return anyOf(clause.nodes.map((node) => turnsThatCount(node, fields)));
  if (clause.kind !== "term") return scoredNode(clause, fields, "turn");
  const stored = fields.reduce(
    (bits, field, place) => (field.stored === false ? bits : bits | (1 << place)),
    0,
  );
  return scoredNode({ ...clause, fields: clause.fields & stored }, fields, "turn");
}
