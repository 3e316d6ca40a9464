import { assertNever } from "../../errors.ts";
import { fuzzyWeight, inverseFrequency, prefixWeight } from "./bm25.ts";
import type { DocumentSet } from "./document-set.ts";
import { type DocumentKind, MAX_FIELDS } from "./index-schema.ts";
import type { IndexTerm, IndexView } from "./index-view.ts";
import { groupsOf, type QueryNode, type TermNode, termsOf } from "./query-node.ts";
import { type ScoredSet, type Scorer, withScorer } from "./scorer.ts";

/** Documents of both kinds that match at least one clause, with scores and with what they match. */
export interface Evaluation {
  readonly card: DocumentSet;
  readonly turn: DocumentSet;
  /** The first bits of a document are clauses, in order; behind them are terms. */
  readonly clauses: number;
  /** Terms of the index that counted. */
  readonly terms: ReadonlySet<string>;
}

type Sets = Readonly<Record<DocumentKind, ScoredSet>>;

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
  return withScorer((room) => evaluateIn(room, view, clauses, boosts));
}

function evaluateIn(
  room: Scorer,
  view: IndexView,
  clauses: readonly QueryNode[],
  boosts: readonly number[],
): Evaluation {
  const terms = [...termsOf(clauses)];
  const words = Math.max(1, Math.ceil((terms.length + clauses.length) / 32));
  const createSets = (): Sets => ({
    card: room.createSet(view.space.card, words),
    turn: room.createSet(view.space.turn, words),
  });
  const termBits = new Map(terms.map((term, i) => [term, clauses.length + i]));
  const scorer = createTermScorer(view, room, boosts, termBits);
  const sets = createSets();
  clauses.forEach((clause, bit) => {
    if (clause.kind === "term") {
      scorer.score(clause, sets, bit);
      return;
    }
    room.passing(() => {
      const matching = evaluateNode(clause, room, createSets, scorer);
      room.add(sets.card, matching.card, bit);
      room.add(sets.turn, matching.turn, bit);
    });
  });
  const finish = (set: ScoredSet): DocumentSet => {
    if (terms.length > 1) room.multiplyByBits(set, clauses.length, clauses.length + terms.length);
    return room.copyOf(set);
  };
  return {
    card: finish(sets.card),
    turn: finish(sets.turn),
    clauses: clauses.length,
    terms: scorer.found,
  };
}

function evaluateNode(node: QueryNode, room: Scorer, createSets: () => Sets, scorer: TermScorer): Sets {
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
    const other = evaluateNode(child, room, createSets, scorer);
    for (const kind of ["card", "turn"] as const) {
      if (i === 0 || node.kind === "any") room.add(result[kind], other[kind]);
      else if (node.kind === "all") room.intersect(result[kind], other[kind]);
      else if (node.kind === "without") room.subtract(result[kind], other[kind]);
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
  room: Scorer,
  boosts: readonly number[],
  termBits: ReadonlyMap<string, number>,
): TermScorer {
  const found = new Set<string>();
  const counts = new Float64Array(MAX_FIELDS);

  const scoreTerm = (
    term: IndexTerm,
    weight: number,
    node: TermNode,
    sets: Sets,
    clauseBit: number | undefined,
  ): void => {
    const groups = groupsOf(view, term);
    counts.fill(0);
    for (const each of groups) {
      const living = room.countLiving(each);
      if (living > 0) found.add(term.term);
      counts[each.group.field] = (counts[each.group.field] ?? 0) + living;
    }
    const bit = termBits.get(node.term) ?? 0;
    for (const each of groups) {
      const { part, kind } = each;
      const { field } = each.group;
      if ((node.fields & (1 << field)) === 0) continue;
      const idf = inverseFrequency(view.documents[kind], counts[field] ?? 0);
      room.scoreGroup(sets[kind], each, {
        base: kind === "card" ? part.firstSession : part.firstTurn,
        lengths: part.lengths(field),
        averageLength: view.averageLengths[field] ?? 0,
        weight: weight * node.boost * (boosts[field] ?? 1) * idf,
        bit,
        clauseBit: clauseBit ?? bit,
      });
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
