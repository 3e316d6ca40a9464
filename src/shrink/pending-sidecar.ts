import type { SessionName } from "../archive/archive-store.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import type { FlattenPlan } from "./plan-flatten.ts";
import { changedMeanwhile } from "./refuse-live.ts";
import { BlockChanged, removeSidecar, sidecarPath } from "./sidecar.ts";

/**
 * Writes a session's sidecar. Durable before the log is replaced: at every moment what is not in the log is in the
 * sidecar. It also has all that the one before it had, so it serves the old log as well.
 */
export function writeSidecar(
  { disk, places }: Library,
  session: SessionName,
  path: string,
  { builder, original, rule }: Pick<FlattenPlan, "builder" | "original" | "rule">,
): string {
  const { agent, id } = session;
  const flat = sidecarPath(places.flat, session);
  try {
    builder.write(disk, flat, { agent, id, path, ...rule, original });
  } catch (error) {
    throw error instanceof BlockChanged ? changedMeanwhile(id) : error;
  }
  return flat;
}

export interface LogBefore {
  readonly path: string;
  /** undefined: there was no log. */
  readonly inode: number | undefined;
}

/**
 * Writes a sidecar, then replaces the log. If that fails, the sidecar is removed only if it is new and the log is
 * surely the one that was there before: a failure may also come after the log was replaced.
 */
export async function withSidecar<T>(
  { disk }: Library,
  log: LogBefore,
  write: { readonly isNew: boolean; readonly sidecar: () => string; readonly log: () => T | Promise<T> },
): Promise<T> {
  const flat = write.sidecar();
  try {
    return await write.log();
  } catch (error) {
    if (write.isNew && isUntouched()) removeIfPossible(flat);
    throw error;
  }

  function isUntouched(): boolean {
    try {
      return disk.stat(log.path)?.inode === log.inode;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return false;
    }
  }

  function removeIfPossible(path: string): void {
    try {
      removeSidecar(disk, path);
    } catch (error) {
      // One too many does no harm. What made the run fail is what the user should hear.
      if (errorCode(error) === undefined) throw error;
    }
  }
}
