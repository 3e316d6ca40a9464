import { once } from "../../fs/once.ts";
import type { MatchKind, NearestWords, SearchAnswer, SessionHit, TurnHit } from "../engine.ts";
import { type SessionScores, scoreSessions } from "./aggregate-by-session.ts";
import { checkPhrases, hasPhrases, type PhraseCheck, type RankedSession } from "./check-phrases.ts";
import { countUses, type Evaluation, evaluate, isIndexed } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import { clauseNode, type QueryNode, queryTerms } from "./query-node.ts";
import type { Clause, SearchPlan } from "./search-plan.ts";
import { createScope, type SessionScope } from "./session-scope.ts";

/**
 * Searches in tiers: every word as it is; every word with prefixes and typos; some words. The first tier with a hit is
 * the answer, so `match` always says what the hits have. The middle tier is the expensive one (it walks dictionaries)
 * and only runs if the first found nothing.
 */
export function searchIndex(view: IndexView, given: SearchPlan): SearchAnswer {
  const narrowing = given.narrowing ?? [];
  const plan = { ...given, wanted: [...narrowing, ...given.wanted] };
  const boosts = view.fields.map((field) => field.boost);
  const scope = createScope(view, plan, boosts);
  if (plan.wanted.length === 0) return browse(view, plan, scope);
  for (const run of createTiers(view, plan, narrowing.length, scope, boosts)) {
    const tier = run();
    if (tier === undefined || tier.total === 0) continue;
    return {
      kind: "answer",
      match: tier.match,
      total: tier.total,
      totalIsExact: tier.checked.isComplete && scope.isComplete,
      hits: pageOf(view, plan, tier),
      terms: [...tier.terms].sort(),
      nearestWords: [],
    };
  }
  return {
    kind: "answer",
    match: "none",
    total: 0,
    totalIsExact: true,
    hits: [],
    terms: [],
    nearestWords: nearestWords(view, queryTerms(queryNodes(view, plan.wanted, () => false))),
  };
}

/** Returns every session that passes the filter, for a query without words. */
function browse(view: IndexView, plan: SearchPlan, scope: SessionScope): SearchAnswer {
  const passing: number[] = [];
  for (let session = 0; session < view.space.card; session++) {
    if (scope.accepts(session) && scope.cardPasses(session)) passing.push(session);
  }
  const sessions = Uint32Array.from(passing);
  const scores: SessionScores = {
    sessions,
    score: () => 0,
    hasAll: () => true,
    clausesOf: () => 0,
    hasCard: () => false,
    turns: () => [],
    turnScore: () => 0,
  };
  const sort = plan.sort === "relevance" ? "newest" : plan.sort;
  const ranked = rankSessions(view, scores, sessions, { sort, now: plan.now }, plan.offset + plan.limit);
  const tier: Tier = {
    match: "all",
    scores,
    checked: { sessions: ranked, isComplete: true, isChecked: () => true },
    total: sessions.length,
    terms: new Set(),
  };
  return {
    kind: "answer",
    match: sessions.length === 0 ? "none" : "all",
    total: sessions.length,
    totalIsExact: scope.isComplete,
    hits: pageOf(view, plan, tier),
    terms: [],
    nearestWords: [],
  };
}

/** The result of one way to match. */
interface Tier {
  readonly match: Exclude<MatchKind, "none">;
  readonly scores: SessionScores;
  readonly checked: PhraseCheck;
  readonly total: number;
  readonly terms: ReadonlySet<string>;
}

function createTiers(
  view: IndexView,
  plan: SearchPlan,
  narrowing: number,
  scope: SessionScope,
  boosts: readonly number[],
): readonly (() => Tier | undefined)[] {
  const run = (isLoose: (term: string) => boolean): { evaluation: Evaluation; scores: SessionScores } => {
    const evaluation = evaluate(view, queryNodes(view, plan.wanted, isLoose), boosts);
    return { evaluation, scores: scoreSessions(view, evaluation, scope) };
  };
  const exact = once(() => run(() => false));
  const tier = (match: Exclude<MatchKind, "none">, { evaluation, scores }: ReturnType<typeof run>): Tier => {
    const matching =
      match === "some"
        ? scores.sessions.filter((session) => scores.clausesOf(session, narrowing) === narrowing)
        : withNearlyAll(plan, narrowing, scores);
    const limit = hasPhrases(plan.wanted) ? matching.length : (plan.offset + plan.limit) * 2;
    const ranked = rankSessions(view, scores, matching, plan, limit);
    const checked = checkPhrases(view, plan.wanted, scores, ranked, {
      optional: match === "some",
      enough: plan.offset + plan.limit,
    });
    const total = hasPhrases(plan.wanted) ? checked.sessions.length : matching.length;
    return { match, scores, checked, total, terms: evaluation.terms };
  };
  const isMissing = (term: string): boolean => !isIndexed(view, term);
  const all = (): Tier => tier("all", exact());
  const fuzzy = (): Tier | undefined => {
    // A phrase has no typos, so phrases alone find nothing more.
    if (plan.wanted.every(({ kind }) => kind === "phrase")) return undefined;
    return tier(
      "fuzzy",
      run(() => true),
    );
  };
  const some = (): Tier => {
    // A word that the index does not have stands for the words nearest to it; the others stay as they are.
    const terms = queryTerms(queryNodes(view, plan.wanted, () => false));
    return tier("some", [...terms].some(isMissing) ? run(isMissing) : exact());
  };
  return [all, fuzzy, some];
}

function queryNodes(
  view: IndexView,
  clauses: readonly Clause[],
  isLoose: (term: string) => boolean,
): QueryNode[] {
  const options = { fields: view.fields, isLoose, has: (term: string) => isIndexed(view, term) };
  return clauses.map((clause) => clauseNode(clause, options));
}

/** One word in this many may be missing. */
const WORDS_PER_MISS = 3;

/**
 * Returns the sessions that have every word, and those that lack few but score higher than the best of them: a long
 * session may have all words scattered about, while the right one has all but one next to each other.
 */
function withNearlyAll(
  plan: SearchPlan,
  narrowing: number,
  { sessions, score, hasAll, clausesOf }: SessionScores,
): Uint32Array {
  const whole = sessions.filter(hasAll);
  const least = plan.wanted.length - Math.floor((plan.wanted.length - narrowing) / WORDS_PER_MISS);
  if (whole.length === 0 || least === plan.wanted.length || plan.sort !== "relevance") return whole;
  if (hasPhrases(plan.wanted)) return whole;
  const best = whole.reduce((most, session) => Math.max(most, score(session)), 0);
  return sessions.filter(
    (session) =>
      hasAll(session) ||
      (clausesOf(session) >= least && clausesOf(session, narrowing) === narrowing && score(session) > best),
  );
}

/** By how much the score of a session of today is raised, and after what time by half of that. */
const RECENCY = 0.1;
const HALF_LIFE_MS: number = 30 * 24 * 60 * 60 * 1000;

function recencyFactor(at: number, now: number): number {
  if (Number.isNaN(at)) return 1;
  return 1 + RECENCY * 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS);
}

/**
 * Returns the best `limit` sessions, best first; recent ones count a little more. Ties are broken by key, so the same
 * sessions give the same answer however the index was built.
 */
function rankSessions(
  view: IndexView,
  scores: SessionScores,
  sessions: Uint32Array,
  plan: Pick<SearchPlan, "sort" | "now">,
  limit: number,
): RankedSession[] {
  const times = view.sessionTimes();
  const scoreOf = (session: number): number =>
    scores.score(session) * recencyFactor(times[session] ?? Number.NaN, plan.now);
  const sign = plan.sort === "newest" ? 1 : -1;
  // The larger the better; sessions without a time come last in either order.
  const gradeOf = (session: number): number => {
    if (plan.sort === "relevance") return scoreOf(session);
    const at = times[session] ?? Number.NaN;
    return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : sign * at;
  };
  const compareEqual = (a: number, b: number): number =>
    scoreOf(b) - scoreOf(a) || compareKeys(view.key(a), view.key(b));
  return pickBest(sessions, limit, gradeOf, compareEqual).map((session) => ({
    session,
    score: scoreOf(session),
  }));
}

/**
 * Returns the first `limit` sessions as if all were sorted. A word that is everywhere matches thousands of sessions,
 * of which ten are shown: most are dismissed after one comparison.
 */
function pickBest(
  sessions: Uint32Array,
  limit: number,
  gradeOf: (session: number) => number,
  compareEqual: (a: number, b: number) => number,
): number[] {
  const best: { readonly session: number; readonly grade: number }[] = [];
  const compare = (a: (typeof best)[number], b: (typeof best)[number]): number =>
    b.grade - a.grade || compareEqual(a.session, b.session);
  // Sorted only now and then: more than twice the limit is kept in between.
  const capacity = limit * 2 + 64;
  let least = Number.NEGATIVE_INFINITY;
  const trim = (): void => {
    best.sort(compare);
    if (best.length > limit) best.length = limit;
    if (best.length === limit) least = best.at(-1)?.grade ?? least;
  };
  for (const session of sessions) {
    const grade = gradeOf(session);
    if (grade < least) continue;
    best.push({ session, grade });
    if (best.length >= capacity) trim();
  }
  trim();
  return best.map(({ session }) => session);
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function pageOf(view: IndexView, plan: SearchPlan, tier: Tier): SessionHit[] {
  const page = tier.checked.sessions.slice(plan.offset, plan.offset + plan.limit);
  return page.map((ranked) => toHit(view, plan, tier, ranked));
}

/** A session as an answer has it, with the texts of its best turns. */
function toHit(view: IndexView, plan: SearchPlan, tier: Tier, { session, score }: RankedSession): SessionHit {
  const turns = bestPassages(
    view,
    tier.scores.turns(session).filter((turn) => tier.checked.isChecked(turn)),
  );
  // The card is only shown if there are too few turns, and reading its texts costs as much as reading a turn's.
  const needsCard = tier.scores.hasCard(session) && turns.length < plan.turnsPerHit;
  return {
    key: view.key(session),
    source: view.source,
    row: view.row(session),
    score,
    match: tier.scores.hasAll(session) ? tier.match : "some",
    card: needsCard ? view.cardTexts(session) : undefined,
    turns: turns.slice(0, plan.turnsPerHit).map((document) => turnHit(view, tier.scores, document)),
    matchingTurns: turns.length,
  };
}

function turnHit(view: IndexView, scores: SessionScores, document: number): TurnHit {
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

/** How many words are suggested for one, and of how many candidates the documents are counted. */
const SUGGESTIONS = 3;
const COUNTED = 12;

/** Suggests words of the index for those that it does not have. */
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
