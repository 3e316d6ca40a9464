import type {
  CompactionEntry,
  Entry,
  FactEntry,
  NoteEntry,
  OpaqueEntry,
  RequestEntry,
  SummaryEntry,
  ToolResult,
} from "./entry.ts";
import { createNameTable } from "./name-table.ts";
import type { DraftStep } from "./steps.ts";

/** Entries that stand in the tree. */
export type TreeEntry = Exclude<Entry, FactEntry | OpaqueEntry>;

/** What is kept of a reply: its place in the tree stands in columns, what is counted has been counted. */
export interface KeptReply {
  readonly kind: "reply";
  /** Number of the message that it is a part of; NONE where it has no name. */
  readonly message: number;
  /** Nearly every line is one step: a list for each would cost more than the step. */
  readonly first: DraftStep | undefined;
  readonly more: readonly DraftStep[];
}

/** Of results, those that no call came before; all others stand with their call. */
interface KeptResults {
  readonly kind: "results";
  readonly line: number;
  readonly at: number | undefined;
  readonly results: readonly ToolResult[];
}

export type KeptEntry = RequestEntry | NoteEntry | CompactionEntry | SummaryEntry | KeptReply | KeptResults;

/** No node. */
export const NONE = -1;

/**
 * What a node is, as a number in a column: the tree is walked over a dozen times, and objects of eight shapes kept every
 * one of those walks from being compiled for long (optimised code was thrown away 88 times in one run, now 59).
 */
export const NO_ENTRY = 0;
export const REQUEST = 1;
export const REPLY = 2;
export const RESULTS = 3;
export const NOTE = 4;
export const SUMMARY = 5;
export const COMPACTION = 6;

function kindOf(kept: KeptEntry | undefined): number {
  switch (kept?.kind) {
    case undefined:
      return NO_ENTRY;
    case "reply":
      return REPLY;
    case "results":
      return RESULTS;
    case "request":
      return REQUEST;
    case "note":
      return NOTE;
    case "summary":
      return SUMMARY;
    case "compaction":
      return COMPACTION;
  }
}

/** One for all results that stand with their calls: a log of gigabytes has hundreds of thousands. */
export const RESULTS_WITH_THEIR_CALLS: KeptEntry = { kind: "results", line: 0, at: undefined, results: [] };

const SPENT_REPLY: KeptReply = { kind: "reply", message: NONE, first: undefined, more: [] };

/** By node. `order` has the present nodes in the order of the log. */
interface NodeColumns {
  readonly parents: Int32Array;
  readonly positions: Int32Array;
  readonly kinds: Uint8Array;
  readonly order: Int32Array;
}

/**
 * The nodes of a conversation's tree as columns: logs of gigabytes have a million nodes, most of which
 * only link others. Uids are numbers here, and so are parents.
 */
export interface NodeTable {
  readonly size: number;
  /**
   * Puts an entry into the tree, or back at the place of the one with the same uid: the last occurrence
   * wins, the first gives the order. `kept` is what `entry` gives from now on: undefined for a mere link.
   */
  add(entry: TreeEntry, kept: KeptEntry | undefined): number;
  /** The node of a uid, made if nobody has named it yet. */
  named(uid: string): number;
  /** The node of a uid that has been named, else NONE. */
  find(uid: string): number;
  /** The parent as written last; NONE at a root. */
  parent(node: number): number;
  /** The parent as written first: entries that are kept over a compaction may be written again below it. */
  firstParent(node: number): number;
  /** Absent for mere links, and for nodes that are named but stand nowhere. */
  entry(node: number): KeptEntry | undefined;
  /** `REQUEST`, `REPLY` …; `NO_ENTRY` where it has none. */
  kind(node: number): number;
  /** The columns themselves, for walks over all nodes; good until the next one is named. */
  columns(): NodeColumns;
  /** Whether there ever was a compaction: most logs have none. */
  readonly hasCompactions: boolean;
  readonly hasSidechains: boolean;
  clear(node: number): void;
  /** Forgets what a reply says: it has become steps. */
  spend(node: number): void;
  /** False for nodes that others name and that are missing from the log. */
  isPresent(node: number): boolean;
  sidechain(node: number): string | true | undefined;
  /** Place in the order of the log, NONE for missing nodes. */
  position(node: number): number;
  /** All present nodes in the order of the log. */
  inOrder(): Int32Array;
  /** The last present node of the main chain before this one, else NONE. */
  before(node: number): number;
  last(): number;
}

export function createNodeTable(): NodeTable {
  const names = createNameTable();
  const entries: (KeptEntry | undefined)[] = [];
  const sidechains = new Map<number, string | true>();
  /** Only of those whose parent changed. */
  const firstParents = new Map<number, number>();
  const order = createIntColumn();
  let parents = new Int32Array(64);
  /** Position in `order`, or NONE. */
  let positions = new Int32Array(64);
  let kinds = new Uint8Array(64);
  let size = 0;
  let hasCompactions = false;
  let lastMain = NONE;

  const grow = (): void => {
    const more = size * 2;
    const [grownParents, grownPositions, grownKinds] = [
      new Int32Array(more),
      new Int32Array(more),
      new Uint8Array(more),
    ];
    grownParents.set(parents);
    grownPositions.set(positions);
    grownKinds.set(kinds);
    parents = grownParents;
    positions = grownPositions;
    kinds = grownKinds;
  };

  /** A new number is a new node. */
  const made = (node: number): number => {
    if (node < size) return node;
    if (size === parents.length) grow();
    parents[size] = NONE;
    positions[size] = NONE;
    entries.push(undefined);
    size++;
    return node;
  };
  let lastUid: string | undefined;
  let lastNamed = NONE;
  const named = (uid: string): number => {
    if (uid === lastUid) return lastNamed;
    lastUid = uid;
    lastNamed = made(names.number(uid));
    return lastNamed;
  };
  const parentOf = (node: number): number => (node === NONE ? NONE : (parents[node] ?? NONE));
  const positionOf = (node: number): number => (node === NONE ? NONE : (positions[node] ?? NONE));

  /** To be asked before the entry itself is named: its parent is nearly always the one that was named last. */
  const parentFor = ({ uid, parent }: TreeEntry): number => {
    if (uid === undefined || parent === undefined) return lastMain;
    return parent === null ? NONE : named(parent);
  };

  return {
    get size() {
      return size;
    },
    get hasCompactions() {
      return hasCompactions;
    },
    get hasSidechains() {
      return sidechains.size > 0;
    },
    named,
    find: (uid) => names.find(uid),
    add(entry, kept) {
      const above = parentFor(entry);
      const node = entry.uid === undefined ? made(names.unnamed()) : named(entry.uid);
      const again = positionOf(node) !== NONE;
      const former = parentOf(node);
      // Written again, and without a parent: it does not hang on itself.
      const parent = above === node && entry.parent === undefined ? NONE : above;
      parents[node] = parent;
      if (again && former !== parent && !firstParents.has(node)) firstParents.set(node, former);
      const kind = kindOf(kept);
      entries[node] = kept;
      kinds[node] = kind;
      hasCompactions ||= kind === COMPACTION;
      if (!again) {
        positions[node] = order.length;
        order.push(node);
      }
      if (entry.aside === true) return node;
      if (entry.sidechain === undefined) lastMain = node;
      else sidechains.set(node, entry.sidechain);
      return node;
    },
    parent: parentOf,
    firstParent: (node) => firstParents.get(node) ?? parentOf(node),
    entry: (node) => entries[node],
    kind: (node) => (node === NONE ? NO_ENTRY : (kinds[node] ?? NO_ENTRY)),
    columns: () => ({ parents, positions, kinds, order: order.view() }),
    clear(node) {
      entries[node] = undefined;
      kinds[node] = NO_ENTRY;
    },
    spend(node) {
      if (kinds[node] === REPLY) entries[node] = SPENT_REPLY;
    },
    position: positionOf,
    isPresent: (node) => positionOf(node) !== NONE,
    sidechain: (node) => (sidechains.size === 0 ? undefined : sidechains.get(node)),
    inOrder: () => order.view(),
    before(node) {
      for (let at = Math.max(0, positionOf(node)) - 1; at >= 0; at--) {
        const earlier = order.get(at, NONE);
        if (!sidechains.has(earlier)) return earlier;
      }
      return NONE;
    },
    last: () => lastMain,
  };
}

/** A list of whole numbers that grows: four bytes each, where a plain list takes eight and copies more. */
interface IntColumn {
  readonly length: number;
  push(value: number): void;
  /** `otherwise` past the end. */
  get(index: number, otherwise: number): number;
  set(index: number, value: number): void;
  /** All of them; good until the next push. */
  view(): Int32Array;
}

function createIntColumn(): IntColumn {
  let values = new Int32Array(64);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const grown = new Int32Array(values.length * 2);
        grown.set(values);
        values = grown;
      }
      values[length++] = value;
    },
    get: (index, otherwise) => (index < length ? (values[index] ?? otherwise) : otherwise),
    set(index, value) {
      values[index] = value;
    },
    view: () => values.subarray(0, length),
  };
}
