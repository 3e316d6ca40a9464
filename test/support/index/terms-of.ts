import { createAnalyzer } from "../../../src/search/analysis/analyze-text.ts";
import type { CreateAnalyzer } from "../../../src/search/ranking/index-schema.ts";

/** Emits the terms of a text, as often as they count, those of the same word together. */
export function eachTerm(
  text: string,
  emit: (term: string) => void,
  create: CreateAnalyzer = createAnalyzer,
): void {
  const ids = new Map<string, number>();
  const terms: { readonly term: string; readonly isWeak: boolean }[] = [];
  const given = new Set<number>();
  const analyze = create({
    idOf(term, isWeak) {
      const id = ids.get(term) ?? terms.push({ term, isWeak }) - 1;
      ids.set(term, id);
      return id;
    },
    add(id, times) {
      const added = terms[id];
      if (added === undefined || (added.isWeak && given.has(id))) return;
      given.add(id);
      for (let time = 0; time < (added.isWeak ? 1 : times); time++) emit(added.term);
    },
  });
  analyze(text);
}
