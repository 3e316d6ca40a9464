import { dirname } from "node:path";
import type { ClosedItem, PendingItem } from "../extract/digest.ts";
import type { CatalogRow } from "./session-catalog.ts";

/** Open work of one session. */
export interface PendingSession {
  readonly row: CatalogRow;
  readonly items: readonly OpenItem[];
}

/** An item, and how many sessions of its project left the same one open, as sessions with a common template do. */
export interface OpenItem extends PendingItem {
  readonly sessions: number;
}

/**
 * Lists the work that is still open, across sessions. An item is closed if a later session of the same checkout
 * finished or dropped it: by its text, or by its task id if that session did not create a task with this id itself.
 * Rows must come newest first; so do the results.
 */
export function pendingWork(rows: readonly CatalogRow[]): readonly PendingSession[] {
  const closedLater = new Map<string, Set<string>>();
  const open: { readonly row: CatalogRow; readonly items: readonly PendingItem[] }[] = [];
  for (const row of rows) {
    const checkout = checkoutOf(row);
    const closed = closedLater.get(checkout) ?? new Set<string>();
    const items = row.digest.pending.filter(
      (item) =>
        !isClosed(item, closed) &&
        // A session that is still running was not interrupted.
        !(item.source === "interrupted" && row.state === "live"),
    );
    if (items.length > 0) open.push({ row, items: withoutRepeats(items) });
    for (const key of closedBy(row.digest)) closed.add(key);
    closedLater.set(checkout, closed);
  }
  const counts = new Map<string, number>();
  for (const { row, items } of open)
    for (const item of items) counts.set(itemKey(row, item), (counts.get(itemKey(row, item)) ?? 0) + 1);
  return open.map(({ row, items }) => ({
    row,
    items: items.map((item) => ({ ...item, sessions: counts.get(itemKey(row, item)) ?? 1 })),
  }));
}

/** Keeps each item of a project only in the first session that has it; sessions must come newest first. */
export function foldRepeats(sessions: readonly PendingSession[]): readonly PendingSession[] {
  const seen = new Set<string>();
  return sessions.flatMap(({ row, items }) => {
    const first = items.filter((item) => !seen.has(itemKey(row, item)));
    for (const item of first) seen.add(itemKey(row, item));
    return first.length === 0 ? [] : [{ row, items: first }];
  });
}

/** The same for items of the same words in any worktree of a project. */
function itemKey({ digest: { project, repository } }: CatalogRow, item: PendingItem): string {
  return `${repository ?? project ?? ""}\0${textKey(item)}`;
}

/** The items that no later session of the same checkout finished, dropped or took over. */
export function stillOpen(items: readonly PendingItem[], later: ItemsOfSession): readonly PendingItem[] {
  const closed = new Set(closedBy(later));
  return items.filter((item) => !isClosed(item, closed));
}

interface ItemsOfSession {
  readonly pending: readonly PendingItem[];
  readonly closed: readonly ClosedItem[];
}

function isClosed(item: PendingItem, closed: ReadonlySet<string>): boolean {
  return closed.has(textKey(item)) || (item.id !== undefined && closed.has(idKey(item.id)));
}

/** Keys of the earlier items that a session closes. An item that is also open in it is reported there. */
function closedBy({ pending, closed }: ItemsOfSession): readonly string[] {
  return [
    ...pending.filter(({ source }) => source === "todo").map(textKey),
    ...closed.map((item) => (item.text === "" && item.id !== undefined ? idKey(item.id) : textKey(item))),
  ];
}

/**
 * The checkout of a session: sessions in any folder of a repository share their open work, and a worktree has its
 * own. Without a repository, the folder.
 */
function checkoutOf({ digest: { project, repository, worktree } }: CatalogRow): string {
  return repository === null ? `folder ${project ?? ""}` : `repository ${repository}\0${worktree ?? ""}`;
}

function textKey(item: PendingItem | ClosedItem): string {
  return `text ${item.text.toLowerCase().replace(/\s+/g, " ").trim()}`;
}

function idKey(id: string): string {
  return `id ${id}`;
}

function withoutRepeats(items: readonly PendingItem[]): readonly PendingItem[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = textKey(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Returns the project of a folder: the folder itself, or else its nearest parent that has sessions. */
export function projectOfFolder(rows: readonly CatalogRow[], folder: string): string | undefined {
  const projects = new Set(rows.map(({ digest }) => digest.project));
  for (let at = folder; ; at = dirname(at)) {
    if (projects.has(at)) return at;
    if (at === dirname(at)) return undefined;
  }
}
