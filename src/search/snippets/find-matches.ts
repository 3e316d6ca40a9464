import { isAscii } from "../analysis/characters.ts";
import { irregularStems } from "../analysis/irregular-stems.ts";
import { splitName } from "../analysis/split-name.ts";
import { type Token, termsOfWord, tokens } from "../analysis/token.ts";
import { scanTokens } from "../analysis/tokenize.ts";

/** An occurrence of a query term in a text. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  /** Number of the query term. */
  readonly word: number;
}

/** Returns the number of a query term; undefined if the term is not in the query. */
export type WordOf = (term: string) => number | undefined;

/** More matches would hardly lead to a better passage. */
const MAX_MATCHES = 500;
/** Enough matches to choose from once a passage has all words. */
const ENOUGH_MATCHES = 16;

/**
 * Finds the occurrences of the query terms, ordered by start. Inside a name, only the parts in the query match: a
 * search for users matches the User of getUserById. With `near`, reads only the words around its matches, until a
 * passage with all words is found.
 */
export function findTermMatches(text: string, wordOf: WordOf, near?: Near): readonly TextMatch[] {
  if (near === undefined) return matchesIn(text, 0, wordOf);
  const found: TextMatch[] = [];
  const lastAt = new Map<number, number>();
  let hasAllWords = false;
  for (const [from, to] of spansAround(text, near.pattern)) {
    for (const match of matchesIn(text.slice(from, to), from, wordOf)) {
      found.push(match);
      lastAt.set(match.word, match.start);
      hasAllWords ||= lastAt.size === near.words && match.end - Math.min(...lastAt.values()) <= near.maxChars;
    }
    if (found.length >= (hasAllWords ? ENOUGH_MATCHES : MAX_MATCHES)) break;
  }
  // A word that starts with an accented letter starts differently from its term.
  return found.length > 0 || !mayFold.test(text) ? found : matchesIn(text, 0, wordOf);
}

/**
 * Letters that folding may turn into others: everything beyond ASCII but dashes, quotes, arrows, boxes and emoji, which
 * most tool output has.
 */
const mayFold = /[^\0-\x7f\u2010-\u205e\u2190-\u245f\u2500-\u2bff\u{1f300}-\u{1faff}]/u;

/** Limits the search to likely occurrences. */
export interface Near {
  /** Matches where a query term may occur. */
  readonly pattern: RegExp;
  /** Number of different words in the query. */
  readonly words: number;
  /** Length of a passage. */
  readonly maxChars: number;
}

function matchesIn(text: string, offset: number, wordOf: WordOf): readonly TextMatch[] {
  const matches: TextMatch[] = [];
  let isSorted = true;
  scanTokens(text, tokens, (token, start, end, link) => {
    const before = matches.length;
    pushMatches(token, start + offset, end + offset, wordOf, matches);
    if (link === "pair" && matches.length > before) isSorted = false;
    return matches.length >= MAX_MATCHES;
  });
  return isSorted ? matches : matches.sort((a, b) => a.start - b.start);
}

function pushMatches(
  { raw, terms, atoms, whole }: Token,
  start: number,
  end: number,
  wordOf: WordOf,
  matches: TextMatch[],
): void {
  const words = new Set(terms.flatMap((term) => wordOf(term) ?? []));
  if (words.size === 0) return;
  // Folding non-ASCII letters changes offsets, so the positions of the parts are unknown.
  if (atoms.length === 1 || (whole !== undefined && wordOf(whole) !== undefined) || !isAscii(raw)) {
    for (const word of words) matches.push({ start, end, word });
    return;
  }
  for (const part of splitName(raw).parts) {
    const word = termsOfWord(part.word)
      .map(wordOf)
      .find((found) => found !== undefined);
    if (word !== undefined) matches.push({ start: start + part.start, end: start + part.end, word });
  }
}

/** Leading letters of a term that the pattern compares. */
const LETTERS = 6;
/** With more alternatives, reading every word is as fast. */
const MAX_STARTS = 40;

/** Stems of irregular words, which may start with other letters. */
const irregular: ReadonlySet<string> = new Set(irregularStems.values());

/**
 * Makes a pattern that matches where one of the terms may occur: nearly every word starts with the same letters as
 * its term, and a regular expression is much faster than reading all words. undefined if a term may start
 * differently, or if there are too many.
 */
export function nearTerms(terms: Iterable<string>): RegExp | undefined {
  const starts = new Set<string>();
  for (const term of terms) {
    if (!/^[a-z0-9]{2}/.test(term) || irregular.has(term)) return undefined;
    starts.add(startOf(/^[a-z0-9]+/.exec(term)?.[0] ?? ""));
    if (starts.size > MAX_STARTS) return undefined;
  }
  return starts.size === 0 ? undefined : new RegExp([...starts].join("|"), "gi");
}

/**
 * Returns a pattern for the start of a term. Drops the last letter, which endings may change (tried, try). Allows
 * signs between the words of a name, which its term does not have, and any non-ASCII character for an accented letter.
 */
function startOf(letters: string): string {
  const [first = "", ...more] = letters.slice(0, Math.min(LETTERS, Math.max(2, letters.length - 1)));
  return first + more.map((letter) => `(?:[^a-z0-9]{0,3}${letter}|[^\\0-\\x7f])`).join("");
}

/** Yields the words, from space to space, that the pattern matches in; words close together are one span. */
function* spansAround(text: string, near: RegExp): Generator<readonly [from: number, to: number]> {
  near.lastIndex = 0;
  let open: [number, number] | undefined;
  for (let found = near.exec(text); found !== null; found = near.exec(text)) {
    const from = wordStart(text, found.index);
    const to = wordEnd(text, near.lastIndex);
    near.lastIndex = to;
    if (open !== undefined && from - open[1] <= MAX_GAP) {
      open[1] = to;
      continue;
    }
    if (open !== undefined) yield open;
    open = [from, to];
  }
  if (open !== undefined) yield open;
}

/** Characters between words that belong to one span. */
const MAX_GAP = 16;

function wordStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && text.charCodeAt(start - 1) > 0x20) start--;
  return start;
}

function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && text.charCodeAt(end) > 0x20) end++;
  return end;
}
