import { fuzzyWeight } from "./bm25.ts";
import { type FieldTable, fieldBits } from "./index-schema.ts";
import type { QueryNode, TermNode } from "./query-node.ts";
import type { Clause, PhraseClause, WordClause } from "./search-plan.ts";

/** How clauses become questions to the index. */
export interface ClauseReading {
  readonly fields: FieldTable;
  /** Whether a term may be met by longer terms and by typos of it. */
  readonly isLoose: (term: string) => boolean;
  /** Whether the index has a term. */
  readonly has: (term: string) => boolean;
}

/** A prefix of fewer units would match a large part of the dictionary. */
const SHORTEST_PREFIX = 3;

/** A query word as the index is asked for it. */
export function clauseNode(clause: Clause, reading: ClauseReading): QueryNode {
  switch (clause.kind) {
    case "any":
      return combine(
        "any",
        clause.of.map((part) => clauseNode(part, reading)),
      );
    case "phrase":
      return phraseNode(clause, reading);
    case "word":
      return wordNode(clause, reading);
  }
}

function wordNode(clause: WordClause, reading: ClauseReading): QueryNode {
  const fields = fieldBits(reading.fields, clause.fields);
  const node = (term: string, isLast: boolean): QueryNode => {
    const asked = { ...exactly(term, fields), prefix: isLast && clause.prefix === true };
    return clause.isTolerant !== false && reading.isLoose(term) ? loosely(asked, reading) : asked;
  };
  const wanted = combine(
    "all",
    clause.terms.map((term, i) => node(term, i === clause.terms.length - 1)),
  );
  // They are a guess already: a typo in one is not looked for.
  const also = (clause.also ?? []).map((term) => ({
    ...exactly(term, fields),
    prefix: clause.prefix === true,
  }));
  return also.length === 0 ? wanted : combine("any", [wanted, ...also]);
}

function loosely(asked: TermNode, reading: ClauseReading): QueryNode {
  const { term } = asked;
  const maxDistance = allowedDistance(term);
  const loose: TermNode = { ...asked, prefix: asked.prefix || term.length >= SHORTEST_PREFIX, maxDistance };
  if (maxDistance !== 1) return loose;
  // Two letters in the wrong order are the most frequent typo, and an edit distance of 2.
  const swapped = swaps(term).filter(reading.has);
  const boost = fuzzyWeight(term.length, 1);
  return combine("any", [loose, ...swapped.map((other) => ({ ...exactly(other, asked.fields), boost }))]);
}

/** Its words are what is asked for, exactly; where they stand is seen on the text. */
function phraseNode(clause: PhraseClause, reading: ClauseReading): QueryNode {
  const fields = fieldBits(reading.fields, clause.fields);
  return combine(
    "all",
    clause.terms.map((term) => exactly(term, fields)),
  );
}

function exactly(term: string, fields: number): TermNode {
  return { kind: "term", term, prefix: false, maxDistance: 0, boost: 1, fields };
}

function combine(kind: "all" | "any", nodes: readonly QueryNode[]): QueryNode {
  const [first] = nodes;
  return nodes.length === 1 && first !== undefined ? first : { kind, nodes };
}

/** One typo in words of four letters or more, two from eight on. A number with a typo is another number. */
export function allowedDistance(term: string): number {
  if (term.length < 4 || /\d/.test(term)) return 0;
  return term.length < 8 ? 1 : 2;
}

/** The word with two neighbours exchanged, in every way. */
function swaps(term: string): string[] {
  const found = new Set<string>();
  for (let i = 0; i + 1 < term.length; i++) {
    found.add(term.slice(0, i) + term.charAt(i + 1) + term.charAt(i) + term.slice(i + 2));
  }
  found.delete(term);
  return [...found];
}
