import type { Library } from "./library.ts";
import { type LockWaiting, withLock } from "./lock.ts";
import { makeFolders } from "./make-folders.ts";
import type { Processes } from "./processes.ts";
import { checkStoreVersion, prepareStore } from "./store-version.ts";
import { sweepTempFiles } from "./sweep-temp-files.ts";

/** How to wait for the store where another process writes to it. */
export interface Locking extends LockWaiting {
  readonly processes: Processes;
}

/** Does something to the store while nobody else can. It is created, or brought up to date, first. */
export async function withStore<T>(
  { disk, places, now }: Pick<Library, "disk" | "places" | "now">,
  locking: Locking,
  work: () => T | Promise<T>,
): Promise<T> {
  // Not even the lock is taken in a store that this program does not know.
  checkStoreVersion(disk, places);
  makeFolders(disk, places.home);
  return withLock(disk, places.lock, locking.processes, locking, () => {
    prepareStore(disk, places);
    // Others write beside the lock without holding it: only what is old was left by the dead.
    sweepTempFiles(disk, places.home, { now: now() });
    return work();
  });
}
