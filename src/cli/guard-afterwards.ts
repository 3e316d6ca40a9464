import { hasLogs } from "../agents/find-sessions.ts";
import type { Library } from "../fs/library.ts";
import { claimGuardRun } from "../retention/guard.ts";
import type { World } from "./world.ts";

/** Set to `off`, nothing is started in the background. */
export const GUARD_VARIABLE = "SESSIONS_GUARD";

/** May this run start anything in the background? */
export function mayStartGuard({ variables, startDetached }: World): boolean {
  return startDetached !== undefined && variables[GUARD_VARIABLE] !== "off";
}

/**
 * When the command is over, starts the guard if it is time for it: what an agent may delete has to get into the
 * archive though nobody asks for it. A store that can't be written is no reason to say anything now.
 */
export function startGuardAfterwards(world: World, library: Library, hasChanged: () => boolean): void {
  if (library.demo || !mayStartGuard(world)) return;
  world.afterwards?.(async () => {
    try {
      if (hasLogs(library) && claimGuardRun(library, world.now(), hasChanged())) {
        await world.startDetached?.(["guard"]);
      }
    } catch {
      // The next command, and `doctor`, will say what is wrong with the store.
    }
  });
}
