import type { RefreshMeter } from "../../search/refresh/refresh-index.ts";
import type { World } from "../world.ts";
import { createProgress } from "./progress.ts";

/** Tells on a terminal how far the index is. */
export function indexProgress(world: World): RefreshMeter {
  const progress = createProgress("Indexing", world);
  return {
    update: ({ sessions, sessionsInAll, bytes, bytesInAll }) =>
      progress.update({ files: sessions, filesTotal: sessionsInAll, bytes, bytesTotal: bytesInAll }),
    end: progress.end,
  };
}
