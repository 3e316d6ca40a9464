import type { IndexTerm, IndexView } from "./index-view.ts";
import { readGroups } from "./postings.ts";
import { countLiving } from "./score-group.ts";

/** In how many documents of each kind a term stands: in each field, summed up. */
export function countUses(view: IndexView, term: IndexTerm): number {
  let uses = 0;
  for (const { part, bytes } of view.postings(term)) {
    for (const group of readGroups(bytes)) {
      uses += countLiving(bytes, group, part.gone(view.fields[group.field]?.kind ?? "turn"));
    }
  }
  return uses;
}

/** Whether a term stands in any document that is there. */
export function isIndexed(view: IndexView, term: string): boolean {
  const found = view.exact(term);
  return found !== undefined && countUses(view, found) > 0;
}
