import { classAt, DENSE, foldLetters, widthAt } from "./characters.ts";
import { MAX_TERM_CHARS } from "./junk.ts";
import { splitName, type Tail } from "./split-name.ts";
import { stem } from "./stem.ts";
import { isStopWord } from "./stop-words.ts";
import { createTokenCache, type TokenCache } from "./token-cache.ts";

/** The index's view of a token of a text. */
export interface Token {
  /** The token as it is in the text: a name, the last two names of a path, or one or two letters of a dense script. */
  readonly raw: string;
  /** All terms that find it, each once. */
  readonly terms: readonly string[];
  /** Its words in order, as terms; phrases are compared by these. */
  readonly atoms: readonly string[];
  /** All its words as one term, if there are several. */
  readonly whole: string | undefined;
  /** The kind of text after it that is skipped. */
  readonly tail: Tail;
}

/** Analyzes a token that `scanTokens` cut. */
export function tokenOf(raw: string): Token {
  if (classAt(raw, 0) === DENSE)
    return { raw, terms: [raw], atoms: [raw.slice(0, widthAt(raw, 0))], whole: undefined, tail: undefined };
  // C++ and C#
  if (/[+#]$/.test(raw)) {
    const terms = [raw.toLowerCase()];
    return { raw, terms, atoms: terms, whole: undefined, tail: undefined };
  }
  const { parts, whole: joined, tail } = splitName(foldLetters(raw));
  // A complete name is not stemmed: user.settings is not user.set, token.ts is not a plural.
  const whole = joined !== undefined && joined.length <= MAX_TERM_CHARS ? joined : undefined;
  const terms = whole === undefined ? [] : [whole];
  const atoms: string[] = [];
  // The names of a path are tokens, too.
  const isPath = /[/\\:]/.test(raw);
  for (const { word } of parts) {
    if (word.length > MAX_TERM_CHARS) continue;
    const [atom = word, lead] = termsOfWord(word);
    atoms.push(atom);
    if (isPath) continue;
    if (!terms.includes(atom)) terms.push(atom);
    if (lead !== undefined && !terms.includes(lead)) terms.push(lead);
  }
  return { raw, terms, atoms, whole, tail };
}

/** Tokens of queries and snippets; the index keeps its own. */
export const tokens: TokenCache<Token> = createTokenCache(tokenOf);

/** All terms that find a lower-case word, its own first: oauth2 also as oauth, but ts2345 not as ts. */
export function termsOfWord(word: string): readonly string[] {
  const lead = /^([a-z]{3,})[0-9]/.exec(word)?.[1];
  return lead === undefined ? [termOf(word)] : [termOf(word), termOf(lead)];
}

/** The term of a lower-case word. */
export function termOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word.replace(/\u03c2/g, "σ");
  if (isStopWord(word)) return word;
  const found = stem(word);
  // "owned" must not become "own", which no query searches for.
  return isStopWord(found) ? word : found;
}
