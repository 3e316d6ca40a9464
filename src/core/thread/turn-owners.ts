import { NONE, type NodeTable } from "./node-table.ts";

/** Which request each node of the main chain belongs to: the nearest one above it in the tree. NONE: before all requests. */
export function assignOwners(nodes: NodeTable): Int32Array {
  const owners = new Int32Array(nodes.size).fill(NONE);
  /** By owner, the prompt that was handed over in the middle of its turn: what comes later in the log is its. */
  const handedOver = new Map<number, number>();
  let previous = NONE;
  for (const node of nodes.inOrder()) {
    if (nodes.sidechain(node) !== undefined) continue;
    let owner = ownerAbove(nodes, node, owners, previous);
    for (let later = handedOver.get(owner); later !== undefined; later = handedOver.get(owner)) owner = later;
    const entry = nodes.entry(node);
    if (entry?.kind === "request") {
      // Without a name nothing can follow it in the tree.
      if (entry.uid === undefined && owner !== NONE) handedOver.set(owner, node);
      owner = node;
    }
    owners[node] = owner;
    previous = node;
  }
  return owners;
}

/**
 * Parents come before their children in the log, but for kept messages that were written again and
 * for circles; there, and where the parent is missing, the line before it decides.
 */
function ownerAbove(nodes: NodeTable, node: number, owners: Int32Array, previous: number): number {
  const entry = nodes.entry(node);
  const logical =
    entry?.kind === "compaction" && entry.logicalParent !== undefined
      ? nodes.find(entry.logicalParent)
      : NONE;
  for (const above of [nodes.parent(node), logical]) {
    if (above !== NONE && nodes.isPresent(above) && nodes.position(above) < nodes.position(node))
      return owners[above] ?? NONE;
  }
  return previous === NONE ? NONE : (owners[previous] ?? NONE);
}

export function isRequest(nodes: NodeTable, node: number): boolean {
  return nodes.entry(node)?.kind === "request" && nodes.sidechain(node) === undefined;
}
