import { clauseNode } from "./clause-nodes.ts";
import { type DocumentSet, hasBit } from "./document-set.ts";
import { evaluate } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import { once } from "./once.ts";
import type { Clause } from "./search-plan.ts";

/**
 * Whether a turn has all words of a clause's phrase in texts that are kept apart: only then those are opened, to see
 * whether they stand together. Clauses are known by their place.
 */
export function phrasesApart(
  view: IndexView,
  clauses: readonly Clause[],
): (turn: number, clause: number) => boolean {
  const apart = view.fields.filter(({ stored }) => stored === "apart").map(({ name }) => name);
  const within = (clause: Clause): Clause => {
    if (clause.kind === "any") return { ...clause, of: clause.of.map(within) };
    return { ...clause, fields: apart.filter((name) => clause.fields?.includes(name) ?? true) };
  };
  const asked = clauses.filter(({ kind }) => kind !== "word");
  const bits = new Map(asked.map((clause, bit) => [clauses.indexOf(clause), bit]));
  const found = once((): DocumentSet => {
    const reading = { fields: view.fields, isLoose: () => false, has: () => false };
    const nodes = asked.map((clause) => clauseNode(within(clause), reading));
    const unweighted = view.fields.map(() => 1);
    return evaluate(view, nodes, unweighted).turn;
  });
  return (turn, clause) => {
    const bit = bits.get(clause);
    return apart.length > 0 && bit !== undefined && hasBit(found(), turn, bit);
  };
}
