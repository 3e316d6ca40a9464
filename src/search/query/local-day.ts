/** What dates are counted from. */
export interface DateContext {
  readonly now: number;
  /** Minutes that local time is ahead of UTC at that moment. */
  readonly offsetMinutesAt: (ms: number) => number;
}

export interface CalendarDay {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
}

/** The day that local calendars show. */
export function localDay(ms: number, { offsetMinutesAt }: Pick<DateContext, "offsetMinutesAt">): CalendarDay {
  const date = new Date(ms + offsetMinutesAt(ms) * 60_000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
}

/** The moment at which local clocks show what this one shows in UTC. Twice: the offset may change in between. */
export function fromLocal(utc: number, { offsetMinutesAt }: Pick<DateContext, "offsetMinutesAt">): number {
  const guess = utc - offsetMinutesAt(utc) * 60_000;
  return utc - offsetMinutesAt(guess) * 60_000;
}
