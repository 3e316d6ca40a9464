import type { TermSink } from "../search/term-sink.ts";
import { type NameVisitor, STOP, scanNames } from "./scan-tokens.ts";
import { TAIL_NONE } from "./split-name.ts";
import { withUnits } from "./text-units.ts";
import { termsOf } from "./token.ts";
import { PAIR } from "./token-link.ts";
import { weakId } from "./weak-terms.ts";
import { createWordCodes, NAME_COUNT, NAME_START, NAME_TAIL } from "./word-codes.ts";

/** Names the rules of this folder. An index made by another version is built anew. */
export const ANALYSIS_VERSION: number = 1;

/** A text of pasted data must not fill the dictionary: this is 2 MB of prose. */
const MAX_TERMS = 300_000;

/** Codes that are handed to the sink at once. */
const CODES = 4_096;

/** Gives the terms that a text is found by, in its order, each as often as it occurs; weak ones once. */
export function createAnalyzer(sink: TermSink): (text: string) => void {
  const words = createWordCodes(sink);
  const codes = new Uint32Array(CODES);
  let count = 0;
  let room = 0;

  const push = (code: number): void => {
    if (count === CODES) {
      sink.take(codes, count);
      count = 0;
    }
    codes[count++] = code;
  };

  /** Gives a word or a name; what follows it, or STOP. */
  const give = (code: number): number => {
    if (code < 0) return giveName(-code);
    push(code);
    return (code & 1) === 0 && --room <= 0 ? STOP : TAIL_NONE;
  };

  const giveName = (at: number): number => {
    const { names } = words;
    const end = at + NAME_START + (names[at + NAME_COUNT] ?? 0);
    for (let index = at + NAME_START; index < end; index++) {
      const code = names[index] ?? 0;
      push(code);
      if ((code & 1) === 0) room--;
    }
    return room <= 0 ? STOP : (names[at + NAME_TAIL] ?? TAIL_NONE);
  };

  const visitor: NameVisitor = {
    name(source, start, end, low, high, link) {
      if (link !== PAIR) return give(words.codeOf(source, start, end, low, high));
      // Its parts were given already, each on its own.
      const whole = words.wholeOf(source, start, end, low, high);
      if (whole >= 0) push(whole);
      return TAIL_NONE;
    },
    dense: (token) => {
      for (const term of termsOf(token))
        if (give(sink.numberOf(term) * 2 + (weakId(term) < 0 ? 0 : 1)) === STOP) return true;
      return false;
    },
  };

  return (text) => {
    room = MAX_TERMS;
    withUnits(text, (source) => scanNames(source, visitor));
    sink.take(codes, count);
    count = 0;
  };
}
