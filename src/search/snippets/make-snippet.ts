import { type CleanPassage, cleanPassage } from "./clean-passage.ts";
import { findTermMatches, nearTerms, type TextMatch, type WordOf } from "./find-matches.ts";
import { phraseSpans } from "./phrase.ts";

export interface Snippet {
  readonly text: string;
  /** Where the words stand in it, as ranges from and to, in UTF-16 units. */
  readonly highlights: readonly (readonly [number, number])[];
  /** How many different words of the query it has. */
  readonly words: number;
}

export interface SnippetOptions {
  /** Units of text, the two dots of what is left out aside. */
  readonly maxChars: number;
  /** A passage that has one of these is better than one that only has its words. */
  readonly phrases?: readonly string[];
}

/** Places of one phrase that are looked at. */
const MAX_PHRASES = 1_000;

/** Where most words of a query stand together in a text. */
export interface SnippetPassage {
  /** How many different phrases: one that has a phrase is better than any that only has words. */
  readonly phrases: number;
  /** How many different words, phrases among them. */
  readonly words: number;
  /** Cuts it out: of several passages only the best needs that. */
  show(): Snippet;
}

/**
 * The passage of a text in which most words of a query stand together; undefined where none does.
 * `terms` are the terms of the index that matched, among them those that are only nearly what was
 * typed; as a map they say which word of the query each belongs to.
 */
export function findPassage(
  text: string,
  terms: Terms,
  { maxChars, phrases = [] }: SnippetOptions,
): SnippetPassage | undefined {
  const { wordOf, words: wanted, pattern } = lookedUp(terms);
  const near = pattern === undefined ? undefined : { pattern, words: wanted, maxChars };
  const matches = withPhrases(text, findTermMatches(text, wordOf, near), phrases);
  if (matches.length === 0) return undefined;
  const { first, last, words, phrases: whole } = bestRun(matches, maxChars);
  return {
    words,
    phrases: whole,
    show: () => {
      const [from, to] = [matches[first]?.start ?? 0, endOf(matches, first, last)];
      return { ...shown(text, from, to, matches, maxChars), words };
    },
  };
}

export function makeSnippet(text: string, terms: Terms, options: SnippetOptions): Snippet | undefined {
  return findPassage(text, terms, options)?.show();
}

type Terms = ReadonlySet<string> | ReadonlyMap<string, number>;

/** What is made of the terms of a query, once for all texts that it is looked for in. */
interface LookedUp {
  readonly wordOf: WordOf;
  readonly words: number;
  readonly pattern: RegExp | undefined;
}

const known = new WeakMap<Terms, LookedUp>();

function lookedUp(terms: Terms): LookedUp {
  const before = known.get(terms);
  if (before !== undefined) return before;
  const numbers = "get" in terms ? terms : new Map([...terms].map((term, index) => [term, index]));
  const made: LookedUp = {
    wordOf: (term) => numbers.get(term),
    words: new Set(numbers.values()).size,
    pattern: nearTerms(terms.keys()),
  };
  known.set(terms, made);
  return made;
}

/** A phrase counts as a word of its own, with a number below 0, beside its words. */
function withPhrases(
  text: string,
  matches: readonly TextMatch[],
  phrases: readonly string[],
): readonly TextMatch[] {
  const found = phrases.flatMap((phrase, index) =>
    phraseSpans(text, phrase, MAX_PHRASES).map(([start, end]) => ({ start, end, word: -1 - index })),
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
 * The run of matches within `maxChars` that has the most phrases, and of those the most different words; of equals the
 * one with the most matches, then the first.
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

/** Puts what stands around the matches beside them, up to the borders of sentences or words. */
function shown(
  text: string,
  from: number,
  to: number,
  matches: readonly TextMatch[],
  maxChars: number,
): Pick<Snippet, "text" | "highlights"> {
  // White space is folded afterwards: so much more is looked at.
  const wideFrom = Math.max(0, from - WIDTH * maxChars);
  const wideTo = Math.min(text.length, Math.max(to, from + maxChars) + WIDTH * maxChars);
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

const WIDTH = 3;

/**
 * Where a snippet begins that shows what stands from `from` to `to`: a third of the spare room before it, at
 * the beginning of a sentence or line if there is one, else of a word.
 */
function passageStart(
  { text, lineStarts }: CleanPassage,
  from: number,
  to: number,
  maxChars: number,
  beginsText: boolean,
): number {
  const spare = Math.max(0, maxChars - (to - from));
  // What would remain unused behind the end of the text is used before it.
  const behind = Math.max(0, Math.min(text.length - to, spare));
  const earliest = from - Math.max(Math.floor(spare / 3), spare - behind);
  if (earliest <= 0 && beginsText) return 0;
  let word = -1;
  for (let index = Math.max(1, earliest); index <= from; index++) {
    if (lineStarts.has(index) || isSentenceStart(text, index)) return index;
    if (word === -1 && text[index - 1] === " ") word = index;
  }
  if (word !== -1) return word;
  // A script without spaces, or a word without end.
  return earliest > 0 ? wholeCharacter(text, earliest) : from;
}

/** Where it ends, not before `to`: behind a sentence if that leaves little unused, else behind a word. */
function passageEnd(
  { text }: CleanPassage,
  start: number,
  to: number,
  maxChars: number,
  endsText: boolean,
): number {
  const limit = start + maxChars;
  if (text.length <= limit && endsText) return text.length;
  const latest = Math.min(limit, text.length);
  const nearly = Math.max(to, start + Math.floor(maxChars * NEARLY));
  for (let index = latest; index >= nearly; index--) if (isSentenceStart(text, index)) return index;
  const space = text.lastIndexOf(" ", latest);
  return space >= to && space > start + maxChars / 2 ? space : wholeCharacter(text, latest);
}

const NEARLY = 0.8;

function isSentenceStart(text: string, index: number): boolean {
  const before = text[index - 1] ?? "";
  if ("。！？".includes(before) && before !== "") return true;
  return before === " " && ".!?".includes(text[index - 2] ?? "-");
}

/** Not between the two halves of one character. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code < 0xe000 ? index - 1 : index;
}
