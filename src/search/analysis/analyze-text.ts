import type { TermSink } from "../ranking/index-schema.ts";
import type { Tail } from "./split-name.ts";
import { isWeak } from "./stop-words.ts";
import { tokenOf } from "./token.ts";
import { createTokenCache } from "./token-cache.ts";
import { scanTokens } from "./tokenize.ts";

/** Names the rules of this folder. An index made by another version is rebuilt. */
export const ANALYSIS_VERSION: number = 2;

/** A text of pasted data must not fill the dictionary: this is 2 MB of prose. */
const MAX_TERMS = 300_000;

/** A token by the ids of its terms. Small, because every word of every text is looked up among tens of thousands. */
interface IndexedToken {
  readonly ids: readonly number[];
  readonly tail: Tail;
}

/** Makes a function that adds the terms of a text to a sink, in order, each as often as it occurs. */
export function createAnalyzer(sink: TermSink): (text: string) => void {
  const tokens = createTokenCache((raw): IndexedToken => {
    const { terms, tail } = tokenOf(raw);
    return { ids: terms.map((term) => sink.idOf(term, isWeak(term))), tail };
  });
  return (text) => {
    const found: number[] = [];
    scanTokens(text, tokens, ({ ids }) => {
      for (const id of ids) found.push(id);
      return found.length >= MAX_TERMS;
    });
    sink.add(found);
  };
}
