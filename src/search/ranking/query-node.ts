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
export interface CombinedNode {
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
