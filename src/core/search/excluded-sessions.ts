import { clauseNode } from "./clause-nodes.ts";
import { hasBit } from "./document-set.ts";
import { evaluate } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import { phraseTest, type TextTest } from "./phrase-check.ts";
import { phrasesApart } from "./phrases-apart.ts";
import type { SearchPlan } from "./search-plan.ts";
import { isIndexed } from "./term-uses.ts";

/** Texts that are opened to see whether an unwanted phrase stands in them; of more, the words alone decide. */
const MAX_TEXTS = 2_000;

type Texts = () => Readonly<Record<string, string>>;

/** 1 for sessions with an unwanted word in any of their documents, or with an unwanted phrase in one; undefined: none. */
export function excludedSessions(
  view: IndexView,
  { unwanted }: Pick<SearchPlan, "unwanted">,
  boosts: readonly number[],
): Uint8Array | undefined {
  if (unwanted.length === 0) return undefined;
  const excluded = new Uint8Array(view.space.card);
  const reading = { fields: view.fields, isLoose: () => false, has: (term: string) => isIndexed(view, term) };
  const nodes = unwanted.map((clause) => clauseNode(clause, reading));
  const tests = unwanted.map((clause) => (clause.kind === "phrase" ? phraseTest(clause) : undefined));
  const { card, turn } = evaluate(view, nodes, boosts);
  let opened = 0;
  const mayBeApart = phrasesApart(view, unwanted);
  const opens = (test: TextTest, texts: Texts): boolean => opened++ >= MAX_TEXTS || test(texts());
  const cardHas = (session: number): boolean =>
    tests.some(
      (test, bit) =>
        hasBit(card, session, bit) && (test === undefined || opens(test, () => view.cardTexts(session))),
    );
  const turnHas = (document: number): boolean =>
    tests.some((test, bit) => {
      if (!hasBit(turn, document, bit)) return false;
      if (test === undefined || opens(test, () => view.turnTexts(document))) return true;
      return mayBeApart(document, bit) && opens(test, () => view.turnTextsApart(document));
    });
  for (let i = 0; i < card.docs.length; i++) {
    const session = card.docs[i] ?? 0;
    if (cardHas(session)) excluded[session] = 1;
  }
  const sessionOf = turn.docs.length === 0 ? undefined : view.sessionsOfTurns();
  for (let i = 0; i < turn.docs.length; i++) {
    const document = turn.docs[i] ?? 0;
    const session = sessionOf?.[document] ?? 0;
    if (excluded[session] === 0 && turnHas(document)) excluded[session] = 1;
  }
  return excluded;
}
