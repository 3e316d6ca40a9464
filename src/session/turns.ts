import type { CurrentPath } from "./current-path.ts";
import { COMPACTION, NO_ENTRY, NONE, type NodeTable, REQUEST } from "./node-table.ts";
import type { Step, Turn } from "./session.ts";
import { type CallTable, createStepMaker } from "./steps.ts";

interface Turns {
  /** Steps before the first request. */
  readonly preamble: readonly Step[];
  readonly turns: readonly Turn[];
  /** Number of the turn that a node belongs to; null before the first turn and for missing nodes. */
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
    // A request is not a step.
    if (kind === NO_ENTRY || kind === REQUEST) continue;
    if (hasSidechains && nodes.sidechain(node) !== undefined) continue;
    const owner = owners[node] ?? NONE;
    if (owner !== lastOwner) own = steps.get(owner);
    lastOwner = owner;
    if (own !== undefined) maker.addSteps(own, node, path.contextOf(node));
    nodes.release(node);
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
      ...(entry.images === 0 ? {} : { images: entry.images }),
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

/** Finds the request that each node of the main chain belongs to: the nearest one above it in the tree, or NONE. */
function assignOwners(nodes: NodeTable): Int32Array {
  const { parents, positions, kinds, order } = nodes.columns();
  const { hasSidechains } = nodes;
  const owners = new Int32Array(nodes.size).fill(NONE);
  /** By owner: the prompt that was sent in the middle of its turn. What comes later in the log belongs to that prompt. */
  const midTurn = new Map<number, number>();
  let previous = NONE;
  for (let index = 0; index < order.length; index++) {
    const node = order[index] ?? 0;
    if (hasSidechains && nodes.sidechain(node) !== undefined) continue;
    let above = parents[node] ?? NONE;
    // Parents come before their children in the log, except for kept messages that were written again and for cycles.
    // For these, and if the parent is missing, the line before decides.
    if (!comesBefore(positions, above, node)) {
      above = kinds[node] === COMPACTION ? logicalParent(nodes, node) : NONE;
      if (!comesBefore(positions, above, node)) above = previous;
    }
    let owner = above === NONE ? NONE : (owners[above] ?? NONE);
    if (midTurn.size > 0) owner = lastMidTurn(midTurn, owner);
    if (kinds[node] === REQUEST) {
      // Without a name it can have no children in the tree.
      if (owner !== NONE && isNameless(nodes, node)) midTurn.set(owner, node);
      owner = node;
    }
    owners[node] = owner;
    previous = node;
  }
  return owners;
}

function comesBefore(positions: Int32Array, above: number, node: number): boolean {
  if (above === NONE) return false;
  const position = positions[above] ?? NONE;
  return position !== NONE && position < (positions[node] ?? NONE);
}

function lastMidTurn(midTurn: ReadonlyMap<number, number>, first: number): number {
  let owner = first;
  for (let later = midTurn.get(owner); later !== undefined; later = midTurn.get(owner)) owner = later;
  return owner;
}

function isNameless(nodes: NodeTable, request: number): boolean {
  const entry = nodes.entry(request);
  return entry?.kind === "request" && entry.uid === undefined;
}

function logicalParent(nodes: NodeTable, compaction: number): number {
  const entry = nodes.entry(compaction);
  return entry?.kind === "compaction" && entry.logicalParent !== undefined
    ? nodes.find(entry.logicalParent)
    : NONE;
}

function isRequest(nodes: NodeTable, node: number): boolean {
  return nodes.kind(node) === REQUEST && nodes.sidechain(node) === undefined;
}
