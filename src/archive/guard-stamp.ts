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
  /** Sessions that can't be archived or should not be, with their mark at that time. */
  readonly skipped: Readonly<Record<string, string>>;
  /** The progress of a run that has not ended. */
  readonly progress?: GuardProgress;
}

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

function readSkipped(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
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
