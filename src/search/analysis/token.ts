import { classAt, DENSE, DENSE_ODD, isDigit, unitAt, widthAt } from "./char-class.ts";
import { foldLetters } from "./fold.ts";
import { MAX_TERM_CHARS } from "./junk.ts";
import { joinParts, type NameTail, splitName, TAIL_NONE } from "./split-name.ts";
import { stem } from "./stem.ts";
import { isStopWord, weakId, weakTerm } from "./weak-terms.ts";

/**
 * A name or word of a text, or two letters of a dense script, with what the index knows it by. Small on
 * purpose: tens of thousands are kept at hand, and every word of every text is looked up among them.
 */
export interface Token {
  /** As it stands in the text. */
  readonly raw: string;
  /** Its term, where it has one and that is not weak. */
  readonly term: string | undefined;
  /** Number of its term, where it has one and that is weak; else -1. */
  readonly weak: number;
  /** What there is to know if it does not have just one term of one word. */
  readonly name: Name | undefined;
}

/** A name of several words, or of none that the index takes. */
export interface Name {
  /** Terms that count as often as they occur. */
  readonly terms: readonly string[];
  /** Numbers of its weak terms, which count once in a text. */
  readonly weak: readonly number[];
  /** The words that it consists of, in their order, each as a term: what a phrase is compared by. */
  readonly atoms: readonly string[];
  /** All atoms as one term, if there are several. */
  readonly whole: string | undefined;
  readonly tail: NameTail;
}

/** The term of a single lower-case word. */
export function termOf(word: string): string {
  if (!isPlain(word, 0)) return word.replace(/\u03c2/g, "σ");
  if (isStopWord(word)) return word;
  const found = stem(word);
  // "owned" must not become "own", which no query asks for.
  return isStopWord(found) ? word : found;
}

function isPlain(word: string, from: number): boolean {
  return plainLength(word, from) === word.length;
}

/** Where the letters a to z end that begin at `from`. */
function plainLength(word: string, from: number): number {
  let index = from;
  while (index < word.length) {
    const code = word.charCodeAt(index);
    if (code < 97 || code > 122) break;
    index++;
  }
  return index;
}

/** Gives the token of a part of a name: the cache does, so that common parts are not made anew. */
export type TokenOfPart = (name: string, start: number, end: number) => Token;

/** `raw` is one name as the scanner cuts it, or one or two letters of a dense script. */
export function makeToken(raw: string, tokenOfPart: TokenOfPart): Token {
  const known = plainTerm(raw) ?? sharpNames.get(raw);
  if (known !== undefined) return simpleToken(raw, known);
  const kind = classAt(raw, 0);
  if (kind === DENSE || kind === DENSE_ODD) return simpleToken(raw, raw);
  const name = isAscii(raw) ? raw : foldLetters(raw);
  const { parts, wholeParts, tail } = splitName(name);
  const atoms: string[] = [];
  const terms: string[] = [];
  const weak: number[] = [];
  const whole = wholeParts > 1 ? joinParts(name, parts, wholeParts) : "";
  // A whole is not stemmed: user.settings is not user.set, token.ts is no plural.
  const wholeTerm = whole === "" || whole.length > MAX_TERM_CHARS ? undefined : whole;
  if (wholeTerm !== undefined) addTerm(wholeTerm, weakId(wholeTerm), terms, weak);
  for (const { start, end, text } of parts) {
    if (text === undefined && end - start < name.length) {
      const part = tokenOfPart(name, start, end);
      if (part.name === undefined) {
        const term = part.term ?? weakTerm(part.weak);
        atoms.push(term);
        addTerm(term, part.weak, terms, weak);
      } else {
        atoms.push(...part.name.atoms);
        for (const term of part.name.terms) addTerm(term, -1, terms, weak);
      }
      continue;
    }
    const word = text ?? name.toLowerCase();
    if (word.length > MAX_TERM_CHARS) continue;
    const term = termOf(word);
    atoms.push(term);
    addTerm(term, weakId(term), terms, weak);
    const lead = leadOf(word);
    if (lead !== undefined) addTerm(lead, weakId(lead), terms, weak);
  }
  const [only] = atoms;
  if (only !== undefined && terms.length + weak.length === 1 && tail === TAIL_NONE)
    return simpleToken(raw, only);
  return { raw, term: undefined, weak: -1, name: { terms, weak, atoms, whole: wholeTerm, tail } };
}

function simpleToken(raw: string, term: string): Token {
  const weak = weakId(term);
  // Where the word is its own term, one string does for both.
  return { raw, term: weak >= 0 ? undefined : term === raw ? raw : term, weak, name: undefined };
}

function addTerm(term: string, weakNumber: number, terms: string[], weak: number[]): void {
  if (weakNumber < 0) {
    if (!terms.includes(term)) terms.push(term);
  } else if (!weak.includes(weakNumber)) {
    weak.push(weakNumber);
  }
}

/** The words of a token in their order; of a pair of dense letters its first one. */
export function atomsOf(token: Token): readonly string[] {
  if (token.name !== undefined) return token.name.atoms;
  const term = token.term ?? weakTerm(token.weak);
  const kind = classAt(term, 0);
  return [kind === DENSE || kind === DENSE_ODD ? term.slice(0, widthAt(term, 0)) : term];
}

/** Everything that a token is found by. */
export function termsOf(token: Token): readonly string[] {
  if (token.name !== undefined) return [...token.name.terms, ...token.name.weak.map(weakTerm)];
  return [token.term ?? weakTerm(token.weak)];
}

/** The term of a word of nothing but letters in one hump, which most are. */
function plainTerm(raw: string): string | undefined {
  if (raw.length > PLAIN_CHARS || !isPlain(raw, 1)) return undefined;
  const first = raw.charCodeAt(0);
  if (first >= 65 && first <= 90) return termOf(raw.toLowerCase());
  return first >= 97 && first <= 122 ? termOf(raw) : undefined;
}

/** Shorter than anything that counts as a hash. */
export const PLAIN_CHARS = 15;

/** oauth2 is also found as oauth; ts2345 is not as ts. */
function leadOf(word: string): string | undefined {
  const length = plainLength(word, 0);
  return length >= 3 && isDigit(unitAt(word, length)) ? termOf(word.slice(0, length)) : undefined;
}

/** Languages whose name is told from a letter by its signs alone. */
export const sharpNames: ReadonlyMap<string, string> = new Map([
  ["c++", "c++"],
  ["C++", "c++"],
  ["c#", "c#"],
  ["C#", "c#"],
  ["f#", "f#"],
  ["F#", "f#"],
]);

export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
