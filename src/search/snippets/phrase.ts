import { isAscii } from "../analysis/characters.ts";
import { tokens } from "../analysis/token.ts";
import { scanTokens } from "../analysis/tokenize.ts";

/** Start and end of a phrase in a text. */
export type PhraseSpan = readonly [start: number, end: number];

/** Finds the first `limit` occurrences of a phrase in a text. */
export type PhraseFinder = (text: string, limit: number) => readonly PhraseSpan[];

/** Says whether a text has the words of a phrase in a row. */
export function containsPhrase(text: string, phrase: string): boolean {
  return createPhraseFinder(phrase)(text, 1).length > 0;
}

/**
 * Prepares to find the words of a phrase in a row, including stop words. Words are compared as index terms: line
 * breaks, signs between words, case and endings do not count, and the parts of a name are words ("user by id" is
 * found in getUserById). Linear in the text for any phrase (Knuth-Morris-Pratt).
 */
export function createPhraseFinder(phrase: string): PhraseFinder {
  const atoms: string[] = [];
  scanTokens(phrase, tokens, (token, _start, _end, link) => {
    if (link !== "pair") atoms.push(...token.atoms);
    return false;
  });
  // A phrase of nothing but signs or hashes has no terms: compare the characters.
  if (atoms.length === 0) return (text, limit) => literalSpans(text, phrase.trim(), limit);
  const fallback = fallbacks(atoms);
  return (text, limit) => {
    const spans: PhraseSpan[] = [];
    const starts: number[] = [];
    let matched = 0;
    scanTokens(text, tokens, (token, start, end, link) => {
      if (link === "pair") return false;
      for (const atom of token.atoms) {
        while (matched > 0 && atoms[matched] !== atom) matched = fallback[matched - 1] ?? 0;
        starts.push(start);
        if (starts.length > atoms.length) starts.shift();
        if (atoms[matched] === atom) matched++;
        if (matched < atoms.length) continue;
        spans.push([starts[0] ?? start, end]);
        if (spans.length >= limit) return true;
        matched = fallback[matched - 1] ?? 0;
      }
      return false;
    });
    return spans;
  };
}

/**
 * Finds a phrase as typed, ignoring case and the amount of space. Much faster than comparing terms, which is done
 * only if nothing was found and the phrase has non-ASCII letters, which can be written in several ways.
 */
export function phraseSpans(text: string, phrase: string, limit: number): readonly PhraseSpan[] {
  const words = phrase.trim().split(/\s+/);
  const typed = words.map((word) => word.replace(/[\^$\\.*+?()[\]{}|]/g, "\\$&")).join("\\s+");
  if (typed === "") return [];
  const pattern = new RegExp(`${/^\w/.test(typed) ? "(?<![a-z0-9])" : ""}${typed}`, "gi");
  const spans: PhraseSpan[] = [];
  for (let found = pattern.exec(text); found !== null && spans.length < limit; found = pattern.exec(text))
    spans.push([found.index, pattern.lastIndex]);
  return spans.length > 0 || isAscii(phrase) ? spans : createPhraseFinder(phrase)(text, limit);
}

/** Returns, for each word, how many words of the phrase still match if the next one does not. */
function fallbacks(words: readonly string[]): readonly number[] {
  const table = [0];
  let length = 0;
  for (let index = 1; index < words.length; index++) {
    while (length > 0 && words[index] !== words[length]) length = table[length - 1] ?? 0;
    if (words[index] === words[length]) length++;
    table.push(length);
  }
  return table;
}

function literalSpans(text: string, phrase: string, limit: number): readonly PhraseSpan[] {
  const spans: PhraseSpan[] = [];
  if (phrase === "") return spans;
  let at = text.indexOf(phrase);
  while (at !== -1 && spans.length < limit) {
    spans.push([at, at + phrase.length]);
    at = text.indexOf(phrase, at + phrase.length);
  }
  return spans;
}
