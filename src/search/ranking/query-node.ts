import { readGroups } from "../paged/postings.ts";
import type { DocumentKind } from "./index-schema.ts";
import type { IndexPart, IndexTerm, IndexView } from "./index-view.ts";
import { type GroupOfPart, withScorer } from "./scorer.ts";

/** A question to the index as MiniSearch understands it: terms, combined. */
export interface TermNode {
  readonly kind: "term";
  readonly term: string;
  /** Also longer terms that begin so. */
  readonly prefix: boolean;
  /** Also terms within this edit distance; 0 is none. */
  readonly maxDistance: number;
  readonly boost: number;
  /** Places of the fields that count, as bits. */
  readonly fields: number;
}

/** `all`: documents that match each one; `any`: at least one; `without`: the first and none of the others. */
interface CombinedNode {
  readonly kind: "all" | "any" | "without";
  readonly nodes: readonly QueryNode[];
}

export type QueryNode = TermNode | CombinedNode;

/** The different terms that are asked for, in order. A document's score counts how many of them it has. */
export function termsOf(nodes: readonly QueryNode[], found: Set<string> = new Set()): Set<string> {
  for (const node of nodes) {
    if (node.kind === "term") found.add(node.term);
    else termsOf(node.nodes, found);
  }
  return found;
}

interface TermGroup extends GroupOfPart {
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
  return withScorer((room) => groupsOf(view, term).reduce((sum, group) => sum + room.countLiving(group), 0));
}

/** Whether a term stands in any document that is there. */
export function isIndexed(view: IndexView, term: string): boolean {
  const found = view.exact(term);
  return found !== undefined && countUses(view, found) > 0;
}
