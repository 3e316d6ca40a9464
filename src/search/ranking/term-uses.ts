import { readGroups } from "../paged/postings.ts";
import type { DocumentKind } from "./index-fields.ts";
import type { IndexPart, IndexTerm, IndexView } from "./index-view.ts";
import { type GroupOfPart, withScoringRoom } from "./scoring-room.ts";

export interface TermGroup extends GroupOfPart {
  readonly part: IndexPart;
  readonly kind: DocumentKind;
}

/** The postings of a term, by part and field. */
export function groupsOf(view: IndexView, term: IndexTerm): readonly TermGroup[] {
  return view.postings(term).flatMap(({ part, bytes }) =>
    readGroups(bytes).map((group) => {
      const kind = view.fields[group.field]?.kind ?? "turn";
      const documents = kind === "card" ? part.sessions : part.turns;
      return { part, kind, bytes, group, documents, gone: part.gone(kind) };
    }),
  );
}

/** In how many documents of each kind a term stands: in each field, summed up. */
export function countUses(view: IndexView, term: IndexTerm): number {
  return withScoringRoom((room) =>
    groupsOf(view, term).reduce((sum, group) => sum + room.countLiving(group), 0),
  );
}

/** Whether a term stands in any document that is there. */
export function isIndexed(view: IndexView, term: string): boolean {
  const found = view.exact(term);
  return found !== undefined && countUses(view, found) > 0;
}
