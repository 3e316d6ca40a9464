import { assertNever } from "../errors.ts";
import { fuzzyWeight, inverseFrequency, prefixWeight } from "./bm25.ts";
import {
  addSet,
  countBits,
  createDocumentSet,
  type DocumentSet,
  intersectSet,
  subtractSet,
} from "./document-set.ts";
import { type DocumentKind, MAX_FIELDS } from "./index-fields.ts";
import type { IndexTerm, IndexView } from "./index-view.ts";
import { readGroups } from "./postings.ts";
import { type QueryNode, type TermNode, termsOf } from "./query-node.ts";
import { countLiving, scoreGroup } from "./score-group.ts";

/** Documents of both kinds that match at least one clause, with scores and with what they match. */
export interface Evaluation {
  readonly card: DocumentSet;
  readonly turn: DocumentSet;
  /** The first bits of a document are clauses, in order; behind them are terms. */
  readonly clauses: number;
  /** Terms of the index that counted. */
  readonly terms: ReadonlySet<string>;
}

type Sets = Readonly<Record<DocumentKind, DocumentSet>>;

/**
 * Scores every document as one big MiniSearch would that holds all of them and is asked for the
 * clauses combined with OR: the sum over terms and fields of BM25+, with its weights for prefixes
 * and typos, times the number of different terms that match. Computed over the postings directly:
 * assembling a MiniSearch from them costs a microsecond per posting (see docs/decisions).
 */
export function evaluate(
  view: IndexView,
  clauses: readonly QueryNode[],
  boosts: readonly number[],
): Evaluation {
  const terms = [...termsOf(clauses)];
  const words = Math.max(1, Math.ceil((terms.length + clauses.length) / 32));
  const createSets = (): Sets => ({
    card: createDocumentSet(view.space.card, words),
    turn: createDocumentSet(view.space.turn, words),
  });
  const termBits = new Map(terms.map((term, i) => [term, clauses.length + i]));
  const scorer = createTermScorer(view, boosts, termBits);
  const sets = createSets();
  clauses.forEach((clause, bit) => {
    if (clause.kind === "term") {
      scorer.score(clause, sets, bit);
      return;
    }
    const matching = evaluateNode(clause, createSets, scorer);
    addSet(sets.card, matching.card, bit);
    addSet(sets.turn, matching.turn, bit);
  });
  for (const set of [sets.card, sets.turn]) {
    multiplyByTerms(set, clauses.length, clauses.length + terms.length);
  }
  return { ...sets, clauses: clauses.length, terms: scorer.found };
}

function evaluateNode(node: QueryNode, createSets: () => Sets, scorer: TermScorer): Sets {
  const result = createSets();
  if (node.kind === "term") {
    scorer.score(node, result);
    return result;
  }
  node.nodes.forEach((child, i) => {
    if (child.kind === "term" && (i === 0 || node.kind === "any")) {
      scorer.score(child, result);
      return;
    }
    const other = evaluateNode(child, createSets, scorer);
    for (const kind of ["card", "turn"] as const) {
      if (i === 0 || node.kind === "any") addSet(result[kind], other[kind]);
      else if (node.kind === "all") intersectSet(result[kind], other[kind]);
      else if (node.kind === "without") subtractSet(result[kind], other[kind]);
      else assertNever(node.kind);
    }
  });
  return result;
}

interface TermScorer {
  score(node: TermNode, sets: Sets, clauseBit?: number): void;
  readonly found: ReadonlySet<string>;
}

function createTermScorer(
  view: IndexView,
  boosts: readonly number[],
  termBits: ReadonlyMap<string, number>,
): TermScorer {
  const found = new Set<string>();
  const counts = new Float64Array(MAX_FIELDS);
  const kindOf = (field: number): DocumentKind => view.fields[field]?.kind ?? "turn";

  const scoreTerm = (
    term: IndexTerm,
    weight: number,
    node: TermNode,
    sets: Sets,
    clauseBit: number | undefined,
  ): void => {
    const parts = view.postings(term).map(({ part, bytes }) => ({ part, bytes, groups: readGroups(bytes) }));
    counts.fill(0);
    for (const { part, bytes, groups } of parts) {
      for (const group of groups) {
        const living = countLiving(bytes, group, part.gone(kindOf(group.field)));
        if (living > 0) found.add(term.term);
        counts[group.field] = (counts[group.field] ?? 0) + living;
      }
    }
    const bit = termBits.get(node.term) ?? 0;
    for (const { part, bytes, groups } of parts) {
      for (const group of groups) {
        const { field } = group;
        if ((node.fields & (1 << field)) === 0) continue;
        const kind = kindOf(field);
        const idf = inverseFrequency(view.documents[kind], counts[field] ?? 0);
        scoreGroup(bytes, group, part.gone(kind), {
          set: sets[kind],
          base: kind === "card" ? part.firstSession : part.firstTurn,
          documents: kind === "card" ? part.sessions : part.turns,
          lengths: part.lengths(field),
          averageLength: view.averageLengths[field] ?? 0,
          weight: weight * node.boost * (boosts[field] ?? 1) * idf,
          bit,
          clauseBit: clauseBit ?? bit,
        });
      }
    }
  };

  return {
    found,
    score(node, sets, clauseBit) {
      const exact = view.exact(node.term);
      if (exact !== undefined) scoreTerm(exact, 1, node, sets, clauseBit);
      if (node.prefix) {
        for (const longer of view.withPrefix(node.term)) {
          if (longer.term.length === node.term.length) continue;
          scoreTerm(longer, prefixWeight(node.term.length, longer.term.length), node, sets, clauseBit);
        }
      }
      if (node.maxDistance === 0) return;
      for (const near of view.near(node.term, node.maxDistance)) {
        const { term } = near.found;
        // What begins so has been counted as that.
        if (near.distance === 0 || (node.prefix && term.startsWith(node.term))) continue;
        scoreTerm(near.found, fuzzyWeight(term.length, near.distance), node, sets, clauseBit);
      }
    },
  };
}

function multiplyByTerms(set: DocumentSet, from: number, to: number): void {
  if (to - from < 2) return;
  for (let i = 0; i < set.count; i++) {
    const doc = set.docs[i] ?? 0;
    set.scores[doc] = (set.scores[doc] ?? 0) * countBits(set.bits, doc * set.words, from, to);
  }
}
