import { join } from "node:path";
import { agentNames } from "../../core/archive/agent-name.ts";
import { rawLines } from "../../formats/raw-lines.ts";
import { isAbsent } from "../../store/disk-error.ts";
import { openSidecar } from "../../store/flat/open-sidecar.ts";
import { adoptSidecar, dropPending, pendingPath } from "../../store/flat/sidecar.ts";
import { sweepTempFiles } from "../../store/sweep-temp-files.ts";
import type { Library } from "../library.ts";
import { createLineMatcher } from "./flat-lines.ts";

/** Ends what a killed run has begun: a pending sidecar is that of its log, or of nothing. */
export function recoverSidecars({ disk, places }: Library): void {
  for (const agent of agentNames) {
    const folder = join(places.flat, agent);
    for (const name of namesIn(folder)) {
      const path = join(folder, name.slice(0, -".new".length));
      if (!name.endsWith(".flat.new")) continue;
      // It also has what the one before it has: whichever of the two the log needs, this one serves.
      if (disk.stat(path) !== undefined || isNeeded(path)) adoptSidecar(disk, path);
      else dropPending(disk, path);
    }
    // Nobody else writes here.
    sweepTempFiles(disk, folder, { now: Number.POSITIVE_INFINITY });
  }

  function namesIn(folder: string): readonly string[] {
    try {
      return disk.readdir(folder).map(({ name }) => name);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  /** Does the log have a line that was flattened? */
  function isNeeded(path: string): boolean {
    const sidecar = openSidecar(disk, pendingPath(path));
    if (sidecar === undefined || disk.stat(sidecar.index.path) === undefined) return false;
    const match = createLineMatcher(sidecar);
    for (const line of rawLines(disk.readChunks(sidecar.index.path)))
      if (match(line) !== undefined) return true;
    return false;
  }
}
