import { once } from "../../fs/once.ts";
import type { MatchKind, SearchAnswer, SessionHit, TurnHit } from "../engine.ts";
import { clauseNode } from "./clause-nodes.ts";
import { type Evaluation, evaluate } from "./evaluate.ts";
import { excludedSessions } from "./excluded-sessions.ts";
import type { IndexView } from "./index-view.ts";
import { nearestWords } from "./nearest-words.ts";
import { checkPhrases, hasPhrases, type PhraseCheck } from "./phrase-check.ts";
import { isIndexed, type QueryNode, termsOf } from "./query-node.ts";
import { type RankedSession, rankSessions } from "./rank.ts";
import type { Clause, SearchPlan } from "./search-plan.ts";
import { createScope } from "./search-plan.ts";
import { type SessionScope, type SessionScores, scoreSessions } from "./session-scores.ts";

/**
 * Asks in tiers: every word as it is; every word with prefixes and typos; some words. The first tier
 * that gives anything is the answer, so that the words of a hit are always what `match` says. The
 * middle tier is the expensive one (it walks dictionaries) and only runs if the first gave nothing.
 */
export function searchIndex(view: IndexView, asked: SearchPlan): SearchAnswer {
  const narrowing = asked.narrowing ?? [];
  const plan = { ...asked, wanted: [...narrowing, ...asked.wanted] };
  const boosts = view.fields.map((field) => field.boost);
  const excluded = excludedSessions(view, plan, boosts);
  const scope = createScope(view, plan.filter, excluded.sessions);
  if (plan.wanted.length === 0) return { ...browse(view, plan, scope), totalIsExact: excluded.isComplete };
  const tiers = createTiers(view, plan, narrowing.length, scope, boosts);

  const wantedHits = plan.offset + plan.limit;
  let tier: Tier | undefined;
  for (const next of tiers) {
    tier = next();
    if (tier !== undefined && tier.total > 0) break;
  }
  if (tier === undefined || tier.total === 0) return noAnswer(view, plan);
  const answering = tier;
  return {
    kind: "answer",
    match: tier.match,
    total: tier.total,
    totalIsExact: tier.checked.isComplete && excluded.isComplete,
    hits: tier.checked.sessions
      .slice(plan.offset, wantedHits)
      .map((ranked) => toHit(view, plan, answering, ranked)),
    terms: [...tier.terms].sort(),
    nearestWords: [],
  };
}

function createTiers(
  view: IndexView,
  plan: SearchPlan,
  narrowing: number,
  scope: SessionScope,
  boosts: readonly number[],
): readonly (() => Tier | undefined)[] {
  const run = (isLoose: (term: string) => boolean): { evaluation: Evaluation; scores: SessionScores } => {
    const nodes = readClauses(view, plan.wanted, isLoose);
    const evaluation = evaluate(view, nodes, boosts);
    return { evaluation, scores: scoreSessions(view, evaluation, scope) };
  };
  const exact = once(() => run(() => false));
  const tier = (match: Exclude<MatchKind, "none">, { evaluation, scores }: ReturnType<typeof run>): Tier => {
    const kept =
      match === "some"
        ? scores.sessions.filter((session) => scores.clausesOf(session, narrowing) === narrowing)
        : withNearlyAll(plan, narrowing, scores);
    const limit = hasPhrases(plan.wanted) ? kept.length : (plan.offset + plan.limit) * 2;
    const ranked = rankSessions(view, scores, kept, plan, limit);
    const checked = checkPhrases(view, plan.wanted, scores, ranked, {
      optional: match === "some",
      enough: plan.offset + plan.limit,
    });
    const total = hasPhrases(plan.wanted) ? checked.sessions.length : kept.length;
    return { match, scores, checked, total, terms: evaluation.terms };
  };
  const isMissing = (term: string): boolean => !isIndexed(view, term);

  return [
    () => tier("all", exact()),
    () =>
      // A phrase has no typos: asked alone, there is nothing else to be found.
      plan.wanted.every(({ kind }) => kind === "phrase")
        ? undefined
        : tier(
            "fuzzy",
            run(() => true),
          ),
    () => {
      // A word that the index does not have is taken for the nearest ones; the others as they are.
      const asked = termsOf(readClauses(view, plan.wanted, () => false));
      const some = [...asked].some(isMissing) ? run(isMissing) : exact();
      return tier("some", some);
    },
  ];
}

/** Of so many words one may be missing. */
const WORDS_PER_MISS = 3;

/**
 * The sessions that have every word. A long one may have all of them scattered about, and the one that is
 * meant all but one, side by side: what scores higher than the best of the former is taken in, too.
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

function readClauses(
  view: IndexView,
  clauses: readonly Clause[],
  isLoose: (term: string) => boolean,
): QueryNode[] {
  const reading = { fields: view.fields, isLoose, has: (term: string) => isIndexed(view, term) };
  return clauses.map((clause) => clauseNode(clause, reading));
}

/** No words: every session that passes the filter. */
function browse(view: IndexView, plan: SearchPlan, scope: SessionScope): SearchAnswer {
  const passing: number[] = [];
  for (let session = 0; session < view.space.card; session++) {
    if (scope.accepts(session) && scope.cardPasses(session)) passing.push(session);
  }
  const sessions = Uint32Array.from(passing);
  const none: SessionScores = {
    sessions,
    score: () => 0,
    hasAll: () => true,
    clausesOf: () => 0,
    hasCard: () => false,
    turns: () => [],
    turnScore: () => 0,
  };
  const sort = plan.sort === "relevance" ? "newest" : plan.sort;
  const ranked = rankSessions(view, none, sessions, { sort, now: plan.now }, plan.offset + plan.limit);
  const tier: Tier = {
    match: "all",
    scores: none,
    checked: { sessions: ranked, isComplete: true, isChecked: () => true },
    total: sessions.length,
    terms: new Set(),
  };
  return {
    kind: "answer",
    match: sessions.length === 0 ? "none" : "all",
    total: sessions.length,
    totalIsExact: true,
    hits: ranked
      .slice(plan.offset, plan.offset + plan.limit)
      .map((session) => toHit(view, plan, tier, session)),
    terms: [],
    nearestWords: [],
  };
}

function noAnswer(view: IndexView, plan: SearchPlan): SearchAnswer {
  return {
    kind: "answer",
    match: "none",
    total: 0,
    totalIsExact: true,
    hits: [],
    terms: [],
    nearestWords: nearestWords(view, termsOf(readClauses(view, plan.wanted, () => false))),
  };
}

/** One way of matching that gave something. */
interface Tier {
  readonly match: Exclude<MatchKind, "none">;
  readonly scores: SessionScores;
  readonly checked: PhraseCheck;
  readonly total: number;
  readonly terms: ReadonlySet<string>;
}

/** A session as an answer has it, with the texts of its best turns. */
function toHit(view: IndexView, plan: SearchPlan, tier: Tier, { session, score }: RankedSession): SessionHit {
  const turns = bestPassages(
    view,
    tier.scores.turns(session).filter((turn) => tier.checked.isChecked(turn)),
  );
  return {
    key: view.key(session),
    row: view.row(session),
    score,
    match: tier.scores.hasAll(session) ? tier.match : "some",
    // The card is shown where turns are wanting: opening its texts costs as much as opening a turn's.
    card:
      tier.scores.hasCard(session) && turns.length < plan.turnsPerHit ? view.cardTexts(session) : undefined,
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
    fieldsApart: () => view.turnTextsApart(document),
  };
}

/** A long turn is several documents: of each turn and place the best one, in their order. */
function bestPassages(view: IndexView, documents: readonly number[]): readonly number[] {
  const seen = new Set<string>();
  return documents.filter((document) => {
    const { number, context } = view.turn(document);
    const before = seen.size;
    return seen.add(`${number} ${context}`).size > before;
  });
}
