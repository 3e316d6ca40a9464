import type { Entry, FactEntry, OpaqueEntry } from "../model/entry.ts";

/** Entries that stand in the tree. */
export type TreeEntry = Exclude<Entry, FactEntry | OpaqueEntry>;

/** No node. */
export const NONE = -1;

/**
 * The nodes of a conversation's tree as columns: logs of gigabytes have half a million nodes, most
 * of which only link others. A uid is stored once; parents are numbers.
 */
export interface NodeTable {
  readonly size: number;
  /** Adds an entry, or replaces the one of the same uid: the last occurrence wins, the first gives the order. */
  add(entry: TreeEntry): number;
  /** The node of a uid, made if nobody has named it yet. */
  named(uid: string): number;
  /** The node of a uid that has been named, else NONE. */
  find(uid: string): number;
  /** The parent as written last; NONE at a root. */
  parent(node: number): number;
  /** The parent as written first: entries that are kept over a compaction may be written again below it. */
  firstParent(node: number): number;
  setParent(node: number, parent: number): void;
  /** Absent for mere links, and for nodes that are named but stand nowhere. */
  entry(node: number): TreeEntry | undefined;
  clear(node: number): void;
  /** False for nodes that others name and that are missing from the log. */
  isPresent(node: number): boolean;
  sidechain(node: number): string | true | undefined;
  uid(node: number): string | null;
  /** Place in the order of the log, NONE for missing nodes. */
  position(node: number): number;
  /** All present nodes in the order of the log. */
  inOrder(): readonly number[];
  /** The last present node of the main chain before this one, else NONE. */
  before(node: number): number;
  last(): number;
}

export function createNodeTable(): NodeTable {
  const byUid = new Map<string, number>();
  const parents: number[] = [];
  const entries: (TreeEntry | undefined)[] = [];
  const sidechains = new Map<number, string | true>();
  /** Only of those whose parent changed. */
  const firstParents = new Map<number, number>();
  const order: number[] = [];
  /** Position in `order`, or NONE. */
  const positions: number[] = [];
  let lastMain = NONE;

  const make = (): number => {
    parents.push(NONE);
    entries.push(undefined);
    positions.push(NONE);
    return parents.length - 1;
  };
  const named = (uid: string): number => {
    const known = byUid.get(uid);
    if (known !== undefined) return known;
    const node = make();
    byUid.set(uid, node);
    return node;
  };

  return {
    get size() {
      return parents.length;
    },
    named,
    find: (uid) => byUid.get(uid) ?? NONE,
    add(entry) {
      const node = entry.uid === undefined ? make() : named(entry.uid);
      const again = positions[node] !== NONE;
      const former = parents[node] ?? NONE;
      if (entry.uid === undefined) parents[node] = lastMain;
      else if (entry.parent === undefined) parents[node] = lastMain === node ? NONE : lastMain;
      else parents[node] = entry.parent === null ? NONE : named(entry.parent);
      if (again && former !== parents[node] && !firstParents.has(node)) firstParents.set(node, former);
      entries[node] = entry.kind === "link" ? undefined : entry;
      if (!again) {
        positions[node] = order.length;
        order.push(node);
      }
      if (entry.sidechain === undefined) lastMain = node;
      else sidechains.set(node, entry.sidechain);
      return node;
    },
    parent: (node) => parents[node] ?? NONE,
    firstParent: (node) => firstParents.get(node) ?? parents[node] ?? NONE,
    setParent(node, parent) {
      parents[node] = parent;
    },
    entry: (node) => entries[node],
    clear(node) {
      entries[node] = undefined;
    },
    position: (node) => positions[node] ?? NONE,
    isPresent: (node) => (positions[node] ?? NONE) !== NONE,
    sidechain: (node) => sidechains.get(node),
    uid: (node) => entries[node]?.uid ?? null,
    inOrder: () => order,
    before(node) {
      for (let at = (positions[node] ?? 0) - 1; at >= 0; at--) {
        const earlier = order[at] ?? NONE;
        if (!sidechains.has(earlier)) return earlier;
      }
      return NONE;
    },
    last: () => lastMain,
  };
}
