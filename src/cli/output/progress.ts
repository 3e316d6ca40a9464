import type { Progress } from "../../archive/progress.ts";
import { formatNumber } from "../../render/words.ts";
import type { RefreshMeter } from "../../search/refresh/refresh-index.ts";
import type { World } from "../world.ts";
import { formatBytes, formatDuration } from "./amounts.ts";
import { truncate } from "./text-width.ts";

interface ProgressLine {
  /** May be called at any rate; the line is drawn at most ten times a second. */
  update(state: Progress): void;
  /** Erases the line. Must be called after an error, too. */
  end(): void;
}

const DRAW_EVERY_MS = 100;
/** Short runs show no progress. */
const QUIET_MS = 300;
/** Before this, a rate would be a guess. */
const RATE_AFTER_MS = 1_000;
/** Before this, the time left would be a guess too: the first logs are not typical. */
const LEFT_AFTER_MS = 3_000;
const ERASE = "\r\x1b[K";

/** Shows the progress of a long run as one line on stderr, if that is a terminal. */
export function createProgress(verb: string, world: Pick<World, "now" | "stderr">): ProgressLine {
  const startedAt = world.now();
  let drawnAt = startedAt + QUIET_MS - DRAW_EVERY_MS;
  let isDrawn = false;
  return {
    update(state) {
      if (!world.stderr.isTerminal) return;
      const now = world.now();
      if (now - drawnAt < DRAW_EVERY_MS) return;
      drawnAt = now;
      isDrawn = true;
      const line = progressLine(verb, state, now - startedAt);
      // A full line would make some terminals scroll.
      world.stderr.write(ERASE + truncate(line, (world.stderr.columns ?? 80) - 1));
    },
    end() {
      if (isDrawn) world.stderr.write(ERASE);
      isDrawn = false;
    },
  };
}

/** "Indexing 120 of 1,402 files, 24 of 300 MB, 58 MB/s, 5 s left" */
export function progressLine(verb: string, state: Progress, elapsedMs: number): string {
  const parts = [
    `${verb} ${formatNumber(state.files)} of ${formatNumber(state.filesTotal)} files`,
    `${formatBytes(state.bytes)} of ${formatBytes(state.bytesTotal)}`,
  ];
  if (elapsedMs >= RATE_AFTER_MS && state.bytes > 0) {
    const bytesPerMs = state.bytes / elapsedMs;
    const leftMs = Math.max(0, state.bytesTotal - state.bytes) / bytesPerMs;
    parts.push(`${formatBytes(bytesPerMs * 1000)}/s`);
    if (leftMs >= 1000 && elapsedMs >= LEFT_AFTER_MS)
      parts.push(`${formatDuration(Math.ceil(leftMs / 1000) * 1000)} left`);
  }
  return parts.join(", ");
}

/** Shows the progress of indexing. */
export function indexProgress(world: World): RefreshMeter {
  const progress = createProgress("Indexing", world);
  return {
    update: ({ sessions, sessionsInAll, bytes, bytesInAll }) =>
      progress.update({ files: sessions, filesTotal: sessionsInAll, bytes, bytesTotal: bytesInAll }),
    end: progress.end,
  };
}
