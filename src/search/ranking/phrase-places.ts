import { once } from "../../fs/once.ts";
import { type DocumentSet, hasBit } from "./document-set.ts";
import { evaluate } from "./evaluate.ts";
import { type DocumentKind, type FieldTable, fieldBits } from "./index-schema.ts";
import type { IndexView } from "./index-view.ts";
import type { TermNode } from "./query-node.ts";
import type { Clause, PhraseClause } from "./search-plan.ts";

/**
 * Where a phrase may stand: in the texts of a document of which one has all of its words. Only those are opened, to see
 * whether they stand together. Clauses are known by their place.
 */
export interface PhrasePlaces {
  inCard(session: number, clause: number): boolean;
  inTurn(turn: number, clause: number): boolean;
  /** In texts that are kept apart. */
  apart(turn: number, clause: number): boolean;
  /** Those that may have any. */
  documents(): Readonly<Record<DocumentKind, Uint32Array>>;
}

export function phrasePlaces(view: IndexView, clauses: readonly Clause[]): PhrasePlaces {
  const phrases = clauses.map(phrasesOf);
  const terms = [...new Set(phrases.flat().flatMap((phrase) => phrase.terms))];
  const names = [...new Set(view.fields.flatMap(({ name, stored }) => (stored === false ? [] : [name])))];
  /** A bit for each term in each field. */
  const found = once(() => {
    const nodes = terms.flatMap((term) => names.map((name) => termIn(view.fields, term, name)));
    const unweighted = view.fields.map(() => 1);
    return evaluate(view, nodes, unweighted);
  });
  const asked = phrases.map((all) =>
    all.map(({ terms: wanted, fields }) => ({
      terms: wanted.map((term) => terms.indexOf(term) * names.length),
      mayBeIn: (place: number) => fields?.includes(names[place] ?? "") ?? true,
    })),
  );
  const has = (set: DocumentSet, document: number, clause: number, places: readonly number[]): boolean =>
    (asked[clause] ?? []).some(({ terms: first, mayBeIn }) =>
      places.some(
        (place) =>
          first.length > 0 && mayBeIn(place) && first.every((bit) => hasBit(set, document, bit + place)),
      ),
    );
  const card = placesOf(view.fields, names, "card", true);
  const turn = placesOf(view.fields, names, "turn", true);
  const apart = placesOf(view.fields, names, "turn", "apart");
  return {
    inCard: (document, clause) => has(found().card, document, clause, card),
    inTurn: (document, clause) => has(found().turn, document, clause, turn),
    apart: (document, clause) => has(found().turn, document, clause, apart),
    documents: () => ({ card: found().card.docs, turn: found().turn.docs }),
  };
}

function phrasesOf(clause: Clause): readonly PhraseClause[] {
  if (clause.kind === "any") return clause.of.flatMap(phrasesOf);
  return clause.kind === "phrase" ? [clause] : [];
}

function termIn(fields: FieldTable, term: string, name: string): TermNode {
  return { kind: "term", term, prefix: false, maxDistance: 0, boost: 1, fields: fieldBits(fields, [name]) };
}

/** Which of the names are fields of that kind whose texts are kept so. */
function placesOf(
  fields: FieldTable,
  names: readonly string[],
  kind: DocumentKind,
  stored: true | "apart",
): readonly number[] {
  return names.flatMap((name, place) =>
    fields.some((field) => field.name === name && field.kind === kind && field.stored === stored)
      ? [place]
      : [],
  );
}
