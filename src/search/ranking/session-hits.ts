import type { Match, SessionHit, TurnHit } from "../engine.ts";
import type { IndexView } from "./index-view.ts";
import type { PhraseCheck } from "./phrase-check.ts";
import type { RankedSession } from "./rank.ts";
import type { SearchPlan } from "./search-plan.ts";
import type { SessionScores } from "./session-scores.ts";

/** One way of matching that gave something. */
export interface Tier {
  readonly match: Exclude<Match, "none">;
  readonly scores: SessionScores;
  readonly checked: PhraseCheck;
  readonly total: number;
  readonly terms: ReadonlySet<string>;
}

/** A session as an answer has it, with the texts of its best turns. */
export function toHit(
  view: IndexView,
  plan: SearchPlan,
  tier: Tier,
  { session, score }: RankedSession,
): SessionHit {
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
