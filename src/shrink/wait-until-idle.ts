import { takeSnapshot } from "../agents/log-snapshot.ts";
import type { Library } from "../fs/library.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import { writableFiles } from "./compact-session.ts";
import { livenessOf } from "./refuse-live.ts";

export interface IdleWaiting {
  readonly wait: (ms: number) => Promise<void>;
  /** The process that waits. */
  readonly pid: number;
}

const STEP_MS = 5_000;
/** A session that runs for weeks is none that somebody still waits for. */
const MAX_STEPS = (7 * 24 * 60 * 60 * 1000) / STEP_MS;

/** Waits until nobody writes a session any more; false where that never came. */
export async function waitUntilIdle(
  library: Library,
  pointer: SessionPointer,
  { wait, pid }: IdleWaiting,
): Promise<boolean> {
  for (let step = 0; step < MAX_STEPS; step++) {
    const files = writableFiles(library, pointer);
    const snapshot = takeSnapshot(library, files.files[0]?.path ?? "");
    if (livenessOf(library, files, snapshot, pid) === undefined) return true;
    await wait(STEP_MS);
  }
  return false;
}
