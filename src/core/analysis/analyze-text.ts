import type { TermSink } from "../search/term-sink.ts";
import { scanTokens } from "./scan-tokens.ts";
import type { Token } from "./token.ts";
import { PAIR } from "./token-link.ts";
import { weakTerm } from "./weak-terms.ts";

/** Names the rules of this folder. An index made by another version is built anew. */
export const ANALYSIS_VERSION: number = 1;

/** A text of pasted data must not fill the dictionary: this is 2 MB of prose. */
const MAX_TERMS = 300_000;

/** Gives the terms that a text is found by, in its order, each as often as it occurs; weak ones once. */
export function analyzeText(text: string, sink: TermSink): void {
  const { id } = sink;
  let room = MAX_TERMS;
  scanTokens(text, (token, _start, _end, link) => {
    if (token.sink !== id) numberTerms(token, sink);
    const { name } = token;
    if (name === undefined) {
      if (token.weak >= 0) {
        sink.addOnce(token.number);
        return false;
      }
      sink.add(token.number);
      return --room <= 0;
    }
    if (link === PAIR) {
      // Its parts were given already, each on its own.
      if (name.whole !== undefined) sink.add(token.number);
      return false;
    }
    const { numbers, terms } = name;
    for (let index = 0; index < terms.length; index++) sink.add(numbers[index] ?? 0);
    for (let index = terms.length; index < numbers.length; index++) sink.addOnce(numbers[index] ?? 0);
    room -= terms.length;
    return room <= 0;
  });
}

/** Notes with a token under which numbers this sink knows its terms. */
function numberTerms(token: Token, sink: TermSink): void {
  const { term, name } = token;
  if (name === undefined) {
    token.number = sink.numberOf(term ?? weakTerm(token.weak));
  } else {
    const { terms, weak, whole } = name;
    terms.forEach((each, index) => {
      name.numbers[index] = sink.numberOf(each);
    });
    weak.forEach((each, index) => {
      name.numbers[terms.length + index] = sink.numberOf(weakTerm(each));
    });
    if (whole !== undefined) token.number = sink.numberOf(whole);
  }
  token.sink = sink.id;
}
