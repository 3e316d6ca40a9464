import { join } from "node:path";
import { agentNames } from "../agents/agent-name.ts";
import { UserError } from "../errors.ts";
import { errorCode, isAbsent } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { rawLines } from "../jsonl/raw-lines.ts";
import { createLineMatcher } from "./flat-lines.ts";
import { openSidecar } from "./open-sidecar.ts";
import { adoptSidecar, pendingPath, removeSidecar } from "./sidecar.ts";

/**
 * Ends what a killed run of an earlier version has begun: that wrote a sidecar as `.flat.new`, replaced the log, and
 * then gave the sidecar its name. It is removed only if it surely is that of nothing. `retrieve` reads it as it is.
 */
export function recoverSidecars({ disk, places }: Library): void {
  for (const agent of agentNames) {
    const folder = join(places.flat, agent);
    for (const name of namesIn(folder)) {
      const path = join(folder, name.slice(0, -".new".length));
      if (name.endsWith(".flat.new")) settle(path);
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

  function settle(path: string): void {
    try {
      const pending = openSidecar(disk, pendingPath(path));
      // One that is damaged is left to people.
      if (pending === undefined || pending.damage !== null) return;
      const { path: log } = pending.index;
      const matcher = createLineMatcher(pending);
      let isNeeded = disk.stat(log) === undefined;
      if (!isNeeded) {
        for (const line of rawLines(disk.readChunks(log))) isNeeded ||= matcher.match(line) !== undefined;
      }
      // It also has what the one before it has: whichever of the two the log needs, this one serves.
      if (disk.stat(path) !== undefined || isNeeded) adoptSidecar(disk, path);
      else removeSidecar(disk, pendingPath(path));
    } catch (error) {
      // What the disk refuses now is tried again by the next run; this one has something else to do.
      if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
    }
  }
}
