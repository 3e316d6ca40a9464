import { join } from "node:path";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { lockHolder } from "../fs/lock.ts";
import { replaceFile } from "../fs/replace-file.ts";

/** The state that a run of the guard saves for the next. */
export interface GuardStamp {
  readonly startedAt: number;
  /** When there will be something to do again, as far as is known. */
  readonly nextAt: number;
  /** Sessions that were not archived, by key. */
  readonly skipped: SkippedSessions;
  /** The progress of a run that has not ended. */
  readonly progress?: GuardProgress;
}

export type SkippedSessions = Readonly<Record<string, SkippedSession>>;

/** Why a session was not archived, and the mark of its files when that was found out. */
export type SkippedSession =
  /** Its project is excluded, by settings with this mark. */
  | { readonly mark: string; readonly reason: "excluded"; readonly settings: string }
  | { readonly mark: string; readonly reason: "failed"; readonly at: number };

/** Archived sessions, of those that were due. */
export interface GuardProgress {
  readonly done: number;
  readonly total: number;
}

/** Reports the progress of the guard; undefined if none is archiving. */
export function guardProgress(library: Store & Pick<Library, "isRunning">): GuardProgress | undefined {
  const progress = readGuardStamp(library)?.progress;
  if (progress === undefined) return undefined;
  // A guard that was killed leaves its stamp and its lock.
  const pid = lockHolder(library.disk, guardLock(library));
  return pid !== undefined && library.isRunning(pid) ? progress : undefined;
}

export function guardLock({ places }: Pick<Library, "places">): string {
  return join(places.logs, "guard.lock");
}

type Store = Pick<Library, "disk" | "places">;

/** The guard is started at most once in this time. */
export const GUARD_PAUSE_MS: number = 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

function stampPath({ places }: Pick<Library, "places">): string {
  return join(places.logs, "guard.json");
}

/** undefined if there is none, or it makes no sense. */
export function readGuardStamp(store: Store): GuardStamp | undefined {
  try {
    const text = store.disk.readFile(stampPath(store), MAX_BYTES)?.toString("utf8");
    if (text === undefined) return undefined;
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const { startedAt, nextAt, skipped, progress }: Partial<Record<keyof GuardStamp, unknown>> = value;
    if (typeof startedAt !== "number" || typeof nextAt !== "number") return undefined;
    return { startedAt, nextAt, skipped: readSkipped(skipped), ...readProgress(progress) };
  } catch {
    return undefined;
  }
}

function readProgress(value: unknown): Pick<GuardStamp, "progress"> {
  if (typeof value !== "object" || value === null) return {};
  const { done, total }: Partial<Record<keyof GuardProgress, unknown>> = value;
  return typeof done === "number" && typeof total === "number" ? { progress: { done, total } } : {};
}

/** Entries without a known reason, as an earlier version wrote them, are left out: those sessions are tried again. */
function readSkipped(value: unknown): SkippedSessions {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
      const session = readSkippedSession(each);
      return session === undefined ? [] : [[key, session]];
    }),
  );
}

function readSkippedSession(value: unknown): SkippedSession | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { mark, reason, settings, at }: Partial<Record<"mark" | "reason" | "settings" | "at", unknown>> =
    value;
  if (typeof mark !== "string") return undefined;
  if (reason === "excluded" && typeof settings === "string") return { mark, reason, settings };
  return reason === "failed" && typeof at === "number" ? { mark, reason, at } : undefined;
}

export function writeGuardStamp(store: Store, stamp: GuardStamp): void {
  makeFolders(store.disk, store.places.logs);
  replaceFile(store.disk, stampPath(store), `${JSON.stringify(stamp)}\n`);
}

/**
 * Whether it is time for the guard. If so, that is recorded, so that no other process starts one. `hasChanged`: logs
 * are known to have changed. A clock that was set back must not stop the guard forever.
 */
export function claimGuardRun(store: Store, now: number, hasChanged: boolean): boolean {
  const last = readGuardStamp(store);
  if (last !== undefined) {
    const sinceMs = now - last.startedAt;
    if (sinceMs >= 0 && sinceMs < GUARD_PAUSE_MS) return false;
    if (sinceMs >= 0 && !hasChanged && now < last.nextAt) return false;
  }
  // If this one is killed, the next comes after the pause.
  writeGuardStamp(store, { startedAt: now, nextAt: now + GUARD_PAUSE_MS, skipped: last?.skipped ?? {} });
  return true;
}
