import {
  needsRow,
  ownerMatches,
  type RowAttributes,
  rowMatches,
  type SessionCondition,
} from "../session-condition.ts";
import { checkPhrase, phrasePlaces, type Texts } from "./check-phrases.ts";
import { evaluate } from "./evaluate.ts";
import { contextOf } from "./index-schema.ts";
import type { IndexView } from "./index-view.ts";
import { exactNode } from "./query-node.ts";
import { documentsIn } from "./scorer.ts";
import type { PhraseClause, SearchFilter, SearchPlan, WordClause } from "./search-plan.ts";

/** Which sessions and turns may be hits. */
export interface SessionScope {
  accepts(session: number): boolean;
  /** undefined if all turns may be hits. */
  readonly turnPasses: ((turn: number) => boolean) | undefined;
  /** Whether a session may be a hit by its card alone. */
  cardPasses(session: number): boolean;
  /**
   * False if more texts may have an excluded phrase than could be read. A session counts until it is known to be
   * excluded.
   */
  readonly isComplete: boolean;
}

export function createScope(
  view: IndexView,
  plan: Pick<SearchPlan, "filter" | "excluded">,
  boosts: readonly number[],
): SessionScope {
  const { filter } = plan;
  const excluded = excludedSessions(view, plan, boosts);
  const turnPasses = createTurnFilter(view, filter);
  const gone = view.gone();
  const passes = createSessionFilter(view, filter);

  return {
    isComplete: excluded.isComplete,
    accepts: (session) =>
      gone[session] === 0 && excluded.sessions?.[session] !== 1 && (passes?.(session) ?? true),
    turnPasses,
    cardPasses(session) {
      if (turnPasses === undefined) return true;
      let hasTurns = false;
      for (const [from, to] of view.turnsOf(session)) {
        hasTurns ||= from < to;
        for (let turn = from; turn < to; turn++) if (turnPasses(turn)) return true;
      }
      // A session without turns passes by its own time.
      return (
        !hasTurns &&
        filter.contexts === undefined &&
        isWithin(view.sessionTimes()[session] ?? Number.NaN, filter)
      );
    },
  };
}

/** undefined if the filter has no conditions on sessions. */
function createSessionFilter(
  view: IndexView,
  { only, not = [] }: SearchFilter,
): ((session: number) => boolean) | undefined {
  if (only === undefined && not.length === 0) return undefined;
  const required = only === undefined ? undefined : createConditionTest(view, only);
  const excluding = not.map((condition) => createConditionTest(view, condition));
  return (session) => required?.(session) !== false && !excluding.some((test) => test(session));
}

function createConditionTest(view: IndexView, condition: SessionCondition): (session: number) => boolean {
  const keys = condition.keys === undefined ? undefined : new Set(condition.keys);
  const isInRow = needsRow(condition);
  return (session) => {
    if (keys?.has(view.key(session)) === false) return false;
    const source = view.sourceOf(session);
    if (!ownerMatches(source, condition)) return false;
    if (!isInRow) return true;
    const row: RowAttributes = JSON.parse(view.row(session));
    return rowMatches(row, condition, source.machine);
  };
}

function createTurnFilter(view: IndexView, filter: SearchFilter): ((turn: number) => boolean) | undefined {
  const { since, until, contexts } = filter;
  const byTime = since !== undefined || until !== undefined;
  if (!byTime && contexts === undefined) return undefined;
  const times = byTime ? view.turnTimes() : undefined;
  const flags = contexts === undefined ? undefined : view.turnFlags();
  const from = since ?? Number.NEGATIVE_INFINITY;
  const to = until ?? Number.POSITIVE_INFINITY;
  return (turn) => {
    if (flags !== undefined && contexts?.includes(contextOf(flags[turn] ?? 0)) === false) return false;
    if (times === undefined) return true;
    const at = times[turn] ?? Number.NaN;
    return at >= from && at <= to;
  };
}

/** NaN is never within. */
function isWithin(at: number, { since, until }: SearchFilter): boolean {
  return at >= (since ?? at) && at <= (until ?? at);
}

/** The maximum number of texts that are read to find excluded phrases: up to 0.3 s. */
const MAX_TEXTS = 4_000;

interface ExcludedSessions {
  /** 1 for each session with an excluded word or phrase in any of its documents; undefined if nothing is excluded. */
  readonly sessions: Uint8Array | undefined;
  readonly isComplete: boolean;
}

function excludedSessions(
  view: IndexView,
  { excluded }: Pick<SearchPlan, "excluded">,
  boosts: readonly number[],
): ExcludedSessions {
  if (excluded.length === 0) return { sessions: undefined, isComplete: true };
  const sessions = new Uint8Array(view.space.card);
  const words = excluded.filter((clause) => clause.kind === "word");
  const phrases = excluded.filter((clause) => clause.kind === "phrase");
  if (words.length > 0) excludeByWords(view, words, boosts, sessions);
  const isComplete = phrases.length === 0 || excludeByPhrases(view, phrases, sessions);
  return { sessions, isComplete };
}

function excludeByWords(
  view: IndexView,
  words: readonly WordClause[],
  boosts: readonly number[],
  excluded: Uint8Array,
): void {
  const nodes = words.map((clause) => exactNode(clause, { fields: view.fields, has: () => false }));
  const { card, turn } = evaluate(view, nodes, boosts);
  for (const session of documentsIn(card)) excluded[session] = 1;
  const sessionOf = view.sessionsOfTurns();
  for (const document of documentsIn(turn)) excluded[sessionOf[document] ?? 0] = 1;
}

/** Returns false if there were more texts than may be read. */
function excludeByPhrases(view: IndexView, phrases: readonly PhraseClause[], excluded: Uint8Array): boolean {
  const places = phrasePlaces(view, phrases);
  const tests = phrases.map(checkPhrase);
  let opened = 0;
  const has = (
    isPlace: (document: number, clause: number) => boolean,
    texts: (document: number) => Texts,
    document: number,
  ): boolean =>
    tests.some((test, clause) => {
      if (!isPlace(document, clause)) return false;
      return opened++ < MAX_TEXTS && test(texts(document));
    });
  const { card, turn } = places.documents();
  for (const session of card)
    if (excluded[session] === 0 && has(places.inCard, view.cardTexts, session)) excluded[session] = 1;
  const sessionOf = view.sessionsOfTurns();
  for (const document of turn) {
    const session = sessionOf[document] ?? 0;
    if (excluded[session] === 1) continue;
    if (has(places.inTurn, view.turnTexts, document) || has(places.apart, view.turnTextsApart, document))
      excluded[session] = 1;
  }
  return opened <= MAX_TEXTS;
}
