/** An entry of a Pi log, with what a compaction needs; its texts stay in the log. */
export interface PiEntry {
  /** In version 1, which has no names, the place in the file is the name. */
  readonly id: string;
  readonly parentId: string | null;
  readonly says: PiSaying;
}

/** The content that an entry adds to the context. */
export type PiSaying =
  | PiMessage
  | PiCompaction
  /** The latest edit of an entry counts; null removes that entry. */
  | { readonly kind: "edit"; readonly target: string; readonly replacement: PiReplacement | null }
  /** Bookkeeping, of which nothing is loaded. */
  | { readonly kind: "nothing" };

export interface PiMessage {
  readonly kind: "message";
  /** As in the log; entries that become messages have the role of those. */
  readonly role: string;
  readonly tokens: number;
  /** The number of tokens that the model reported to have read, if that can be trusted. */
  readonly usedTokens: number | null;
  readonly files: PiFileUse;
  readonly system?: PiSystem;
}

export interface PiCompaction {
  readonly kind: "compaction";
  readonly summary: string;
  /** The tokens of the summary. */
  readonly tokens: number;
  readonly firstKept: string | null;
  /** The files that it lists; empty if an extension wrote it, because its lists may mean anything. */
  readonly files: PiFileUse;
  readonly system?: PiSystem;
}

interface PiReplacement {
  readonly tokens: number;
}

export interface PiFileUse {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

export const NO_FILES: PiFileUse = { read: [], modified: [] };

/** The parts that a system message sets or revokes. */
export interface PiSystem {
  readonly text: string;
  readonly sections: Readonly<Record<string, string | null>>;
  readonly toolsAdded: readonly PiTool[];
  readonly toolsRemoved: readonly string[];
}

export interface PiTool {
  readonly name: string;
  /** All of it, to be written again. */
  readonly declaration: object;
}

/** An entry on the path from the root to the last entry, with the part of it that Pi loads. */
export interface PiLoaded {
  readonly entry: PiEntry;
  /** Its message, with edits applied; undefined if nothing of it is loaded. */
  readonly message: PiMessage | PiCompaction | undefined;
  /** The edit that replaces its text. */
  readonly edited: boolean;
}

/** From the root to the last entry. A circle of parents ends it. */
export function piPath(entries: readonly PiEntry[]): readonly PiEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: PiEntry[] = [];
  const seen = new Set<PiEntry>();
  let current = entries.at(-1);
  while (current !== undefined && !seen.has(current)) {
    seen.add(current);
    path.push(current);
    current = current.parentId === null ? undefined : byId.get(current.parentId);
  }
  return path.reverse();
}

const EDITABLE: ReadonlySet<string> = new Set(["user", "assistant", "toolResult", "custom"]);

/** The part of a path that Pi loads: the last compaction, the entries that it kept, and those after it. */
export function piContext(path: readonly PiEntry[]): readonly PiLoaded[] {
  const chosen = chooseEntries(path);
  const edits = new Map<string, PiReplacement | null>();
  for (const { says } of chosen) if (says.kind === "edit") edits.set(says.target, says.replacement);
  return chosen.map((entry, at) => {
    const { says } = entry;
    const edit = edits.get(entry.id);
    // Nothing is loaded of an older compaction that was kept.
    if (
      says.kind === "nothing" ||
      says.kind === "edit" ||
      (says.kind === "compaction" && at > 0) ||
      edit === null
    )
      return { entry, message: undefined, edited: edit === null };
    if (edit === undefined || says.kind !== "message" || !EDITABLE.has(says.role))
      return { entry, message: says, edited: false };
    // Calls that a tool made are stored next to its text and kept; an agent's own calls are part of its text.
    const files = says.role === "toolResult" ? says.files : NO_FILES;
    const message: PiMessage = { ...says, tokens: edit.tokens, files };
    return { entry, message, edited: true };
  });
}

function chooseEntries(path: readonly PiEntry[]): readonly PiEntry[] {
  const at = path.findLastIndex(({ says }) => says.kind === "compaction");
  const compaction = path[at];
  if (compaction?.says.kind !== "compaction") return path;
  const { firstKept } = compaction.says;
  const from = firstKept === null ? -1 : path.findIndex(({ id }) => id === firstKept);
  const kept = from === -1 || from >= at ? [] : path.slice(from, at);
  // The compaction repeats the content of system messages.
  const withoutSystem = kept.filter(({ says }) => says.kind !== "message" || says.role !== "system");
  return [compaction, ...withoutSystem, ...path.slice(at + 1)];
}

type PiBranch =
  | { readonly kind: "branch"; readonly entries: readonly PiEntry[] }
  /** The entry is on the current path, so no branch was left there. */
  | { readonly kind: "current" };

/** The branch with an entry: from where it leaves the current path to its last entry. */
export function findPiBranch(entries: readonly PiEntry[], entry: PiEntry): PiBranch {
  const current = new Set(piPath(entries));
  if (current.has(entry)) return { kind: "current" };
  const below = new Set([entry.id]);
  let leaf = entry;
  for (const each of entries.slice(entries.indexOf(entry) + 1)) {
    if (each.parentId === null || !below.has(each.parentId)) continue;
    below.add(each.id);
    leaf = each;
  }
  const upTo = piPath([...entries.filter((each) => each !== leaf), leaf]);
  return { kind: "branch", entries: upTo.filter((each) => !current.has(each)) };
}
