import { once } from "../../fs/once.ts";
import { createWordForms, lettersToString } from "./word-forms.ts";

/**
 * Weak terms say little about a text however often they stand in it: stop words, single letters,
 * numbers of up to four digits (line numbers, mostly). A text gives each of them once, so that they
 * can be found and neither weigh nor cost much. Leaving them out altogether would make a search for
 * nothing but such words ("to be or not to be", 404) impossible.
 */
const stopWordText = `
a about above after again against all also am an and any are arent as at be because been before being below
between both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each few for
from further had hadnt has hasnt have havent having he her here hers herself him himself his how i if in into
is isnt it its itself just lets me might more most must my myself no nor not now of off on once only or other
our ours ourselves out over own please same shall she should shouldnt so some such than that thats the their
theirs them themselves then there theres these they this those through to too under until up us very was wasnt
we were werent what when where which while who whom whose why will with wont would wouldnt you your yours
yourself yourselves`;

const stopWordList = stopWordText.trim().split(/\s+/);
const stopWords: ReadonlySet<string> = new Set(stopWordList);

export function isStopWord(term: string): boolean {
  return stopWords.has(term);
}

const stopForms = once(() => createWordForms(stopWordList));

/** The same for the first `length` letters. */
export function isStopLetters(letters: Uint8Array, length: number): boolean {
  return stopForms().mayHave(letters, length) && stopWords.has(lettersToString(letters, length));
}

const NUMBERS = 10_000;
/** Digits of the largest of them. */
const MAX_DIGITS = 4;

const named: readonly string[] = [..."abcdefghijklmnopqrstuvwxyz", ...stopWordList];
// The letters a and i are stop words too: either number will do, as long as it is always the same.
const namedIds: ReadonlyMap<string, number> = new Map(named.map((term, index) => [term, NUMBERS + index]));

/** The number of a weak term; -1 for any other. */
export function weakId(term: string): number {
  const first = term.charCodeAt(0);
  if (first >= 48 && first <= 57) {
    // 007 is another term than 7, and no weak one.
    if (term.length > MAX_DIGITS || (first === 48 && term.length > 1)) return -1;
    let value = 0;
    for (let index = 0; index < term.length; index++) {
      const digit = term.charCodeAt(index) - 48;
      if (digit < 0 || digit > 9) return -1;
      value = value * 10 + digit;
    }
    return value;
  }
  return namedIds.get(term) ?? -1;
}

/** Is the term of these letters, in ASCII, a weak one? */
export function isWeakLetters(letters: Uint8Array, length: number): boolean {
  const first = letters[0] ?? 0;
  if (first < 48 || first > 57)
    return length === 1 ? first >= 97 && first <= 122 : isStopLetters(letters, length);
  if (length > MAX_DIGITS || (first === 48 && length > 1)) return false;
  for (let index = 1; index < length; index++) {
    const digit = letters[index] ?? 0;
    if (digit < 48 || digit > 57) return false;
  }
  return true;
}

export function weakTerm(id: number): string {
  return id < NUMBERS ? String(id) : (named[id - NUMBERS] ?? "");
}
