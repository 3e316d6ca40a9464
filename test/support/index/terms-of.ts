import { analyzeText } from "../../../src/core/analysis/analyze-text.ts";
import type { Analyze } from "../../../src/core/search/index-schema.ts";
import { nextSinkId } from "../../../src/core/search/term-sink.ts";

/** The terms of a text, in the order in which they are given. */
export function eachTerm(text: string, emit: (term: string) => void, analyze: Analyze = analyzeText): void {
  const terms: string[] = [];
  const given = new Set<number>();
  const add = (number: number): void => emit(terms[number] ?? "");
  analyze(text, {
    id: nextSinkId(),
    numberOf: (term) => (terms.includes(term) ? terms.indexOf(term) : terms.push(term) - 1),
    add,
    addOnce(number) {
      if (given.has(number)) return;
      given.add(number);
      add(number);
    },
  });
}
