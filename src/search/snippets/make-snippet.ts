import { type CleanPassage, cleanPassage } from "./clean-passage.ts";
import { findTermMatches, nearTerms, type TextMatch, type WordOf } from "./find-matches.ts";
import { phraseSpans } from "./phrase.ts";

export interface Snippet {
  readonly text: string;
  /** Start and end of the matched words, in UTF-16 units of `text`. */
  readonly highlights: readonly (readonly [number, number])[];
  /** Number of different query words in it. */
  readonly words: number;
}

export interface SnippetOptions {
  /** Maximum length in UTF-16 units, not counting the ellipses. */
  readonly maxChars: number;
  /** A passage with one of these phrases is better than one with only its words. */
  readonly phrases?: readonly string[];
}

/** Occurrences of one phrase to consider. */
const MAX_PHRASE_MATCHES = 1_000;

/** The best passage of a text, not rendered yet. */
export interface SnippetPassage {
  /** Number of different phrases. A passage with a phrase is better than any with only words. */
  readonly phrases: number;
  /** Number of different words, including phrases. */
  readonly words: number;
  /** Renders the passage; only the best of several needs it. */
  show(): Snippet;
}

/**
 * Finds the passage of a text that has the most query words; undefined if the text has none. `terms` are the index
 * terms that matched, including similar ones that correct a typo.
 */
export function findPassage(
  text: string,
  terms: ReadonlySet<string>,
  { maxChars, phrases = [] }: SnippetOptions,
): SnippetPassage | undefined {
  const { wordOf, pattern } = prepareTerms(terms);
  const near = pattern === undefined ? undefined : { pattern, words: terms.size, maxChars };
  const matches = withPhrases(text, findTermMatches(text, wordOf, near), phrases);
  if (matches.length === 0) return undefined;
  const { first, last, words, phrases: phraseCount } = bestRun(matches, maxChars);
  return {
    words,
    phrases: phraseCount,
    show: () => {
      const [from, to] = [matches[first]?.start ?? 0, endOf(matches, first, last)];
      return { ...renderPassage(text, from, to, matches, maxChars), words };
    },
  };
}

/** Renders the best passage of a text; undefined if the text has none of the terms. */
export function makeSnippet(
  text: string,
  terms: ReadonlySet<string>,
  options: SnippetOptions,
): Snippet | undefined {
  return findPassage(text, terms, options)?.show();
}

/** The terms of a query, prepared once for all texts. */
interface PreparedTerms {
  readonly wordOf: WordOf;
  readonly pattern: RegExp | undefined;
}

const cache = new WeakMap<ReadonlySet<string>, PreparedTerms>();

function prepareTerms(terms: ReadonlySet<string>): PreparedTerms {
  const cached = cache.get(terms);
  if (cached !== undefined) return cached;
  const numbers = new Map([...terms].map((term, index) => [term, index]));
  const prepared: PreparedTerms = { wordOf: (term) => numbers.get(term), pattern: nearTerms(terms) };
  cache.set(terms, prepared);
  return prepared;
}

/** Adds the occurrences of phrases. A phrase counts as one more word, with a negative number. */
function withPhrases(
  text: string,
  matches: readonly TextMatch[],
  phrases: readonly string[],
): readonly TextMatch[] {
  const found = phrases.flatMap((phrase, index) =>
    phraseSpans(text, phrase, MAX_PHRASE_MATCHES).map(([start, end]) => ({ start, end, word: -1 - index })),
  );
  return found.length === 0 ? matches : [...matches, ...found].sort((a, b) => a.start - b.start);
}

interface MatchRun {
  readonly first: number;
  readonly last: number;
  readonly phrases: number;
  readonly words: number;
}

/**
 * Finds the run of matches within `maxChars` that has the most phrases, then the most different words, then the
 * most matches; of equal runs the first.
 */
function bestRun(matches: readonly TextMatch[], maxChars: number): MatchRun {
  const counts = new Map<number, number>();
  let best: MatchRun = { first: 0, last: 0, phrases: 0, words: 0 };
  let first = 0;
  let phrases = 0;
  matches.forEach((match, last) => {
    const before = counts.get(match.word) ?? 0;
    counts.set(match.word, before + 1);
    if (before === 0 && match.word < 0) phrases++;
    for (let oldest = matches[first]; oldest !== undefined && first < last; oldest = matches[first]) {
      if (match.end - oldest.start <= maxChars) break;
      const left = (counts.get(oldest.word) ?? 1) - 1;
      if (left > 0) counts.set(oldest.word, left);
      else {
        counts.delete(oldest.word);
        if (oldest.word < 0) phrases--;
      }
      first++;
    }
    const words = counts.size;
    const more = phrases - best.phrases || words - best.words || last - first - (best.last - best.first);
    if (more > 0) best = { first, last, phrases, words };
  });
  return best;
}

function endOf(matches: readonly TextMatch[], first: number, last: number): number {
  let end = 0;
  for (let index = first; index <= last; index++) end = Math.max(end, matches[index]?.end ?? 0);
  return end;
}

/** Extends the matches to a passage of `maxChars` that starts and ends at a sentence or word, and highlights them. */
function renderPassage(
  text: string,
  from: number,
  to: number,
  matches: readonly TextMatch[],
  maxChars: number,
): Pick<Snippet, "text" | "highlights"> {
  // Folding white space shortens the text, so take more than needed.
  const wideFrom = Math.max(0, from - LOOKAROUND_FACTOR * maxChars);
  const wideTo = Math.min(text.length, Math.max(to, from + maxChars) + LOOKAROUND_FACTOR * maxChars);
  const passage = cleanPassage(text, wideFrom, wideTo);
  const start = passageStart(passage, passage.at(from), passage.at(to), maxChars, wideFrom === 0);
  const end = passageEnd(passage, start, passage.at(to), maxChars, wideTo === text.length);
  const before = start > 0 || wideFrom > 0 ? "…" : "";
  const after = end < passage.text.trimEnd().length || wideTo < text.length ? "…" : "";
  const body = passage.text.slice(start, end).trimEnd();
  const highlights: [number, number][] = [];
  for (const match of matches) {
    if (match.start < wideFrom || match.end > wideTo) continue;
    const highlight: [number, number] = [
      Math.max(0, passage.at(match.start) - start) + before.length,
      Math.min(body.length, passage.at(match.end) - start) + before.length,
    ];
    const last = highlights.at(-1);
    if (highlight[0] >= highlight[1]) continue;
    if (last !== undefined && highlight[0] < last[1]) last[1] = Math.max(last[1], highlight[1]);
    else highlights.push(highlight);
  }
  return { text: `${before}${body}${after}`, highlights };
}

/** How many times `maxChars` to take before and after the matches, since folding white space shortens them. */
const LOOKAROUND_FACTOR = 3;

/**
 * Returns the start of a snippet that shows `from` to `to`. Uses a third of the spare room before them, and starts
 * at a sentence or line if possible, else at a word.
 */
function passageStart(
  { text, lineStarts }: CleanPassage,
  from: number,
  to: number,
  maxChars: number,
  isTextStart: boolean,
): number {
  const spare = Math.max(0, maxChars - (to - from));
  // Room that the end of the text leaves unused is used before the matches.
  const after = Math.max(0, Math.min(text.length - to, spare));
  const earliest = from - Math.max(Math.floor(spare / 3), spare - after);
  if (earliest <= 0 && isTextStart) return 0;
  let word = -1;
  for (let index = Math.max(1, earliest); index <= from; index++) {
    if (lineStarts.has(index) || isSentenceStart(text, index)) return index;
    if (word === -1 && text[index - 1] === " ") word = index;
  }
  if (word !== -1) return word;
  // A script without spaces, or a very long word.
  return earliest > 0 ? wholeCharacter(text, earliest) : from;
}

/** Returns the end of the snippet, at or after `to`: after a sentence if that fills enough of it, else after a word. */
function passageEnd(
  { text }: CleanPassage,
  start: number,
  to: number,
  maxChars: number,
  isTextEnd: boolean,
): number {
  const limit = start + maxChars;
  if (text.length <= limit && isTextEnd) return text.length;
  const latest = Math.min(limit, text.length);
  const minEnd = Math.max(to, start + Math.floor(maxChars * MIN_FILL));
  for (let index = latest; index >= minEnd; index--) if (isSentenceStart(text, index)) return index;
  const space = text.lastIndexOf(" ", latest);
  return space >= to && space > start + maxChars / 2 ? space : wholeCharacter(text, latest);
}

/** The part of `maxChars` that a snippet must fill to end at a sentence. */
const MIN_FILL = 0.8;

function isSentenceStart(text: string, index: number): boolean {
  const before = text[index - 1] ?? "";
  if ("。！？".includes(before) && before !== "") return true;
  return before === " " && ".!?".includes(text[index - 2] ?? "-");
}

/** Moves an offset off the middle of a surrogate pair. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code < 0xe000 ? index - 1 : index;
}
