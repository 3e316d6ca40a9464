import { join } from "node:path";
import { sweepCheckpoints } from "../../agents/checkpoints/checkpoint-folder.ts";
import type { CheckpointOptions } from "../../agents/checkpoints/parse-checkpoints.ts";
import { forgottenSessions } from "../../archive/open-archive.ts";
import { UserError } from "../../errors.ts";
import { errorCode } from "../../fs/disk-error.ts";
import type { Library } from "../../fs/library.ts";
import type { SessionRow } from "./session-row.ts";

/** A log that has not grown for so long will hardly do so now. */
const LIVELY_MS: number = 24 * 60 * 60 * 1000;
/** The index and the tails together may take this share of the logs. */
const SHARE = 0.05;
/** So much is always allowed: nobody minds it. */
const LEAST_ROOM: number = 1024 * 1024;

export function checkpointOptions(
  library: Library,
  rows: Iterable<Pick<SessionRow, "bytes">>,
  given: Partial<CheckpointOptions> = {},
): CheckpointOptions {
  let logBytes = 0;
  for (const { bytes } of rows) logBytes += bytes;
  const room = Math.max(LEAST_ROOM, Math.floor(SHARE * logBytes) - segmentBytes(library));
  return { sinceMs: library.now() - LIVELY_MS, room, ...given };
}

function segmentBytes({ disk, places }: Library): number {
  try {
    return disk
      .readdir(places.index)
      .filter(({ name }) => name.endsWith(".seg"))
      .reduce((sum, { name }) => sum + (disk.stat(join(places.index, name))?.size ?? 0), 0);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return 0;
  }
}

/** Removes tails of logs that grow no more, and of forgotten sessions; without options, all. */
export function tidyCheckpoints(library: Library, tails: CheckpointOptions | undefined): void {
  try {
    const olderThan = tails === undefined ? Number.POSITIVE_INFINITY : tails.sinceMs;
    sweepCheckpoints(library.disk, library.places.index, olderThan, forgottenSessions(library).stones);
  } catch (error) {
    // Another time: what is stale is never used, it only takes room.
    if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
  }
}
