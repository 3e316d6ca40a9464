import { type FieldTable, fieldBits } from "./index-schema.ts";
import { fuzzyWeight } from "./scorer.ts";
import type { Clause, PhraseClause, WordClause } from "./search-plan.ts";

/** A query as MiniSearch understands it: terms and their combinations. */
export type QueryNode = TermNode | CombinedNode;

export interface TermNode {
  readonly kind: "term";
  readonly term: string;
  /** Also longer terms that start with this one. */
  readonly prefix: boolean;
  /** Also terms within this edit distance; 0 for none. */
  readonly maxDistance: number;
  readonly boost: number;
  /** Bit mask of the fields that count. */
  readonly fields: number;
}

/** `all`: documents that match every node; `any`: at least one; `without`: the first and none of the others. */
interface CombinedNode {
  readonly kind: "all" | "any" | "without";
  readonly nodes: readonly QueryNode[];
}

/** The distinct terms of a query, in order. A document's score is multiplied by how many of them it has. */
export function queryTerms(nodes: readonly QueryNode[], found: Set<string> = new Set()): Set<string> {
  for (const node of nodes) {
    if (node.kind === "term") found.add(node.term);
    else queryTerms(node.nodes, found);
  }
  return found;
}

/** How clauses become query nodes. */
export interface ClauseOptions {
  readonly fields: FieldTable;
  /** Whether longer terms and typos of a term match, too. */
  readonly isLoose: (term: string) => boolean;
  /** Whether the index has a term. */
  readonly has: (term: string) => boolean;
}

/** A prefix of fewer UTF-16 units would match a large part of the dictionary. */
const SHORTEST_PREFIX = 3;

/** Builds the query node of a clause. */
export function clauseNode(clause: Clause, options: ClauseOptions): QueryNode {
  switch (clause.kind) {
    case "any":
      return combine(
        "any",
        clause.of.map((part) => clauseNode(part, options)),
      );
    case "phrase":
      return phraseNode(clause, options);
    case "word":
      return wordNode(clause, options);
  }
}

function wordNode(clause: WordClause, options: ClauseOptions): QueryNode {
  const fields = fieldBits(options.fields, clause.fields);
  const node = (term: string, isLast: boolean): QueryNode => {
    const exact = { ...exactTerm(term, fields), prefix: isLast && clause.prefix === true };
    return clause.isTolerant !== false && options.isLoose(term) ? looseNode(exact, options) : exact;
  };
  const required = combine(
    "all",
    clause.terms.map((term, i) => node(term, i === clause.terms.length - 1)),
  );
  // These are a guess already: their typos do not match.
  const also = (clause.also ?? []).map((term) => ({
    ...exactTerm(term, fields),
    prefix: clause.prefix === true,
  }));
  return also.length === 0 ? required : combine("any", [required, ...also]);
}

/** Adds prefixes and typos to a term. */
function looseNode(exact: TermNode, options: ClauseOptions): QueryNode {
  const { term } = exact;
  const maxDistance = allowedDistance(term);
  const loose: TermNode = { ...exact, prefix: exact.prefix || term.length >= SHORTEST_PREFIX, maxDistance };
  if (maxDistance !== 1) return loose;
  // Two swapped letters are the most frequent typo, and an edit distance of 2.
  const swapped = swaps(term).filter(options.has);
  const boost = fuzzyWeight(term.length, 1);
  return combine("any", [loose, ...swapped.map((other) => ({ ...exactTerm(other, exact.fields), boost }))]);
}

/** All words of the phrase, exactly. Whether they are next to each other is checked on the text. */
function phraseNode(clause: PhraseClause, options: ClauseOptions): QueryNode {
  const fields = fieldBits(options.fields, clause.fields);
  return combine(
    "all",
    clause.terms.map((term) => exactTerm(term, fields)),
  );
}

export function exactTerm(term: string, fields: number): TermNode {
  return { kind: "term", term, prefix: false, maxDistance: 0, boost: 1, fields };
}

function combine(kind: "all" | "any", nodes: readonly QueryNode[]): QueryNode {
  const [first] = nodes;
  return nodes.length === 1 && first !== undefined ? first : { kind, nodes };
}

/** One typo in words of four letters or more, two from eight on. A number with a typo is another number. */
function allowedDistance(term: string): number {
  if (term.length < 4 || /\d/.test(term)) return 0;
  return term.length < 8 ? 1 : 2;
}

/** Every way to swap two neighboring letters of a word. */
function swaps(term: string): string[] {
  const found = new Set<string>();
  for (let i = 0; i + 1 < term.length; i++) {
    found.add(term.slice(0, i) + term.charAt(i + 1) + term.charAt(i) + term.slice(i + 2));
  }
  found.delete(term);
  return [...found];
}
