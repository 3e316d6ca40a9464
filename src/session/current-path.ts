import type { CompactionEntry } from "./entry.ts";
import { COMPACTION, NO_ENTRY, NONE, NOTE, type NodeTable, REPLY, REQUEST, SUMMARY } from "./node-table.ts";
import type { Context } from "./session.ts";

/**
 * How the current path is found. `last-entry`: up from the last entry of the log. `last-message`: up from the last
 * message that nothing follows. Both bridge missing entries. `named-parents`: up from the last entry, only through
 * parents that are in the log.
 */
export type LeafRule = "last-entry" | "last-message" | "named-parents";

export interface CurrentPath {
  contextOf(node: number): Context;
  readonly leaf: number;
}

/** Contexts are kept by node as numbers: a map of half a million nodes would take tens of megabytes. */
const CONTEXTS: readonly Context[] = ["branch", "current", "compacted"];
const UNKNOWN = 0xff;
const BRANCH = 0;
const CURRENT = 1;
const COMPACTED = 2;

/**
 * Resolves the tree: what the agent would load now, what was compacted away, what is on abandoned branches. If the agent
 * went back and nothing has followed yet, the path ends there, or nowhere (null).
 */
export function resolvePath(nodes: NodeTable, rule: LeafRule, wentBackTo?: string | null): CurrentPath {
  const moved = moveKept(nodes, findCompactions(nodes));
  const leaf = wentBackTo === null ? NONE : (leafNamed(nodes, wentBackTo) ?? leafByRule(nodes, rule));
  const isStrict = rule === "named-parents";
  const path = isStrict ? namedPath(nodes, leaf) : walkUp(nodes, leaf, moved);
  const contexts = new Uint8Array(nodes.size).fill(UNKNOWN);
  const last = nodes.hasCompactions ? path.findIndex((node) => nodes.kind(node) === COMPACTION) : -1;
  const from = last === -1 ? path.length : keptUntil(nodes, path, last);
  for (let index = 0; index < path.length; index++) {
    const node = path[index] ?? NONE;
    // An older compaction in the range that the last one keeps is not loaded: its summary is superseded.
    const isOlder = index > last && nodes.kind(node) === COMPACTION;
    contexts[node] = index < from && !isOlder ? CURRENT : COMPACTED;
  }
  const compaction = last === -1 ? undefined : nodes.entry(path[last] ?? NONE);
  // Messages that it keeps are loaded, wherever they are in the tree.
  if (compaction?.kind === "compaction")
    for (const node of keptNodes(nodes, compaction)) contexts[node] = CURRENT;
  keepWholeMessages(nodes, contexts);
  // If every entry has a name, everything that is not on the path is on a branch, even notes.
  if (isStrict) return { leaf, contextOf: (node) => CONTEXTS[contexts[node] ?? UNKNOWN] ?? "branch" };
  return { leaf, contextOf: (node) => CONTEXTS[contextOff(nodes, contexts, node)] ?? "branch" };
}

function leafNamed(nodes: NodeTable, uid: string | undefined): number | undefined {
  const node = uid === undefined ? NONE : nodes.find(uid);
  return node !== NONE && nodes.isPresent(node) ? node : undefined;
}

function leafByRule(nodes: NodeTable, rule: LeafRule): number {
  return rule === "last-message" ? lastMessage(nodes) : nodes.last();
}

/** Walks from the leaf to the first entry whose parent is missing. */
function namedPath(nodes: NodeTable, leaf: number): readonly number[] {
  const path: number[] = [];
  const seen = new Uint8Array(nodes.size);
  for (
    let node = leaf;
    node !== NONE && nodes.isPresent(node) && seen[node] === 0;
    node = nodes.parent(node)
  ) {
    seen[node] = 1;
    path.push(node);
  }
  return path;
}

/** Finds the index on the path after which everything is compacted away. Pi keeps what is between its first kept entry and the compaction. */
function keptUntil(nodes: NodeTable, path: readonly number[], compaction: number): number {
  const entry = nodes.entry(path[compaction] ?? NONE);
  if (entry?.kind !== "compaction" || entry.keptFrom === undefined) return compaction + 1;
  const kept = path.indexOf(nodes.find(entry.keptFrom), compaction + 1);
  return (kept === -1 ? compaction : kept) + 1;
}

function findCompactions(nodes: NodeTable): Int32Array {
  return nodes.hasCompactions
    ? nodes.inOrder().filter((node) => nodes.kind(node) === COMPACTION)
    : new Int32Array();
}

/**
 * Maps each message that a compaction keeps to its new parent: kept messages follow the anchor now. Later lines may
 * still name the old place as their parent, and the kept messages may be missing from the log; both must lead to the
 * compaction anyway.
 */
function moveKept(nodes: NodeTable, compactions: Int32Array): ReadonlyMap<number, number> {
  const moved = new Map<number, number>();
  for (const node of compactions) {
    const entry = nodes.entry(node);
    if (entry?.kind !== "compaction") continue;
    let before = anchorOf(nodes, entry, node);
    if (entry.kept !== undefined) {
      for (const uid of entry.kept.uids) {
        const kept = nodes.named(uid);
        if (kept !== before) moved.set(kept, before);
        before = kept;
      }
    } else if (entry.keptSegment !== undefined) {
      moved.set(nodes.named(entry.keptSegment.head), before);
      const tail = nodes.named(entry.keptSegment.tail);
      if (!nodes.isPresent(tail)) moved.set(tail, before);
    }
  }
  return moved;
}

function anchorOf(nodes: NodeTable, entry: CompactionEntry, compaction: number): number {
  const anchor = nodes.find(entry.kept?.anchor ?? entry.keptSegment?.anchor ?? "");
  return anchor !== NONE && nodes.isPresent(anchor) ? anchor : compaction;
}

/** Walks from the leaf to the root, across compactions and missing entries. Stops at a cycle. */
function walkUp(nodes: NodeTable, leaf: number, moved: ReadonlyMap<number, number>): readonly number[] {
  const path: number[] = [];
  const seen = new Uint8Array(nodes.size);
  let isCompacted = false;
  let node = leaf;
  while (node !== NONE && seen[node] === 0) {
    seen[node] = 1;
    if (nodes.isPresent(node)) path.push(node);
    isCompacted ||= nodes.kind(node) === COMPACTION;
    const elsewhere = moved.size === 0 ? undefined : moved.get(node);
    node = elsewhere ?? above(nodes, node, seen, isCompacted);
  }
  return path;
}

function above(nodes: NodeTable, node: number, seen: Uint8Array, isCompacted: boolean): number {
  const parent = nodes.parent(node);
  if (parent !== NONE && nodes.isPresent(parent)) return parent;
  const entry = nodes.kind(node) === COMPACTION ? nodes.entry(node) : undefined;
  if (entry?.kind === "compaction") return beforeCompaction(nodes, node, entry, seen);
  // In what was compacted away, a missing entry or a second root is bridged: the agent loads none of it anyway.
  if (isCompacted) return unseenBefore(nodes, node, seen);
  if (parent === NONE) return NONE;
  // A missing parent after a compaction: the compaction becomes the parent.
  return parentOfMissing(nodes, node, parent);
}

/** The entry before a compaction is often a message that it keeps; then the walk continues at that message's old place. */
function beforeCompaction(
  nodes: NodeTable,
  compaction: number,
  entry: CompactionEntry,
  seen: Uint8Array,
): number {
  for (const kept of keptNodes(nodes, entry)) seen[kept] = 1;
  const logical = entry.logicalParent === undefined ? NONE : nodes.find(entry.logicalParent);
  let node = nodes.isPresent(logical) ? logical : NONE;
  for (let steps = 0; node !== NONE && seen[node] === 1 && steps <= nodes.size; steps++)
    node = nodes.firstParent(node);
  if (node !== NONE && seen[node] === 0) return node;
  return unseenBefore(nodes, compaction, seen);
}

/** Without a link, the walk continues at the line before it in the log. */
function unseenBefore(nodes: NodeTable, from: number, seen: Uint8Array): number {
  let node = nodes.before(from);
  while (node !== NONE && seen[node] === 1) node = nodes.before(node);
  return node;
}

function parentOfMissing(nodes: NodeTable, node: number, missing: number): number {
  if (!nodes.hasCompactions) return missing;
  for (let earlier = nodes.before(node); earlier !== NONE; earlier = nodes.before(earlier)) {
    if (nodes.kind(earlier) === COMPACTION) return summaryAfter(nodes, earlier, node);
  }
  return missing;
}

function summaryAfter(nodes: NodeTable, compaction: number, node: number): number {
  for (let at = nodes.before(node); at !== NONE && at !== compaction; at = nodes.before(at)) {
    if (nodes.kind(at) === SUMMARY && nodes.parent(at) === compaction) return at;
  }
  return compaction;
}

/** Yields the messages that a compaction names as kept. */
function* keptNodes(nodes: NodeTable, entry: CompactionEntry): Generator<number> {
  for (const uid of entry.kept?.uids ?? []) yield nodes.named(uid);
  if (entry.keptSegment === undefined) return;
  const head = nodes.find(entry.keptSegment.head);
  let node = nodes.find(entry.keptSegment.tail);
  for (let steps = 0; node !== NONE && steps < nodes.size; steps++) {
    yield node;
    if (node === head) return;
    node = nodes.firstParent(node);
  }
}

/** Parallel tool calls put parts of one message on side branches: all parts get the context of the one on the path. */
function keepWholeMessages(nodes: NodeTable, contexts: Uint8Array): void {
  const { kinds, order } = nodes.columns();
  const replies: number[] = [];
  let isAnyOff = false;
  for (let index = 0; index < order.length; index++) {
    const node = order[index] ?? 0;
    if (kinds[node] !== REPLY) continue;
    replies.push(node);
    isAnyOff ||= contexts[node] === UNKNOWN;
  }
  if (isAnyOff) keepBesideKnown(nodes, contexts, replies);
}

function keepBesideKnown(nodes: NodeTable, contexts: Uint8Array, replies: readonly number[]): void {
  const messages = new Map<number, number>();
  for (const node of replies) {
    const context = contexts[node] ?? UNKNOWN;
    const message = context === UNKNOWN ? NONE : messageOf(nodes, node);
    if (message !== NONE && messages.get(message) !== CURRENT) messages.set(message, context);
  }
  for (const node of replies)
    if (contexts[node] === UNKNOWN) contexts[node] = messages.get(messageOf(nodes, node)) ?? UNKNOWN;
}

function messageOf(nodes: NodeTable, node: number): number {
  const entry = nodes.entry(node);
  return entry?.kind === "reply" ? entry.message : NONE;
}

/** Finds the context of a node off the path: requests and replies are on a branch; others have their parent's context. */
function contextOff(nodes: NodeTable, contexts: Uint8Array, node: number): number {
  const onPath = contexts[node] ?? UNKNOWN;
  if (onPath !== UNKNOWN) return onPath;
  const chain: number[] = [];
  let found = BRANCH;
  for (let at = node; at !== NONE && chain.length <= nodes.size; at = nodes.parent(at)) {
    const known = contexts[at] ?? UNKNOWN;
    if (known !== UNKNOWN) {
      found = known;
      break;
    }
    chain.push(at);
    if (startsBranch(nodes, at)) break;
  }
  for (const at of chain) contexts[at] = found;
  return found;
}

/** If this node is off the path, are its descendants off the path too? */
function startsBranch(nodes: NodeTable, node: number): boolean {
  switch (nodes.kind(node)) {
    case REPLY:
    case COMPACTION:
      return true;
    case SUMMARY: {
      const entry = nodes.entry(node);
      return entry?.kind === "summary" && entry.of === "branch";
    }
    // A prompt without a name was sent in the middle of a turn: it has the context of that turn.
    case REQUEST: {
      const entry = nodes.entry(node);
      return entry?.kind === "request" && entry.uid !== undefined;
    }
    default:
      return false;
  }
}

/** Goes from every entry that nothing follows up to its message, and returns the latest of these in the log. */
function lastMessage(nodes: NodeTable): number {
  const { parents, positions, kinds, order } = nodes.columns();
  const hasChild = new Uint8Array(nodes.size);
  for (let index = 0; index < order.length; index++) {
    const node = order[index] ?? 0;
    const parent = parents[node] ?? NONE;
    if (parent !== NONE && parent !== node) hasChild[parent] = 1;
  }
  /** Notes are not messages: local commands and notices can be anywhere, and have the context of their parent. */
  const isMessage = (node: number): boolean =>
    kinds[node] !== NO_ENTRY && kinds[node] !== NOTE && nodes.sidechain(node) === undefined;
  const visited = new Uint8Array(nodes.size);
  let best = NONE;
  for (let index = 0; index < order.length; index++) {
    const node = order[index] ?? 0;
    if (hasChild[node] === 1 || nodes.sidechain(node) !== undefined) continue;
    let at = node;
    while (at !== NONE && visited[at] === 0 && !isMessage(at)) {
      visited[at] = 1;
      at = parents[at] ?? NONE;
    }
    if (at === NONE || !isMessage(at)) continue;
    if (best === NONE || (positions[at] ?? NONE) > (positions[best] ?? NONE)) best = at;
  }
  // If parents form a cycle, every entry has a child.
  return best === NONE ? nodes.last() : best;
}
