import { COMPACTION, NONE, type NodeTable, REQUEST } from "./node-table.ts";

/** Which request each node of the main chain belongs to: the nearest one above it in the tree. NONE: before all requests. */
export function assignOwners(nodes: NodeTable): Int32Array {
  const { parents, positions, kinds, order } = nodes.columns();
  const { hasSidechains } = nodes;
  const owners = new Int32Array(nodes.size).fill(NONE);
  /** By owner, the prompt that was handed over in the middle of its turn: what comes later in the log is its. */
  const handedOver = new Map<number, number>();
  let previous = NONE;
  for (let index = 0; index < order.length; index++) {
    const node = order[index] ?? 0;
    if (hasSidechains && nodes.sidechain(node) !== undefined) continue;
    let above = parents[node] ?? NONE;
    // Parents come before their children in the log, but for kept messages that were written again and
    // for circles; there, and where the parent is missing, the line before it decides.
    if (!standsBefore(positions, above, node)) {
      above = kinds[node] === COMPACTION ? logicalParent(nodes, node) : NONE;
      if (!standsBefore(positions, above, node)) above = previous;
    }
    let owner = above === NONE ? NONE : (owners[above] ?? NONE);
    if (handedOver.size > 0) owner = lastHandedOver(handedOver, owner);
    if (kinds[node] === REQUEST) {
      // Without a name nothing can follow it in the tree.
      if (owner !== NONE && isNameless(nodes, node)) handedOver.set(owner, node);
      owner = node;
    }
    owners[node] = owner;
    previous = node;
  }
  return owners;
}

function standsBefore(positions: Int32Array, above: number, node: number): boolean {
  if (above === NONE) return false;
  const position = positions[above] ?? NONE;
  return position !== NONE && position < (positions[node] ?? NONE);
}

function lastHandedOver(handedOver: ReadonlyMap<number, number>, first: number): number {
  let owner = first;
  for (let later = handedOver.get(owner); later !== undefined; later = handedOver.get(owner)) owner = later;
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

export function isRequest(nodes: NodeTable, node: number): boolean {
  return nodes.kind(node) === REQUEST && nodes.sidechain(node) === undefined;
}
