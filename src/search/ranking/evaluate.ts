import type { IndexView } from "./index-view.ts";
import type { CombinedNode, QueryNode, TermNode } from "./query-node.ts";
import {
  addSet,
  createSet,
  createTermScorer,
  type DocumentSets,
  fuzzyWeight,
  intersectSet,
  prefixWeight,
  subtractSet,
  type TermScorer,
} from "./scorer.ts";

/** The documents of both kinds that match at least one clause, with their scores and the clauses that they match. */
export interface Evaluation extends DocumentSets {
  /** By clause, how many turns match it. */
  readonly turnsOfClauses: readonly number[];
  /** By clause, the terms of the index that matched it. */
  readonly termsOfClauses: readonly ReadonlySet<string>[];
}

/**
 * Scores every document as one big MiniSearch of all documents would if its query were the clauses combined with OR:
 * the sum over terms and fields of BM25, weighted for prefixes and typos. MiniSearch multiplies that by the number of
 * distinct terms that match; ranking weighs them by their information instead. Computed from the postings directly;
 * docs/decisions/search-engine.md explains why.
 */
export function evaluate(
  view: IndexView,
  clauses: readonly QueryNode[],
  boosts: readonly number[],
): Evaluation {
  const scorers = clauses.map(() => createTermScorer(view, boosts));
  const sets = createSets(view, clauses.length);
  const turnsOfClauses = scorers.map((scorer, clause) => {
    const node = clauses[clause];
    if (node === undefined) return 0;
    const counted = evaluateNode(view, scorer, node, sets, clause);
    return view.statistics?.turnsWith(node) ?? counted;
  });
  return { ...sets, turnsOfClauses, termsOfClauses: scorers.map(({ found }) => found) };
}

function createSets({ space }: IndexView, clauses: number): DocumentSets {
  return { card: createSet(space.card, clauses), turn: createSet(space.turn, clauses) };
}

/** Adds the documents that match a node to those of a clause. Returns how many turns did not have the clause before. */
function evaluateNode(
  view: IndexView,
  scorer: TermScorer,
  node: QueryNode,
  sets: DocumentSets,
  clause: number,
): number {
  if (node.kind === "term") return evaluateTerm(view, scorer, node, sets, clause);
  if (node.kind === "any")
    return node.nodes.reduce((sum, child) => sum + evaluateNode(view, scorer, child, sets, clause), 0);
  const matching = evaluateApart(view, scorer, node);
  addSet(sets.card, matching.card, clause);
  return addSet(sets.turn, matching.turn, clause);
}

/** Returns the documents that match all nodes, or the first and none of the others. */
function evaluateApart(view: IndexView, scorer: TermScorer, { kind, nodes }: CombinedNode): DocumentSets {
  const [first, ...others] = nodes;
  const result = createSets(view, 1);
  if (first !== undefined) evaluateNode(view, scorer, first, result, 0);
  const combine = kind === "without" ? subtractSet : intersectSet;
  for (const node of others) {
    const other = createSets(view, 1);
    evaluateNode(view, scorer, node, other, 0);
    combine(result.card, other.card);
    combine(result.turn, other.turn);
  }
  return result;
}

function evaluateTerm(
  view: IndexView,
  scorer: TermScorer,
  node: TermNode,
  sets: DocumentSets,
  clause: number,
): number {
  const { term, prefix, maxDistance, boost, fields } = node;
  let added = 0;
  const score = (found: Parameters<TermScorer["score"]>[0], weight: number): void => {
    added += scorer.score(found, sets, { fields, weight: weight * boost, clause });
  };
  const exact = view.exact(term);
  if (exact !== undefined) score(exact, 1);
  if (prefix) {
    for (const longer of view.withPrefix(term)) {
      if (longer.term.length > term.length) score(longer, prefixWeight(term.length, longer.term.length));
    }
  }
  if (maxDistance === 0) return added;
  for (const { found, distance } of view.near(term, maxDistance)) {
    // Terms with the prefix were scored above.
    if (distance === 0 || (prefix && found.term.startsWith(term))) continue;
    score(found, fuzzyWeight(found.term.length, distance));
  }
  return added;
}
