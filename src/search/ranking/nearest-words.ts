import type { NearestWords } from "../engine.ts";
import type { IndexView } from "./index-view.ts";
import { countUses, isIndexed } from "./query-node.ts";

const PER_WORD = 3;
/** Candidates whose postings are counted: the frequent one of two that are equally near is meant. */
const COUNTED = 12;

/** Words of the index that look like ones it does not have. */
export function nearestWords(view: IndexView, words: Iterable<string>): NearestWords[] {
  const found: NearestWords[] = [];
  for (const word of words) {
    if (isIndexed(view, word)) continue;
    const nearest = nearestTo(view, word);
    if (nearest.length > 0) found.push({ word, nearest });
  }
  return found;
}

function nearestTo(view: IndexView, word: string): string[] {
  const maxDistance = word.length < 4 ? 1 : word.length < 8 ? 2 : 3;
  // Hardly anybody mistypes the first letter, and all others begin elsewhere: that is most of the dictionary.
  const candidates = [...view.near(word, maxDistance, true)]
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        Math.abs(a.found.term.length - word.length) - Math.abs(b.found.term.length - word.length),
    )
    .slice(0, COUNTED)
    .map(({ found, distance }) => ({ term: found.term, distance, uses: countUses(view, found) }))
    .filter(({ uses }) => uses > 0);
  candidates.sort((a, b) => a.distance - b.distance || b.uses - a.uses || (a.term < b.term ? -1 : 1));
  return candidates.slice(0, PER_WORD).map(({ term }) => term);
}
