import type { TermSink } from "../ranking/index-schema.ts";
import { type CodeRun, takeKnown } from "./known-codes.ts";
import { NAME_END, NAME_HIGH, NAME_LINK, NAME_LOW, NAME_SIZE } from "./read-names.ts";
import { type NameVisitor, STOP, scanNames } from "./scan-tokens.ts";
import { TAIL_NONE } from "./split-name.ts";
import { type TextUnits, withUnits } from "./text-units.ts";
import { termsOf } from "./token.ts";
import { PAIR } from "./token-link.ts";
import { weakId } from "./weak-terms.ts";
import { createWordCodes, NAME_COUNT, NAME_START, NAME_TAIL } from "./word-codes.ts";

/** Names the rules of this folder. An index made by another version is built anew. */
export const ANALYSIS_VERSION: number = 1;

/** A text of pasted data must not fill the dictionary: this is 2 MB of prose. */
const MAX_TERMS = 300_000;

/** Codes that are handed to the sink at once; more than any name has that is remembered. */
const CODES = 4_096;

/** Gives the terms that a text is found by, in its order, each as often as it occurs; weak ones once. */
export function createAnalyzer(sink: TermSink): (text: string) => void {
  const words = createWordCodes(sink);
  const run: CodeRun = {
    codes: new Uint32Array(CODES),
    count: 0,
    at: 0,
    left: 0,
    tail: TAIL_NONE,
    touched: 0,
  };

  const handOver = (): void => {
    sink.take(run.codes, run.count);
    run.count = 0;
  };
  const push = (code: number): void => {
    if (run.count === CODES) handOver();
    run.codes[run.count++] = code;
  };

  /** Adds the codes of a name that is not known yet, or found no room. */
  const takeNext = (source: TextUnits): void => {
    const { names: found } = source;
    const { at } = run;
    const start = found[at] ?? 0;
    const end = found[at + NAME_END] ?? 0;
    const low = found[at + NAME_LOW] ?? 0;
    const high = found[at + NAME_HIGH] ?? 0;
    run.at += NAME_SIZE;
    run.tail = TAIL_NONE;
    if (found[at + NAME_LINK] === PAIR) {
      const whole = words.wholeOf(source, start, end, low, high);
      if (whole >= 0) push(whole);
      return;
    }
    const code = words.codeOf(source, start, end, low, high);
    if (code >= 0) {
      push(code);
      run.left -= ~code & 1;
      return;
    }
    const { names } = words.known;
    const first = NAME_START - code;
    const size = names[NAME_COUNT - code] ?? 0;
    run.tail = names[NAME_TAIL - code] ?? TAIL_NONE;
    for (let index = first; index < first + size; index++) {
      const one = names[index] ?? 0;
      push(one);
      run.left -= ~one & 1;
    }
  };

  const visitor: NameVisitor = {
    take(source, used) {
      run.at = 0;
      while (!takeKnown(source, used, words.known, run)) takeNext(source);
      return run.left <= 0 ? STOP : run.tail;
    },
    dense(token) {
      for (const term of termsOf(token)) {
        const isWeak = weakId(term) >= 0;
        push(sink.numberOf(term) * 2 + (isWeak ? 1 : 0));
        if (!isWeak && --run.left <= 0) return true;
      }
      return false;
    },
  };

  return (text) => {
    run.left = MAX_TERMS;
    withUnits(text, (source) => scanNames(source, visitor));
    handOver();
  };
}
