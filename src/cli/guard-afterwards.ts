import { hasLogs } from "../agents/find-sessions.ts";
import { claimGuardRun } from "../archive/guard-stamp.ts";
import type { Library } from "../fs/library.ts";
import type { World } from "./world.ts";

/** If set to `off`, nothing is started in the background. */
const GUARD_VARIABLE = "SESSIONS_GUARD";

/** Whether this run may start a background process. */
export function mayStartGuard({ variables, startDetached }: World): boolean {
  return startDetached !== undefined && variables[GUARD_VARIABLE] !== "off";
}

/** Whether it is time for the guard; if so, no other process will start it now. */
export function claimGuard(world: World, library: Library, hasChanged: boolean): boolean {
  return mayStartGuard(world) && claimGuardRun(library, world.now(), hasChanged);
}

/**
 * Starts the guard after the command, if it is time for it: sessions must be archived before their agent deletes
 * them, without anybody asking. If the store can't be written, a later command reports that.
 */
export function startGuardAfterwards(world: World, library: Library, hasChanged: () => boolean): void {
  if (library.demo || !mayStartGuard(world)) return;
  world.afterwards?.(async () => {
    try {
      if (hasLogs(library) && claimGuard(world, library, hasChanged())) {
        await world.startDetached?.(["guard"]);
      }
    } catch {
      // The next command, and `doctor`, report the store's problem.
    }
  });
}
