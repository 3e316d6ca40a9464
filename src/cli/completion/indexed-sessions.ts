import type { SessionLabel } from "../../history/history.ts";
import { sessionLabels } from "../../history/session-labels.ts";
import { openStoreIn } from "../open-store.ts";
import type { World } from "../world.ts";

/** The sessions of the index as it is. The library is not opened: that would take longer than all else of a Tab. */
export async function indexedSessions(world: World): Promise<readonly SessionLabel[]> {
  return sessionLabels(await openStoreIn(world, { allowDemo: false }));
}
