import type { CallTable } from "./call-table.ts";
import type { CurrentPath } from "./current-path.ts";
import { NO_ENTRY, NONE, type NodeTable, REQUEST } from "./node-table.ts";
import type { Step, Turn } from "./session.ts";
import { createStepMaker } from "./steps.ts";
import { assignOwners, isRequest } from "./turn-owners.ts";

export interface Turns {
  /** What stands before the first request. */
  readonly preamble: readonly Step[];
  readonly turns: readonly Turn[];
  /** Number of the turn that a node belongs to; null before the first and for nodes that are missing. */
  turnOf(node: number): number | null;
}

/** Gathers the nodes of the main chain into turns, in the order of the log. */
export function makeTurns(nodes: NodeTable, path: CurrentPath, calls: CallTable): Turns {
  const owners = assignOwners(nodes);
  const { kinds, order } = nodes.columns();
  const { hasSidechains } = nodes;
  const numbers = new Map<number, number>();
  const steps = new Map<number, Step[]>([[NONE, []]]);
  for (let index = 0; index < order.length; index++) {
    const node = order[index] ?? 0;
    if (kinds[node] !== REQUEST || !isRequest(nodes, node)) continue;
    numbers.set(node, numbers.size + 1);
    steps.set(node, []);
  }
  const maker = createStepMaker(nodes, calls);
  let lastOwner = NONE;
  let own = steps.get(NONE);
  for (let index = 0; index < order.length; index++) {
    const node = order[index] ?? 0;
    const kind = kinds[node];
    // A request is no step.
    if (kind === NO_ENTRY || kind === REQUEST) continue;
    if (hasSidechains && nodes.sidechain(node) !== undefined) continue;
    const owner = owners[node] ?? NONE;
    if (owner !== lastOwner) own = steps.get(owner);
    lastOwner = owner;
    if (own !== undefined) maker.addSteps(own, node, path.contextOf(node));
    nodes.spend(node);
  }
  const turns: Turn[] = [];
  for (const [node, number] of numbers) {
    const entry = nodes.entry(node);
    if (entry?.kind !== "request") continue;
    turns.push({
      number,
      uid: entry.uid ?? null,
      at: entry.at ?? null,
      line: entry.line,
      context: path.contextOf(node),
      via: entry.via,
      request: entry.text,
      ...(entry.copiedFrom === undefined ? {} : { copiedFrom: entry.copiedFrom }),
      steps: steps.get(node) ?? [],
    });
  }
  return {
    preamble: steps.get(NONE) ?? [],
    turns,
    turnOf: (node) => (node === NONE ? null : (numbers.get(owners[node] ?? NONE) ?? null)),
  };
}
