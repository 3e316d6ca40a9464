import { COMPACTION, NONE, type NodeTable, REQUEST } from "./node-table.ts";

/** Which request each node of the main chain belongs to: the nearest one above it in the tree. NONE: before all requests. */
export function assignOwners(nodes: NodeTable): Int32Array {
  const owners = new Int32Array(nodes.size).fill(NONE);
  /** By owner, the prompt that was handed over in the middle of its turn: what comes later in the log is its. */
  const handedOver = new Map<number, number>();
  let previous = NONE;
  for (const node of nodes.inOrder()) {
    if (nodes.sidechain(node) !== undefined) continue;
    let owner = ownerAbove(nodes, node, owners, previous);
    if (handedOver.size > 0)
      for (let later = handedOver.get(owner); later !== undefined; later = handedOver.get(owner))
        owner = later;
    if (nodes.kind(node) === REQUEST) {
      const entry = nodes.entry(node);
      // Without a name nothing can follow it in the tree.
      if (entry?.kind === "request" && entry.uid === undefined && owner !== NONE) handedOver.set(owner, node);
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
  const parent = nodes.parent(node);
  if (standsBefore(nodes, parent, node)) return owners[parent] ?? NONE;
  const logical = nodes.kind(node) === COMPACTION ? logicalParent(nodes, node) : NONE;
  if (standsBefore(nodes, logical, node)) return owners[logical] ?? NONE;
  return previous === NONE ? NONE : (owners[previous] ?? NONE);
}

function standsBefore(nodes: NodeTable, above: number, node: number): boolean {
  const position = nodes.position(above);
  return position !== NONE && position < nodes.position(node);
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
