import type { DateSpan } from "./search-plan.ts";

/**
 * The factor by which the score of a session is raised because of the time of its last activity; 1 if that is
 * unknown.
 */
export function timeFactor(at: number, now: number, dates: readonly DateSpan[]): number {
  return Number.isNaN(at) ? 1 : recencyFactor(at, now) * dateFactor(at, dates);
}

const DAY_MS: number = 24 * 60 * 60 * 1000;
/** How much the score of a session of today is raised, and after how many days only half of that. */
const RECENCY = 0.1;
const RECENCY_HALF_LIFE = 30;

function recencyFactor(at: number, now: number): number {
  return 1 + RECENCY * 2 ** (-Math.max(0, now - at) / DAY_MS / RECENCY_HALF_LIFE);
}

/** How much a session that ended at a date of the query is raised, and how many days after or before it by half. */
const AT_DATE = 2;
const DAYS_AFTER = 7;
const DAYS_BEFORE = 3;

/** People rarely remember the exact day, and sessions more often ended later. */
function dateFactor(at: number, dates: readonly DateSpan[]): number {
  const factors = dates.map(({ from, to }) => {
    const after = Math.max(0, at - to) / DAY_MS;
    const before = Math.max(0, from - at) / DAY_MS;
    return 1 + AT_DATE * 2 ** (-after / DAYS_AFTER - before / DAYS_BEFORE);
  });
  return Math.max(1, ...factors);
}
