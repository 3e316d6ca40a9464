import { subMonths } from "date-fns/subMonths";

/**
 * Reads a date as people write it: `2026-10-01`, `2026-10`, `2026`, an ISO time, `30m` (minutes), `12h`, `7d`, `2w`,
 * `3mo`, `1y`, `3 days ago`, `today`, `yesterday`, `monday`, `last friday`, `this week`, `last month`, `july`, `jul 20`,
 * `20 july 2026`. Each names
 * a span in local time, a day or longer; its first moment is for `since`, its last for `until`.
 * undefined if it is none of these.
 */
export function parseDate(text: string, edge: "since" | "until", context: DateContext): number | undefined {
  const word = text.trim().toLowerCase().replace(/\s+/g, " ");
  const [from, to] = momentOf(word, context) ?? daysOf(word, context) ?? [];
  if (from === undefined || to === undefined) return undefined;
  return edge === "since" ? from : to;
}

type Span = readonly [from: number, to: number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Reads times, hours and minutes, which are moments: start and end are the same. */
function momentOf(word: string, { now, offsetMinutesAt }: DateContext): Span | undefined {
  if (word === "now") return [now, now];
  // Beside h, m is minutes, as in other programs.
  const [, count, unit] = /^(\d{1,6}) ?(h|hours?|m|min|mins|minutes?)(?: ago)?$/.exec(word) ?? [];
  if (count !== undefined && unit !== undefined) {
    const at = now - Number(count) * (unit.startsWith("h") ? HOUR_MS : MINUTE_MS);
    return [at, at];
  }
  const time =
    /^(\d{4})-(\d{1,2})-(\d{1,2})[t ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(z|[+-]\d{2}:?\d{2})?$/.exec(
      word,
    );
  if (time === null) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "0", zone] = time;
  if (dayOf(Number(year), Number(month) - 1, Number(day)) === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const shown =
    Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) +
    Math.floor(Number(`0.${fraction}`) * 1_000);
  const at = zone === undefined ? fromLocal(shown, { offsetMinutesAt }) : shown - zoneMs(zone);
  return [at, at];
}

function zoneMs(zone: string): number {
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Reads everything that is days, weeks, months or years long. */
function daysOf(word: string, context: DateContext): Span | undefined {
  const today = localDay(context.now, context);
  const days = calendarDays(word) ?? pastDay(word, today) ?? monthDays(word, today) ?? namedDays(word, today);
  if (days === undefined) return undefined;
  const [first, next] = days;
  const [from, to] = [startOf(first, context), startOf(next, context)];
  return Number.isFinite(from) && Number.isFinite(to) ? [from, to - 1] : undefined;
}

function startOf({ year, month, day }: CalendarDay, context: DateContext): number {
  return fromLocal(Date.UTC(year, month, day), context);
}

/** The first day and the day after the last; day and month may overflow, as in `Date.UTC`. */
type Days = readonly [first: CalendarDay, next: CalendarDay];

function oneDay(day: CalendarDay): Days {
  return [day, { ...day, day: day.day + 1 }];
}

function calendarDays(word: string): Days | undefined {
  const [, yearText, monthText, dayText] = /^(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?$/.exec(word) ?? [];
  if (yearText === undefined) return undefined;
  const first = dayOf(Number(yearText), Number(monthText ?? 1) - 1, Number(dayText ?? 1));
  if (first === undefined) return undefined;
  if (dayText !== undefined) return oneDay(first);
  if (monthText !== undefined) return [first, { ...first, month: first.month + 1 }];
  return [first, { ...first, year: first.year + 1 }];
}

/** Returns undefined for a day that does not exist, such as 31 February, which `Date` would move to March. */
export function dayOf(year: number, month: number, day: number): CalendarDay | undefined {
  const date = new Date(Date.UTC(year, month, day));
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month && date.getUTCDate() === day;
  return isReal ? { year, month, day } : undefined;
}

/** Reads `7d` or `2 weeks ago` as that one day. */
function pastDay(word: string, today: CalendarDay): Days | undefined {
  const [, count, unit] = /^(\d{1,5}) ?(d|days?|w|weeks?|mo|mos|months?|y|years?)(?: ago)?$/.exec(word) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const number = Number(count);
  if (unit.startsWith("d")) return oneDay({ ...today, day: today.day - number });
  if (unit.startsWith("w")) return oneDay({ ...today, day: today.day - 7 * number });
  return oneDay(monthsBefore(today, unit.startsWith("y") ? 12 * number : number));
}

/** A month before 31 March is the last day of February. Noon, so that a clock change does not move the day. */
function monthsBefore({ year, month, day }: CalendarDay, months: number): CalendarDay {
  const then = subMonths(new Date(year, month, day, 12), months);
  return { year: then.getFullYear(), month: then.getMonth(), day: then.getDate() };
}

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

/** Reads `july`, `jul 20`, `20 jul`, with a year or without; without one, the most recent is meant. */
function monthDays(word: string, today: CalendarDay): Days | undefined {
  const [, before, name = "", after, yearText] =
    /^(?:(\d{1,2})(?:st|nd|rd|th)? )?(?:last )?([a-z]{3,9})\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?(?:,? (\d{4}))?$/.exec(
      word,
    ) ?? [];
  const month = MONTHS.findIndex((each) => name.length >= 3 && each.startsWith(name));
  const dayText = before ?? after;
  if (month === -1 || (before !== undefined && after !== undefined)) return undefined;
  const number = Number(dayText ?? 1);
  const isLater = month > today.month || (month === today.month && number > today.day);
  const first = dayOf(
    yearText === undefined ? today.year - (isLater ? 1 : 0) : Number(yearText),
    month,
    number,
  );
  if (first === undefined) return undefined;
  return dayText === undefined ? [first, { ...first, month: month + 1 }] : oneDay(first);
}

function namedDays(word: string, today: CalendarDay): Days | undefined {
  if (word === "today") return oneDay(today);
  if (word === "yesterday") return oneDay({ ...today, day: today.day - 1 });
  const [, which, unit] = /^(this|last) (week|month|year)$/.exec(word) ?? [];
  const back = which === "last" ? 1 : 0;
  const { year, month } = today;
  // Weeks start on Monday.
  const monday = today.day - ((weekdayOf(today) + 6) % 7) - 7 * back;
  if (unit === "week")
    return [
      { ...today, day: monday },
      { ...today, day: monday + 7 },
    ];
  if (unit === "month")
    return [
      { year, month: month - back, day: 1 },
      { year, month: month - back + 1, day: 1 },
    ];
  if (unit === "year")
    return [
      { year: year - back, month: 0, day: 1 },
      { year: year - back + 1, month: 0, day: 1 },
    ];
  return weekday(word, today);
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Returns the most recent such weekday; `last monday` is never today. */
function weekday(word: string, today: CalendarDay): Days | undefined {
  const name = word.replace(/^last /, "");
  const named = WEEKDAYS.findIndex((each) => each === name || (name.length >= 3 && each.startsWith(name)));
  if (named === -1) return undefined;
  const daysAgo = (weekdayOf(today) - named + 7) % 7;
  return oneDay({ ...today, day: today.day - (daysAgo === 0 && name !== word ? 7 : daysAgo) });
}

function weekdayOf({ year, month, day }: CalendarDay): number {
  return new Date(Date.UTC(year, month, day)).getUTCDay();
}

/** The present and the time zone that dates are relative to. */
export interface DateContext {
  readonly now: number;
  /** Minutes that local time is ahead of UTC at that moment. */
  readonly offsetMinutesAt: (ms: number) => number;
}

interface CalendarDay {
  readonly year: number;
  /** Counted from 0. */
  readonly month: number;
  readonly day: number;
}

/** Returns the local calendar day of a moment. */
export function localDay(ms: number, { offsetMinutesAt }: Pick<DateContext, "offsetMinutesAt">): CalendarDay {
  const date = new Date(ms + offsetMinutesAt(ms) * 60_000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
}

/** Converts a local time, given as if it were UTC, to the actual moment. Looks up the offset twice, as it may change in between. */
export function fromLocal(utc: number, { offsetMinutesAt }: Pick<DateContext, "offsetMinutesAt">): number {
  const guess = utc - offsetMinutesAt(utc) * 60_000;
  return utc - offsetMinutesAt(guess) * 60_000;
}
