import { clauseNode } from "./clause-nodes.ts";
import { hasBit } from "./document-set.ts";
import { evaluate } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import type { RankedSession } from "./rank.ts";
import type { Clause } from "./search-plan.ts";
import type { SessionScores } from "./session-scores.ts";

/** Sessions, and documents of one, that are worth a look at their logs. */
export const MAX_UNSEEN_SESSIONS = 30;
const MAX_UNSEEN_TURNS = 4;

export interface UnseenSession {
  readonly ranked: RankedSession;
  /** Documents that have the words where their text is not kept. */
  readonly turns: readonly number[];
}

/**
 * The sessions in which a phrase may stand in texts that the index does not keep: a document has all of its words
 * in such a field. Whether they stand together only the log can tell. `most`: more are not asked for.
 */
export function unseenPhrases(
  view: IndexView,
  clauses: readonly Clause[],
  boosts: readonly number[],
  scores: SessionScores,
  ranked: readonly RankedSession[],
  most: number,
): readonly UnseenSession[] {
  const fields = view.fields.filter(({ kind, stored }) => kind === "turn" && !stored).map(({ name }) => name);
  const phrases = clauses
    .filter((clause) => clause.kind === "phrase")
    .filter((clause) => clause.fields === undefined);
  if (fields.length === 0 || phrases.length === 0) return [];
  const reading = { fields: view.fields, isLoose: () => false, has: () => false };
  const nodes = phrases.map((clause) => clauseNode({ ...clause, fields }, reading));
  const { turn } = evaluate(view, nodes, boosts);
  const found: UnseenSession[] = [];
  for (const candidate of ranked) {
    const turns = scores
      .turns(candidate.session)
      .filter((document) => nodes.some((_, bit) => hasBit(turn, document, bit)));
    if (turns.length > 0) found.push({ ranked: candidate, turns: turns.slice(0, MAX_UNSEEN_TURNS) });
    if (found.length >= most) break;
  }
  return found;
}
