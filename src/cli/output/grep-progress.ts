import type { GrepProgress } from "../../search/grep/grep-sessions.ts";
import type { World } from "../world.ts";
import { createProgress } from "./progress.ts";

export interface GrepProgressLine {
  update(progress: GrepProgress): void;
  /** Makes room for hits on the same terminal. */
  clear(): void;
  state(): GrepProgress;
}

const NOTHING: GrepProgress = {
  ...{ sessions: 0, sessionsInAll: 0, files: 0, filesInAll: 0, bytes: 0, bytesInAll: 0 },
};

/** Tells on a terminal how far the search is. */
export function grepProgress(world: World): GrepProgressLine {
  const line = createProgress("Searching", world);
  let last = NOTHING;
  return {
    update(progress) {
      last = progress;
      const { files, filesInAll, bytes, bytesInAll } = progress;
      line.update({ files, filesTotal: filesInAll, bytes, bytesTotal: bytesInAll });
    },
    clear: line.end,
    state: () => last,
  };
}
