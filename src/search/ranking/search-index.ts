import type {
  MatchKind,
  MissingWord,
  NearestWords,
  SearchAnswer,
  SessionHit,
  TurnHit,
  UnstoredTerm,
} from "../engine.ts";
import { editDistance } from "../query/nearest.ts";
import { type SessionScores, scoreSessions } from "./aggregate-by-session.ts";
import { checkPhrases, hasPhrases, type RankedSession } from "./check-phrases.ts";
import { type Evaluation, evaluate } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import {
  type ClauseOptions,
  exactNode,
  isPresent,
  looseNode,
  type QueryNode,
  queryTerms,
} from "./query-node.ts";
import { countUses, isIndexed, unstoredTurns } from "./scorer.ts";
import type { Clause, SearchPlan } from "./search-plan.ts";
import { createScope, type SessionScope } from "./session-scope.ts";
import { timeFactor } from "./time-factor.ts";

/**
 * Evaluates a query once: words that the index has exactly, others with prefixes and typos. By relevance every session
 * that has any of the words is ranked. By time, and with phrases, only those that have all words are hits, unless there
 * are none: a session that lacks a word would otherwise come first for being the newest.
 */
export function searchIndex(view: IndexView, given: SearchPlan): SearchAnswer {
  const narrowing = given.narrowing ?? [];
  const plan = { ...given, clauses: [...narrowing, ...given.clauses] };
  const boosts = view.fields.map((field) => field.boost);
  const scope = createScope(view, plan, boosts);
  if (plan.clauses.length === 0) return browse(view, plan, scope);
  const options = clauseOptions(view);
  const { nodes, isLoose } = queryNodes(plan.clauses, options);
  const evaluation = evaluate(view, nodes, boosts);
  const scores = scoreSessions(view, evaluation, scope, narrowing.length);
  const found = findSessions(view, plan, scores, isLoose ? "fuzzy" : "all");
  const terms = [...new Set(evaluation.termsOfClauses.flatMap((of) => [...of]))].sort();
  return {
    kind: "answer",
    match: found.total === 0 ? "none" : found.match,
    total: found.total,
    ranked: found.ranked,
    totalIsExact: found.isComplete && scope.isComplete,
    hits: found.sessions
      .slice(plan.offset, plan.offset + plan.limit)
      .map((each) => toHit(view, plan, found, each, terms)),
    terms,
    nearestWords: found.total === 0 ? nearestWords(view, queryTerms(nodes)) : [],
    missingWords: missingWords(plan.clauses, evaluation, options),
  };
}

function clauseOptions(view: IndexView): ClauseOptions {
  return {
    fields: view.fields,
    has: view.statistics?.has ?? ((term) => isIndexed(view, term)),
    hasPrefix:
      view.statistics?.hasPrefix ??
      ((prefix) => view.withPrefix(prefix).some((term) => countUses(view, term) > 0)),
  };
}

/** Returns the clauses as query nodes, and whether any of them has other words in place of its own. */
export function queryNodes(
  clauses: readonly Clause[],
  options: ClauseOptions,
): { readonly nodes: readonly QueryNode[]; readonly isLoose: boolean } {
  const loose = clauses.map((clause) => looseNode(clause, options));
  return {
    nodes: clauses.map((clause, i) => loose[i] ?? exactNode(clause, options)),
    isLoose: loose.some((node) => node !== undefined),
  };
}

/** The sessions of an answer. */
interface Found {
  /** How the sessions with every word match. */
  readonly match: Exclude<MatchKind, "none">;
  readonly scores: Omit<SessionScores, "bound" | "sessions">;
  /** Best first, at least as many as the page needs. */
  readonly sessions: readonly RankedSession[];
  readonly total: number;
  readonly ranked: number;
  readonly isComplete: boolean;
  /** Whether a matching turn may be shown. */
  isShown(turn: number): boolean;
}

/** `whole`: how a session with every word matches. */
function findSessions(
  view: IndexView,
  plan: SearchPlan,
  scores: SessionScores,
  whole: "all" | "fuzzy",
): Found {
  const { sessions, hasAll } = scores;
  const complete = sessions.filter(hasAll);
  const count = plan.offset + plan.limit;
  const found = (candidates: readonly number[], match: Found["match"], total: number): Found => ({
    match,
    scores,
    sessions: rankSessions(view, scores, candidates, plan, count),
    total,
    ranked: candidates.length,
    isComplete: true,
    isShown: () => true,
  });
  if (hasPhrases(plan.clauses)) {
    const ranked = rankSessions(view, scores, complete, plan, complete.length);
    const checked = checkPhrases(view, plan.clauses, scores, ranked, count);
    const { length } = checked.sessions;
    if (length > 0) return { ...checked, match: whole, scores, total: length, ranked: length };
    return found(sessions, "some", sessions.length);
  }
  if (complete.length === 0) return found(sessions, "some", sessions.length);
  return found(plan.sort === "relevance" ? sessions : complete, whole, complete.length);
}

/** Returns every session that passes the filter, for a query without words. */
function browse(view: IndexView, plan: SearchPlan, scope: SessionScope): SearchAnswer {
  const passing: number[] = [];
  for (let session = 0; session < view.space.card; session++) {
    if (scope.accepts(session) && scope.cardPasses(session)) passing.push(session);
  }
  const scores = {
    score: () => 0,
    hasAll: () => true,
    hasCard: () => false,
    turns: () => [],
    turnScore: () => 0,
  };
  const { offset, limit, sort } = plan;
  const sessions = rankByTime(view, scores, passing, sort === "relevance" ? "newest" : sort, offset + limit);
  const total = passing.length;
  const found: Found = {
    match: "all",
    scores,
    sessions,
    total,
    ranked: total,
    isComplete: true,
    isShown: () => true,
  };
  return {
    kind: "answer",
    match: total === 0 ? "none" : "all",
    total,
    ranked: total,
    totalIsExact: scope.isComplete,
    hits: sessions.slice(offset).map((each) => toHit(view, plan, found, each, [])),
    terms: [],
    nearestWords: [],
    missingWords: [],
  };
}

/** Returns the best `limit` sessions, best first. Scores are raised a little if a session is recent or near a date. */
function rankSessions(
  view: IndexView,
  scores: SessionScores,
  sessions: readonly number[],
  { sort, now, dates = [] }: SearchPlan,
  limit: number,
): RankedSession[] {
  const times = view.sessionTimes();
  const factor = (session: number): number => timeFactor(times[session] ?? Number.NaN, now, dates);
  const factored = {
    bound: (session: number) => scores.bound(session) * factor(session),
    score: (session: number) => scores.score(session) * factor(session),
  };
  if (sort === "relevance") return rankByScore(view, factored, sessions, limit);
  return rankByTime(view, factored, sessions, sort, limit);
}

type Scored = Pick<SessionScores, "bound" | "score">;

/**
 * Ranks by score. Only sessions whose bound reaches the page are scored: first those with the highest bounds, then
 * those whose bound is at least the lowest score among these.
 */
function rankByScore(
  view: IndexView,
  { bound, score }: Scored,
  sessions: readonly number[],
  limit: number,
): RankedSession[] {
  const bounds = sessions.map(bound);
  const least = leastOfBest(bounds, limit);
  const scored: RankedSession[] = [];
  const scoreFrom = (from: number, to: number): void =>
    sessions.forEach((session, i) => {
      const at = bounds[i] ?? 0;
      if (at >= from && at < to) scored.push({ session, score: score(session) });
    });
  scoreFrom(least, Number.POSITIVE_INFINITY);
  const reached = leastOfBest(
    scored.map((each) => each.score),
    limit,
  );
  scoreFrom(reached, least);
  return scored.sort((a, b) => b.score - a.score || compareKeys(view, a.session, b.session)).slice(0, limit);
}

/** Returns the smallest of the `count` greatest numbers; less than any if there are fewer numbers. */
function leastOfBest(numbers: readonly number[], count: number): number {
  if (numbers.length < count) return Number.NEGATIVE_INFINITY;
  return Float64Array.from(numbers).sort()[numbers.length - count] ?? Number.NEGATIVE_INFINITY;
}

/** Ranks by time, sessions without a time last. */
function rankByTime(
  view: IndexView,
  { score }: Pick<Scored, "score">,
  sessions: readonly number[],
  sort: "newest" | "oldest",
  limit: number,
): RankedSession[] {
  const times = view.sessionTimes();
  const sign = sort === "newest" ? 1 : -1;
  const gradeOf = (session: number): number => {
    const at = times[session] ?? Number.NaN;
    return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : sign * at;
  };
  const grades = sessions.map(gradeOf);
  const least = leastOfBest(grades, limit);
  return sessions
    .filter((_, i) => (grades[i] ?? 0) >= least)
    .map((session) => ({ session, score: score(session) }))
    .sort(
      (a, b) =>
        compareNumbers(gradeOf(b.session), gradeOf(a.session)) ||
        b.score - a.score ||
        compareKeys(view, a.session, b.session),
    )
    .slice(0, limit);
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Breaks ties by key, so that the order does not depend on how the index was built. */
function compareKeys(view: IndexView, a: number, b: number): number {
  return view.key(a) < view.key(b) ? -1 : 1;
}

/** A session in the form of an answer, with the texts of its best turns. */
function toHit(
  view: IndexView,
  plan: SearchPlan,
  found: Found,
  { session, score }: RankedSession,
  terms: readonly string[],
): SessionHit {
  const { scores } = found;
  const matching = scores.turns(session).filter(found.isShown);
  const turns = bestPassages(view, matching);
  // The card is only shown if there are too few turns, and reading its texts costs as much as reading a turn's.
  const needsCard = scores.hasCard(session) && turns.length < plan.turnsPerHit;
  return {
    key: view.key(session),
    source: view.sourceOf(session),
    row: view.row(session),
    score,
    match: scores.hasAll(session) ? found.match : "some",
    card: needsCard ? view.cardTexts(session) : undefined,
    turns: turns.slice(0, plan.turnsPerHit).map((document) => turnHit(view, scores, document)),
    matchingTurns: turns.length,
    unstored: unstoredTerms(view, matching, terms),
  };
}

/** If there are more terms, as for a short prefix, some of them are in a stored text. */
const MAX_UNSTORED = 32;

/** Finds the rare terms that matching turns have in fields whose texts are not stored. */
function unstoredTerms(
  view: IndexView,
  turns: readonly number[],
  terms: readonly string[],
): readonly UnstoredTerm[] {
  if (terms.length > MAX_UNSTORED) return [];
  return terms.flatMap((term) => {
    const having = unstoredTurns(view, term);
    const document = turns.find((turn) => having.has(turn));
    if (document === undefined) return [];
    const { number: turn, at, context } = view.turn(document);
    return [{ term, turn, at, context }];
  });
}

function turnHit(view: IndexView, scores: Found["scores"], document: number): TurnHit {
  const { number, at, context } = view.turn(document);
  return {
    turn: number,
    at,
    context,
    score: scores.turnScore(document),
    fields: view.turnTexts(document),
    fieldsApart: async () => view.turnTextsApart(document),
  };
}

/** Keeps the best document of each turn and context, in order: a long turn is several documents. */
function bestPassages(view: IndexView, documents: readonly number[]): readonly number[] {
  const seen = new Set<string>();
  return documents.filter((document) => {
    const { number, context } = view.turn(document);
    const before = seen.size;
    return seen.add(`${number} ${context}`).size > before;
  });
}

/** How many words are named in place of a missing one. */
const SHOWN_INSTEAD = 3;

/** Returns the words of the query that no session has, and the words found in their place. */
function missingWords(
  clauses: readonly Clause[],
  { termsOfClauses }: Evaluation,
  options: ClauseOptions,
): MissingWord[] {
  return clauses.flatMap((clause, i) => {
    const word = clause.kind === "phrase" ? undefined : clause.text;
    if (word === undefined || isPresent(clause, options)) return [];
    const distance = (term: string): number => editDistance(word.toLowerCase(), term, word.length);
    const showing = [...(termsOfClauses[i] ?? [])].sort(
      (a, b) => distance(a) - distance(b) || (a < b ? -1 : 1),
    );
    return [{ word, showing: showing.slice(0, SHOWN_INSTEAD) }];
  });
}

/** How many words are suggested for one, and for how many candidates the documents are counted. */
const SUGGESTIONS = 3;
const COUNTED = 12;

/** Suggests words of the index for words that it does not have. */
function nearestWords(view: IndexView, words: Iterable<string>): NearestWords[] {
  const found: NearestWords[] = [];
  for (const word of words) {
    if (isIndexed(view, word)) continue;
    const nearest = nearestTo(view, word);
    if (nearest.length > 0) found.push({ word, nearest });
  }
  return found;
}

function nearestTo(view: IndexView, word: string): string[] {
  const maxDistance = word.length < 4 ? 1 : word.length < 8 ? 2 : 3;
  // The first letter is rarely mistyped, and this leaves out most of the dictionary.
  const candidates = [...view.near(word, maxDistance, true)]
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        Math.abs(a.found.term.length - word.length) - Math.abs(b.found.term.length - word.length),
    )
    .slice(0, COUNTED)
    .map(({ found, distance }) => ({ term: found.term, distance, uses: countUses(view, found) }))
    .filter(({ uses }) => uses > 0);
  candidates.sort((a, b) => a.distance - b.distance || b.uses - a.uses || (a.term < b.term ? -1 : 1));
  return candidates.slice(0, SUGGESTIONS).map(({ term }) => term);
}
