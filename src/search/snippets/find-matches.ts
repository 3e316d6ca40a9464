import { isAscii } from "../analysis/characters.ts";
import { irregularStems } from "../analysis/irregular-stems.ts";
import { splitName } from "../analysis/split-name.ts";
import { type Token, termsOfWord, tokens } from "../analysis/token.ts";
import { scanTokens } from "../analysis/tokenize.ts";

/** A place of a text where a word of the query stands. */
export interface TextMatch {
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
export function findTermMatches(text: string, wordOf: WordOf, near?: Near): readonly TextMatch[] {
  if (near === undefined) return matchesIn(text, 0, wordOf);
  const found: TextMatch[] = [];
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
  // Folding moves letters: then the places of the parts are not known.
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

/** How many letters of a term a text must have for it to be looked at closely. */
const LETTERS = 6;
/** More than these are looked for as fast by reading everything. */
const MAX_STARTS = 40;

/** Terms that words with another beginning may come to. */
const irregular: ReadonlySet<string> = new Set(irregularStems.values());

/**
 * Finds where in a text one of the terms may stand: nearly all words of a term begin as it does. Looking
 * for that is ten times as fast as reading all words. undefined where it can't be told, or is not worth it.
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
 * Endings change the last letter (tried, try). Signs between the words of a name are no part of its term, and
 * letters with marks are other letters there.
 */
function startOf(letters: string): string {
  const [first = "", ...more] = letters.slice(0, Math.min(LETTERS, Math.max(2, letters.length - 1)));
  return first + more.map((letter) => `(?:[^a-z0-9]{0,3}${letter}|[^\\0-\\x7f])`).join("");
}

/** The words, from space to space, in which the pattern has a match; those that stand close together as one. */
function* spansAround(text: string, near: RegExp): Generator<readonly [from: number, to: number]> {
  near.lastIndex = 0;
  let open: [number, number] | undefined;
  for (let found = near.exec(text); found !== null; found = near.exec(text)) {
    const from = wordStart(text, found.index);
    const to = wordEnd(text, near.lastIndex);
    near.lastIndex = to;
    if (open !== undefined && from - open[1] <= CLOSE) {
      open[1] = to;
      continue;
    }
    if (open !== undefined) yield open;
    open = [from, to];
  }
  if (open !== undefined) yield open;
}

const CLOSE = 16;

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
