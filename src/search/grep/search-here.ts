import type { Disk } from "../../fs/disk.ts";
import type { GrepJob, GrepStep, GrepTaskData } from "./grep-job.ts";
import { createScanner, type ScanSession } from "./scan-session.ts";
import { timeLimitOf } from "./time-limit.ts";

/**
 * Searches in this very thread. A pattern that runs away inside of one text can't be stopped here; between
 * texts it is.
 */
export function createScannerHere(data: GrepTaskData, disk: Disk, now: () => number): ScanSession {
  let startedAt = now();
  const scan = createScanner(
    data,
    disk,
    ({ bytes }) => now() - startedAt > timeLimitOf(data.wish.timeLimitMs, bytes),
  );
  return async function* scanHere(job: GrepJob): AsyncGenerator<GrepStep, void, void> {
    for await (const step of scan(job)) {
      if (step.kind === "file") {
        // Ctrl-C comes in between files.
        await new Promise((resolve) => setImmediate(resolve));
        startedAt = now();
      }
      yield step;
    }
  };
}
