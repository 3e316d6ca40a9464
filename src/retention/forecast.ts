const DAY_MS = 24 * 60 * 60 * 1000;

/** Claude Code waits so long between two sweeps. */
const SWEEP_PAUSE_MS = DAY_MS;

/** A session with its logs, as the sweep looks at them. */
export interface SweptSession {
  readonly id: string;
  /** When its log was last written; of several the oldest, for that one goes first. */
  readonly mtimeMs: number;
  readonly archived: boolean;
}

export interface AtRisk extends SweptSession {
  /** The first sweep after this moment deletes it. */
  readonly deletedAfterMs: number;
}

/** The age of a log is its mtime, whatever its lines say. */
export function deletedAfter(mtimeMs: number, days: number): number {
  return mtimeMs + days * DAY_MS;
}

/** The sessions that go until then, the first one first. */
export function forecast(
  sessions: readonly SweptSession[],
  days: number,
  untilMs: number,
): readonly AtRisk[] {
  return sessions
    .map((session) => ({ ...session, deletedAfterMs: deletedAfter(session.mtimeMs, days) }))
    .filter(({ deletedAfterMs }) => deletedAfterMs < untilMs)
    .sort((a, b) => a.deletedAfterMs - b.deletedAfterMs || (a.id < b.id ? -1 : 1));
}

/** From when on the start of a session sweeps at once. Within a day of the last sweep it waits ten minutes. */
export function nextSweep(lastSweepMs: number | undefined, now: number): number {
  return lastSweepMs === undefined ? now : Math.max(now, lastSweepMs + SWEEP_PAUSE_MS);
}
