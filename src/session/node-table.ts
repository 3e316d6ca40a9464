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

/** Entries that are part of the tree. */
export type TreeEntry = Exclude<Entry, FactEntry | OpaqueEntry>;

/**
 * The part of a reply that is kept. Its place in the tree is in columns, and its characters and tokens have been
 * counted.
 */
export interface KeptReply {
  readonly kind: "reply";
  /** Number of the message that it is part of; NONE if that has no name. */
  readonly message: number;
  /** Nearly every line has one step: a list for each would cost more than the step. */
  readonly first: DraftStep | undefined;
  readonly more: readonly DraftStep[];
}

/** Results whose call did not come before them; all other results are kept with their call. */
interface KeptResults {
  readonly kind: "results";
  readonly line: number;
  readonly at: number | undefined;
  readonly results: readonly ToolResult[];
}

export type KeptEntry = RequestEntry | NoteEntry | CompactionEntry | SummaryEntry | KeptReply | KeptResults;

/** Means: no node. */
export const NONE = -1;

/**
 * The kind of a node, as a number in a column: the tree is walked a dozen times, and with objects of many shapes the
 * engine discards the code that it has optimized for these walks.
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

/** Shared by all results that are kept with their calls: a log of gigabytes has hundreds of thousands. */
export const RESULTS_WITH_THEIR_CALLS: KeptEntry = { kind: "results", line: 0, at: undefined, results: [] };

const RELEASED_REPLY: KeptReply = { kind: "reply", message: NONE, first: undefined, more: [] };

/** Values by node. `order` lists the present nodes in the order of the log. */
interface NodeColumns {
  readonly parents: Int32Array;
  readonly positions: Int32Array;
  readonly kinds: Uint8Array;
  readonly order: Int32Array;
}

/**
 * The tree of a conversation, in columns: logs of gigabytes have a million nodes, most of which only connect others.
 * Uids and parents are numbers here.
 */
export interface NodeTable {
  readonly size: number;
  /**
   * Adds an entry to the tree. If its uid is there already, it replaces that entry but keeps its position. `kept` is what
   * `entry` returns from now on: undefined for a mere link.
   */
  add(entry: TreeEntry, kept: KeptEntry | undefined): number;
  /** Returns the node of a uid, and creates it if necessary. */
  named(uid: string): number;
  /** Returns the node of a known uid, else NONE. */
  find(uid: string): number;
  /** The parent that was written last; NONE at a root. */
  parent(node: number): number;
  /** The parent that was written first: a compaction may write the entries that it keeps again, below itself. */
  firstParent(node: number): number;
  /** Absent for mere links, and for nodes that others name but that are missing from the log. */
  entry(node: number): KeptEntry | undefined;
  /** `REQUEST`, `REPLY` …; `NO_ENTRY` if it has no entry. */
  kind(node: number): number;
  /** The columns themselves, for walks over all nodes; valid until the next node is added. */
  columns(): NodeColumns;
  /** Whether there was ever a compaction. Most logs have none. */
  readonly hasCompactions: boolean;
  readonly hasSidechains: boolean;
  clear(node: number): void;
  /** Forgets the content of a reply once it has become steps. */
  release(node: number): void;
  /** False for nodes that others name and that are missing from the log. */
  isPresent(node: number): boolean;
  sidechain(node: number): string | true | undefined;
  /** Position in the order of the log; NONE for missing nodes. */
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
  /** Only for nodes whose parent changed. */
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

  /** Creates the node of a new number. */
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

  /** Must be called before the entry itself is named: its parent is nearly always the node that was named last. */
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
      // Written again, and without a parent: it is not its own parent.
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
    release(node) {
      if (kinds[node] === REPLY) entries[node] = RELEASED_REPLY;
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

/** A growing list of integers with four bytes each; a plain array takes eight. */
interface IntColumn {
  readonly length: number;
  push(value: number): void;
  /** Returns `otherwise` past the end. */
  get(index: number, otherwise: number): number;
  set(index: number, value: number): void;
  /** All values; valid until the next push. */
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
