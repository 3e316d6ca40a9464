import {
  analyzePhrase,
  analyzePrefix,
  analyzeQuery,
  isStopQuery,
  type QueryTerm,
} from "../analysis/analyze-query.ts";
import type { Clause, PhraseClause, SearchPlan, WordClause } from "../ranking/search-plan.ts";
import { isWord, type ParsedQuery, type QueryWord } from "./parse-query.ts";
import type { SessionFilter } from "./session-filter.ts";

/** Turns a query into index clauses: words and phrases, and words required in a command, an error or the title. */
export function searchClauses(
  query: ParsedQuery,
  filter: SessionFilter,
): Pick<SearchPlan, "narrowing" | "clauses" | "excluded"> {
  const required = query.words.filter(({ isNegated }) => !isNegated);
  const phrases = required.filter(({ kind }) => kind === "phrase").flatMap(phraseClause);
  const words = required.filter(({ kind }) => kind === "word").flatMap(termsOf);
  // Stop words count only if nothing else was typed.
  const significant = words.filter((word) => !isStopQuery(word));
  const clauses = [
    ...phrases,
    ...(significant.length > 0 || phrases.length > 0 ? significant : words).map((word) => anyGroup(word)),
  ];
  return {
    narrowing: [
      ...inFields(filter.commands, ["command"]),
      ...inFields(filter.errors, ["error"]),
      ...inFields(filter.titles, ["title"]),
    ],
    clauses:
      clauses.length > 0 ? clauses : required.filter(({ text }) => isWord(text)).map(clauseOfDroppedWord),
    excluded: query.words.filter(({ isNegated }) => isNegated).flatMap(excludedClauses),
  };
}

/** Returns clauses that require all words of a text in the given fields. */
export function wordsInFields(text: string, fields: readonly string[]): readonly Clause[] {
  return analyzeQuery(text).map((word) => anyGroup(word, fields));
}

function termsOf({ text, isPrefix }: QueryWord): readonly QueryTerm[] {
  return isPrefix ? analyzePrefix(text) : analyzeQuery(text);
}

/**
 * Returns clauses for words that a session must not have. A name is excluded only as a whole: its scattered parts are
 * other words.
 */
function excludedClauses(word: QueryWord): readonly (WordClause | PhraseClause)[] {
  if (word.kind === "phrase") return phraseClause(word);
  return termsOf(word).flatMap((term) => {
    const clauses = groupsOf({ ...term, isTolerant: false });
    const single = clauses.filter(({ terms }) => terms.length === 1);
    return single.length > 0 ? single : clauses;
  });
}

/** Includes stop words: each rules out texts that would have to be read, and a phrase may have no other words. */
function phraseClause({ text }: QueryWord): readonly PhraseClause[] {
  const terms = partsOf(analyzePhrase(text));
  return terms.length === 0 ? [] : [{ kind: "phrase", text, terms }];
}

/** Returns a clause for a word that query analysis dropped. */
function clauseOfDroppedWord({ text }: QueryWord): Clause {
  const groups = analyzePhrase(text).map((word) => anyGroup(word));
  return groups[0] ?? notIndexed(text);
}

/**
 * Returns a clause that matches nothing, for hashes and punctuation, which are not indexed. Without a clause,
 * everything would match.
 */
function notIndexed(text: string, fields?: readonly string[]): WordClause {
  const clause = { kind: "word", text, terms: [text.toLowerCase()], isTolerant: false } as const;
  return fields === undefined ? clause : { ...clause, fields };
}

/** Matches a name as a whole or in parts: any of its groups is enough. */
function anyGroup(word: QueryTerm, fields?: readonly string[]): Clause {
  const groups = groupsOf(word, fields);
  const [only] = groups;
  const { text } = word;
  return groups.length === 1 && only !== undefined ? { ...only, text } : { kind: "any", of: groups, text };
}

function groupsOf({ any, isTolerant }: QueryTerm, fields?: readonly string[]): readonly WordClause[] {
  return any.map(({ all, prefix }) => ({
    kind: "word",
    terms: prefix === undefined ? all : [...all, prefix],
    isTolerant,
    ...(prefix === undefined ? {} : { prefix: true }),
    ...(fields === undefined ? {} : { fields }),
  }));
}

/** Requires all words of one value, or any one of several values. */
function inFields(values: readonly string[], fields: readonly string[]): readonly Clause[] {
  const [only, ...others] = values;
  if (only === undefined) return [];
  if (others.length === 0) {
    const clauses = wordsInFields(only, fields);
    return clauses.length > 0 ? clauses : [notIndexed(only, fields)];
  }
  const of = values.map((value): Clause => {
    const terms = partsOf(analyzeQuery(value));
    return terms.length === 0 ? notIndexed(value, fields) : { kind: "word", terms, fields };
  });
  return [{ kind: "any", of }];
}

/** Returns the terms of every document that has all words of a text, in any form. */
function partsOf(words: readonly QueryTerm[]): readonly string[] {
  return [...new Set(words.flatMap(({ any }) => any.at(-1)?.all ?? []))];
}
