import { scanTokens } from "./scan-tokens.ts";
import { PAIR } from "./token-link.ts";
import { WEAK_TERMS, weakTerm } from "./weak-terms.ts";

/** Names the rules of this folder. An index made by another version is built anew. */
export const ANALYSIS_VERSION: number = 1;

/** A text of pasted data must not fill the dictionary: this is 2 MB of prose. */
const MAX_TERMS = 300_000;

/** For each weak term the number of the last text that gave it. */
const lastText = new Int32Array(WEAK_TERMS);
let texts = 0;

/**
 * Gives the terms that a text is found by, in its order, each as often as it occurs; weak ones once.
 * The strings are shared between texts, so that a Map of them mostly compares by identity.
 */
export function analyzeText(text: string, emit: (term: string) => void): void {
  texts = (texts + 1) | 0;
  const current = texts;
  let room = MAX_TERMS;
  const emitWeak = (id: number): void => {
    if (lastText[id] === current) return;
    lastText[id] = current;
    emit(weakTerm(id));
  };
  scanTokens(text, (token, _start, _end, link) => {
    const { term, name } = token;
    if (term !== undefined) {
      emit(term);
      return --room <= 0;
    }
    if (name === undefined) {
      emitWeak(token.weak);
      return false;
    }
    if (link === PAIR) {
      // Its parts were given already, each on its own.
      if (name.whole !== undefined) emit(name.whole);
      return false;
    }
    for (const found of name.terms) emit(found);
    for (const id of name.weak) emitWeak(id);
    room -= name.terms.length;
    return room <= 0;
  });
}
