import type { Fact, Lineage } from "./entry.ts";
import type { Label, Turn } from "./session.ts";

/** The last fact of a name: the one that counts. */
export function lastFact<Name extends Fact["name"]>(
  facts: readonly Fact[],
  name: Name,
): Extract<Fact, { name: Name }> | undefined {
  return facts.findLast((fact): fact is Extract<Fact, { name: Name }> => fact.name === name);
}

export function labelsOf(facts: readonly Fact[], turnOf: (uid: string) => number | null): readonly Label[] {
  const byTarget = new Map<string, string | null>();
  for (const fact of facts) if (fact.name === "label") byTarget.set(fact.target, fact.text);
  return [...byTarget].flatMap(([target, text]) => (text === null ? [] : [{ text, turn: turnOf(target) }]));
}

export function linksOf(facts: readonly Fact[]): readonly string[] {
  return [...new Set(facts.flatMap((fact) => (fact.name === "link" ? [fact.url] : [])))];
}

/** A fork whose lines say where they were copied from. */
export function forkOf(turns: readonly Turn[]): Lineage | null {
  const session = turns.find((turn) => turn.copiedFrom !== undefined)?.copiedFrom;
  return session === undefined ? null : { kind: "fork", session };
}
