/** The current time and the local time zone. */
export interface Clock {
  readonly now: () => number;
  /** Minutes that local time is ahead of UTC at that moment; daylight saving changes it. */
  readonly offsetMinutesAt: (ms: number) => number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/**
 * A time in words: "just now", "5 min ago", "3 h ago", "yesterday", "4 days ago", "12 Oct", "12 Oct 2025". Days are those
 * of the local calendar: 23:00 is "yesterday" from midnight on, once it is more than six hours ago. A future time (from
 * another machine's clock) is shown as its date.
 */
export function relativeDate(ms: number, clock: Clock): string {
  const now = clock.now();
  const ageMs = now - ms;
  if (ageMs < -MINUTE_MS)
    return isoDay(ms, clock) === isoDay(now, clock) ? localTime(ms, clock) : day(ms, clock);
  if (ageMs < MINUTE_MS) return "just now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)} min ago`;
  const days = localDayNumber(now, clock) - localDayNumber(ms, clock);
  if (days === 0 || ageMs < 6 * HOUR_MS) return `${Math.floor(ageMs / HOUR_MS)} h ago`;
  if (days === 1) return "yesterday";
  return days < 7 ? `${days} days ago` : day(ms, clock);
}

/** The day in local time: "12 Oct", with its year if it is not the current one. */
export function day(ms: number, clock: Clock): string {
  const date = local(ms, clock);
  const text = `${date.getUTCDate()} ${months[date.getUTCMonth()] ?? ""}`;
  const year = date.getUTCFullYear();
  return year === local(clock.now(), clock).getUTCFullYear() ? text : `${text} ${year}`;
}

/** Local time to the minute, sortable: "2025-10-12 14:05". */
export function localDateTime(ms: number, clock: Clock): string {
  return `${isoDay(ms, clock)} ${localTime(ms, clock)}`;
}

export function localTime(ms: number, clock: Clock): string {
  return local(ms, clock).toISOString().slice(11, 16);
}

function isoDay(ms: number, clock: Clock): string {
  return local(ms, clock).toISOString().slice(0, 10);
}

function localDayNumber(ms: number, clock: Clock): number {
  return Math.floor((ms + clock.offsetMinutesAt(ms) * MINUTE_MS) / DAY_MS);
}

/** A date whose UTC fields are the local ones (docs/decisions/command-line.md explains why not date-fns). */
function local(ms: number, clock: Clock): Date {
  const date = new Date(ms + clock.offsetMinutesAt(ms) * MINUTE_MS);
  // An index of an older version may hold times that no calendar has.
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}
