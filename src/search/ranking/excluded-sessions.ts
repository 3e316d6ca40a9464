import { clauseNode } from "./clause-nodes.ts";
import { hasBit } from "./document-set.ts";
import { evaluate } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import { phraseTest, type Texts } from "./phrase-check.ts";
import { phrasePlaces } from "./phrase-places.ts";
import { isIndexed } from "./query-node.ts";
import type { PhraseClause, SearchPlan, WordClause } from "./search-plan.ts";

/** Texts that are opened to see whether an unwanted phrase stands in them: 0.3 s at most. */
const MAX_TEXTS = 4_000;

export interface ExcludedSessions {
  /** 1 for those with an unwanted word or phrase in any of their documents; undefined: none. */
  readonly sessions: Uint8Array | undefined;
  /** False: not all texts were opened that may have an unwanted phrase. What was not seen is not held against a session. */
  readonly isComplete: boolean;
}

export function excludedSessions(
  view: IndexView,
  { unwanted }: Pick<SearchPlan, "unwanted">,
  boosts: readonly number[],
): ExcludedSessions {
  if (unwanted.length === 0) return { sessions: undefined, isComplete: true };
  const sessions = new Uint8Array(view.space.card);
  const words = unwanted.filter((clause) => clause.kind === "word");
  const phrases = unwanted.filter((clause) => clause.kind === "phrase");
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
  const reading = { fields: view.fields, isLoose: () => false, has: (term: string) => isIndexed(view, term) };
  const { card, turn } = evaluate(
    view,
    words.map((clause) => clauseNode(clause, reading)),
    boosts,
  );
  const isMet = (set: typeof card, document: number): boolean =>
    words.some((_, bit) => hasBit(set, document, bit));
  for (const session of card.docs) if (isMet(card, session)) excluded[session] = 1;
  const sessionOf = view.sessionsOfTurns();
  for (const document of turn.docs) if (isMet(turn, document)) excluded[sessionOf[document] ?? 0] = 1;
}

/** False where there were more texts than may be opened. */
function excludeByPhrases(view: IndexView, phrases: readonly PhraseClause[], excluded: Uint8Array): boolean {
  const places = phrasePlaces(view, phrases);
  const tests = phrases.map(phraseTest);
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
