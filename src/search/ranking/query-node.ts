import { type FieldTable, fieldBits } from "./index-schema.ts";
import { fuzzyWeight } from "./scorer.ts";
import type { Clause, PhraseClause, WordClause } from "./search-plan.ts";

/** A query in MiniSearch's terms: terms and their combinations. */
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
export interface CombinedNode {
  readonly kind: "all" | "any" | "without";
  readonly nodes: readonly QueryNode[];
}

/** The distinct terms of a query, in order. */
export function queryTerms(nodes: readonly QueryNode[], found: Set<string> = new Set()): Set<string> {
  for (const node of nodes) {
    if (node.kind === "term") found.add(node.term);
    else queryTerms(node.nodes, found);
  }
  return found;
}

/** Everything needed from an index to build query nodes. */
export interface ClauseOptions {
  readonly fields: FieldTable;
  /** Whether the index has a term, and whether it has one that starts like this. */
  readonly has: (term: string) => boolean;
  readonly hasPrefix: (prefix: string) => boolean;
}

/** A prefix of fewer UTF-16 units would match a large part of the dictionary. */
const SHORTEST_PREFIX = 3;

/** Builds the query node of a clause, without alternatives for its words. */
export function exactNode(clause: Clause, options: Pick<ClauseOptions, "fields" | "has">): QueryNode {
  return clauseNode(clause, options, (term) => term);
}

/**
 * Builds the query node of a clause that the index does not have: its missing terms also match longer terms and
 * typos. Returns undefined if the index has it in any form, so that other words never replace one that exists, or if
 * it allows no typos.
 */
export function looseNode(clause: Clause, options: ClauseOptions): QueryNode | undefined {
  if (isPresent(clause, options) || !isTolerant(clause)) return undefined;
  return clauseNode(clause, options, (term) => (options.has(term.term) ? term : loosen(term, options)));
}

/** Whether the index has all terms of a word, or of one of its forms, even if no single document does. */
export function isPresent(clause: Clause, options: ClauseOptions): boolean {
  if (clause.kind === "any") return clause.of.some((part) => isPresent(part, options));
  return clause.terms.every((term, i) =>
    clause.kind === "word" && clause.prefix === true && i === clause.terms.length - 1
      ? options.hasPrefix(term)
      : options.has(term),
  );
}

function isTolerant(clause: Clause): boolean {
  if (clause.kind === "any") return clause.of.some(isTolerant);
  return clause.kind === "word" && clause.isTolerant !== false;
}

/**
 * The weight of the scattered parts of a name, if the index has the whole name: sessions with the whole name come
 * first.
 */
const PARTS_WEIGHT = 0.001;

/** `toNode` turns each term of a word that allows typos into a node. */
function clauseNode(
  clause: Clause,
  options: Pick<ClauseOptions, "fields" | "has">,
  toNode: (term: TermNode) => QueryNode,
): QueryNode {
  const { fields } = options;
  switch (clause.kind) {
    case "any": {
      const isKnown = clause.of.some((part) => isWhole(part) && options.has(part.terms[0] ?? ""));
      const weaker = (term: TermNode): QueryNode => toNode({ ...term, boost: term.boost * PARTS_WEIGHT });
      return combine(
        "any",
        clause.of.map((part) =>
          clauseNode(part, options, isKnown && part.kind === "word" && !isWhole(part) ? weaker : toNode),
        ),
      );
    }
    case "phrase":
      return phraseNode(clause, fields);
    case "word":
      return wordNode(clause, fields, clause.isTolerant === false ? (term) => term : toNode);
  }
}

function isWhole(clause: Clause): clause is WordClause {
  return clause.kind === "word" && clause.terms.length === 1 && clause.prefix !== true;
}

function wordNode(clause: WordClause, table: FieldTable, toNode: (term: TermNode) => QueryNode): QueryNode {
  const fields = fieldBits(table, clause.fields);
  const last = clause.terms.length - 1;
  return combine(
    "all",
    clause.terms.map((term, i) =>
      toNode({ ...exactTerm(term, fields), prefix: i === last && clause.prefix === true }),
    ),
  );
}

/** Adds prefixes and typos to a term. */
function loosen(exact: TermNode, options: ClauseOptions): QueryNode {
  const { term } = exact;
  const maxDistance = allowedDistance(term);
  const loose: TermNode = { ...exact, prefix: exact.prefix || term.length >= SHORTEST_PREFIX, maxDistance };
  if (maxDistance !== 1) return loose;
  // Two swapped letters are the most frequent typo, and an edit distance of 2.
  const swapped = swaps(term).filter(options.has);
  const boost = fuzzyWeight(term.length, 1);
  return combine("any", [loose, ...swapped.map((other) => ({ ...exactTerm(other, exact.fields), boost }))]);
}

/** All words of the phrase, exactly. Whether they are next to each other is checked in the text. */
function phraseNode(clause: PhraseClause, table: FieldTable): QueryNode {
  const fields = fieldBits(table, clause.fields);
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
