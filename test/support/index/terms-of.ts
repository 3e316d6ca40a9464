import { createAnalyzer } from "../../../src/search/analysis/analyze-text.ts";
import type { CreateAnalyzer } from "../../../src/search/ranking/index-schema.ts";

/** Gives the terms of a text, in the order in which they come. */
export function eachTerm(
  text: string,
  emit: (term: string) => void,
  create: CreateAnalyzer = createAnalyzer,
): void {
  const numbers = new Map<string, number>();
  const terms: string[] = [];
  const given = new Set<number>();
  const numberOf = (term: string): number => {
    const number = numbers.get(term) ?? terms.push(term) - 1;
    numbers.set(term, number);
    return number;
  };
  const analyze = create({
    numberOf,
    numberOfLetters: (letters, length) => numberOf(String.fromCharCode(...letters.subarray(0, length))),
    take(codes, count) {
      for (const code of codes.slice(0, count)) {
        if (code % 2 === 1 && given.has(code)) continue;
        given.add(code);
        emit(terms[code >>> 1] ?? "");
      }
    },
  });
  analyze(text);
}
