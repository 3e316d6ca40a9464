import { isStopWord } from "./weak-terms.ts";

/** A way in which a document can have a word of a query. */
export interface TermGroup {
  /** The document has all of these terms, */
  readonly all: readonly string[];
  /** and, if this is set, a term that begins so. */
  readonly prefix?: string;
}

/** A word of a query and what it is found by. */
export interface QueryTerm {
  /** As it was typed. */
  readonly text: string;
  /**
   * A document has the word if it has any of these groups. First the telling ones (a whole name), last
   * the one that every document has which has the word as typed (all parts, the stem). A document
   * with the whole name has its parts too, so that adding up the scores of all groups puts it first.
   */
  readonly any: readonly TermGroup[];
  /** Whether one may look for terms that are nearly the same: not for numbers, codes and dense scripts. */
  readonly isTolerant: boolean;
}

/** The parts that a document must have: stop words and single letters only if there are no others. */
export function tellingParts(parts: readonly string[]): readonly string[] {
  const chosen = parts.filter((part) => !isStopWord(part) && !/^[a-z]$/.test(part));
  return unique(chosen.length > 0 ? chosen : parts);
}

export function unique(terms: readonly string[]): readonly string[] {
  return [...new Set(terms)];
}
