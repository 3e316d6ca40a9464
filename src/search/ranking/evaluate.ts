import { assertNever } from "../../errors.ts";
import { readGroups } from "../paged/postings.ts";
import { type DocumentKind, MAX_FIELDS } from "./index-schema.ts";
import type { IndexPart, IndexTerm, IndexView } from "./index-view.ts";
import { type QueryNode, queryTerms, type TermNode } from "./query-node.ts";
import {
  type DocumentSet,
  fuzzyWeight,
  inverseFrequency,
  type PartGroup,
  prefixWeight,
  type ScoredSet,
  type Scorer,
  withScorer,
} from "./scorer.ts";

/** The documents of both kinds that match at least one clause, with their scores and what they match. */
export interface Evaluation {
  readonly card: DocumentSet;
  readonly turn: DocumentSet;
  /** The first bits of a document are clauses, in order; the bits after them are terms. */
  readonly clauses: number;
  /** Terms of the index that matched. */
  readonly terms: ReadonlySet<string>;
}

type Sets = Readonly<Record<DocumentKind, ScoredSet>>;

/**
 * Scores every document as one big MiniSearch of all documents would if its query were the clauses combined with OR:
 * the sum over terms and fields of BM25+, weighted for prefixes and typos, times the number of distinct terms that
 * match. Computed from the postings directly; docs/decisions/search-engine.md says why.
 */
export function evaluate(
  view: IndexView,
  clauses: readonly QueryNode[],
  boosts: readonly number[],
): Evaluation {
  return withScorer((scorer) => evaluateWith(scorer, view, clauses, boosts));
}

function evaluateWith(
  scorer: Scorer,
  view: IndexView,
  clauses: readonly QueryNode[],
  boosts: readonly number[],
): Evaluation {
  const terms = [...queryTerms(clauses)];
  const words = Math.max(1, Math.ceil((terms.length + clauses.length) / 32));
  const createSets = (): Sets => ({
    card: scorer.createSet(view.space.card, words),
    turn: scorer.createSet(view.space.turn, words),
  });
  const termBits = new Map(terms.map((term, i) => [term, clauses.length + i]));
  const termScorer = createTermScorer(view, scorer, boosts, termBits);
  const sets = createSets();
  clauses.forEach((clause, bit) => {
    if (clause.kind === "term") {
      termScorer.score(clause, sets, bit);
      return;
    }
    scorer.scoped(() => {
      const matching = evaluateNode(clause, scorer, createSets, termScorer);
      scorer.add(sets.card, matching.card, bit);
      scorer.add(sets.turn, matching.turn, bit);
    });
  });
  const finish = (set: ScoredSet): DocumentSet => {
    if (terms.length > 1) scorer.multiplyByBits(set, clauses.length, clauses.length + terms.length);
    return scorer.copyOf(set);
  };
  return {
    card: finish(sets.card),
    turn: finish(sets.turn),
    clauses: clauses.length,
    terms: termScorer.found,
  };
}

function evaluateNode(node: QueryNode, scorer: Scorer, createSets: () => Sets, terms: TermScorer): Sets {
  const result = createSets();
  if (node.kind === "term") {
    terms.score(node, result);
    return result;
  }
  node.nodes.forEach((child, i) => {
    if (child.kind === "term" && (i === 0 || node.kind === "any")) {
      terms.score(child, result);
      return;
    }
    const other = evaluateNode(child, scorer, createSets, terms);
    for (const kind of ["card", "turn"] as const) {
      if (i === 0 || node.kind === "any") scorer.add(result[kind], other[kind]);
      else if (node.kind === "all") scorer.intersect(result[kind], other[kind]);
      else if (node.kind === "without") scorer.subtract(result[kind], other[kind]);
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
  scorer: Scorer,
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
      const living = scorer.countLiving(each);
      if (living > 0) found.add(term.term);
      counts[each.group.field] = (counts[each.group.field] ?? 0) + living;
    }
    const bit = termBits.get(node.term) ?? 0;
    for (const each of groups) {
      const { part, kind } = each;
      const { field } = each.group;
      if ((node.fields & (1 << field)) === 0) continue;
      const idf = inverseFrequency(view.documents[kind], counts[field] ?? 0);
      scorer.scoreGroup(sets[kind], each, {
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
        // Terms with the prefix were scored above.
        if (near.distance === 0 || (node.prefix && term.startsWith(node.term))) continue;
        scoreTerm(near.found, fuzzyWeight(term.length, near.distance), node, sets, clauseBit);
      }
    },
  };
}

interface TermGroup extends PartGroup {
  readonly part: IndexPart;
  readonly kind: DocumentKind;
}

/** The postings of a term, by part and field. */
function groupsOf(view: IndexView, term: IndexTerm): readonly TermGroup[] {
  return view.postings(term).flatMap(({ part, bytes }) =>
    readGroups(bytes).map((group) => {
      const kind = view.fields[group.field]?.kind ?? "turn";
      const documents = kind === "card" ? part.sessions : part.turns;
      return { part, kind, bytes, group, documents, gone: part.gone(kind) };
    }),
  );
}

/** Counts the documents that have a term, once per field that has it. */
export function countUses(view: IndexView, term: IndexTerm): number {
  return withScorer((scorer) =>
    groupsOf(view, term).reduce((sum, group) => sum + scorer.countLiving(group), 0),
  );
}

/** Whether any document that is not deleted has a term. */
export function isIndexed(view: IndexView, term: string): boolean {
  const found = view.exact(term);
  return found !== undefined && countUses(view, found) > 0;
}
