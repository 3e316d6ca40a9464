import { scanTokens } from "../analysis/scan-tokens.ts";
import { splitName } from "../analysis/split-name.ts";
import { isAscii, type Token, termsOf } from "../analysis/token.ts";
import { tokenAt } from "../analysis/token-cache.ts";
import { PAIR } from "../analysis/token-link.ts";
import { weakTerm } from "../analysis/weak-terms.ts";
import { spansAround } from "./near-terms.ts";

/** A place of a text where a word of the query stands. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** Which word of the query it is; equal for terms of the same word. */
  readonly word: number;
}

/** Gives the word of the query that a term of the index belongs to. */
export type WordOf = (term: string) => number | undefined;

/** More matches than this tell nothing more about where the best passage is. */
const MAX_MATCHES = 500;
/** Of passages that have all words, the best of so many matches is good enough. */
const ENOUGH_MATCHES = 16;

/**
 * Finds all places of the words, in the order in which they begin. Inside of a name only the parts that
 * were asked for count: of getUserById the User, if someone looks for users. With `near`, only what stands
 * around its matches is looked at, until a passage with all words is found.
 */
export function findMatches(text: string, wordOf: WordOf, near?: Near): readonly Match[] {
  if (near === undefined) return matchesIn(text, 0, wordOf);
  const found: Match[] = [];
  const lastAt = new Map<number, number>();
  let isTogether = false;
  for (const [from, to] of spansAround(text, near.pattern)) {
    for (const match of matchesIn(text.slice(from, to), from, wordOf)) {
      found.push(match);
      lastAt.set(match.word, match.start);
      isTogether ||= lastAt.size === near.words && match.end - Math.min(...lastAt.values()) <= near.maxChars;
    }
    if (found.length >= (isTogether ? ENOUGH_MATCHES : MAX_MATCHES)) break;
  }
  // Letters with marks begin otherwise than the term that they come to.
  return found.length > 0 || isAscii(text) ? found : matchesIn(text, 0, wordOf);
}

/** Where words may stand, how many different ones there are, and how long a passage is. */
export interface Near {
  readonly pattern: RegExp;
  readonly words: number;
  readonly maxChars: number;
}

function matchesIn(text: string, offset: number, wordOf: WordOf): readonly Match[] {
  const matches: Match[] = [];
  let isSorted = true;
  scanTokens(text, (token, from, to, link) => {
    const start = from + offset;
    const end = to + offset;
    const { name } = token;
    if (name === undefined) {
      const word = wordOf(token.term ?? weakTerm(token.weak));
      if (word !== undefined) matches.push({ start, end, word });
    } else if (link === PAIR) {
      const word = name.whole === undefined ? undefined : wordOf(name.whole);
      if (word !== undefined) {
        matches.push({ start, end, word });
        isSorted = false;
      }
    } else {
      pushNameMatches(token, start, end, wordOf, matches);
    }
    return matches.length >= MAX_MATCHES;
  });
  return isSorted ? matches : matches.sort((a, b) => a.start - b.start);
}

function pushNameMatches(token: Token, start: number, end: number, wordOf: WordOf, matches: Match[]): void {
  const words = new Set<number>();
  for (const term of termsOf(token)) {
    const word = wordOf(term);
    if (word !== undefined) words.add(word);
  }
  if (words.size === 0) return;
  const whole = token.name?.whole === undefined ? undefined : wordOf(token.name.whole);
  // Folding moves letters: then the places of the parts are not known.
  if (whole !== undefined || !isAscii(token.raw)) {
    for (const word of words) matches.push({ start, end, word });
    return;
  }
  for (const part of splitName(token.raw).parts) {
    const isWhole = part.end - part.start === token.raw.length || part.text !== undefined;
    const terms = isWhole ? termsOf(token) : termsOf(tokenAt(token.raw, part.start, part.end));
    for (const term of terms) {
      const word = wordOf(term);
      if (word === undefined) continue;
      matches.push({ start: start + part.start, end: start + part.end, word });
      break;
    }
  }
}
