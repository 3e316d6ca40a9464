/** Sizes and times for people, in their time zone. */

/** "1.2k", "21k", "1.2M", "1.7G": for tokens. */
export function short(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 999_500) return `${trimmed(value / 1_000)}k`;
  if (value < 999_500_000) return `${trimmed(value / 1_000_000)}M`;
  return `${trimmed(value / 1_000_000_000)}G`;
}

export function bytes(value: number): string {
  if (value < 1_024) return `${value} B`;
  if (value < 1_024 * 1_024) return `${trimmed(value / 1_024)} KB`;
  return `${trimmed(value / 1_024 / 1_024)} MB`;
}

function trimmed(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);
}

const DAY_MS = 86_400_000;
const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** As short as possible without being ambiguous: "14:05", "Tue", "3 Nov", "3 Nov 2025". */
export function when(ms: number | null, now: number = Date.now()): string {
  if (ms === null) return "";
  const date = new Date(ms);
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (ms >= today) return time.format(date);
  if (ms >= today - 6 * DAY_MS) return weekday.format(date);
  return date.getFullYear() === new Date(now).getFullYear() ? day.format(date) : dayOfYear.format(date);
}

/** The same with the time of day: "14:05", "Tue, 14:05", "3 Nov, 14:05". */
export function whenExactly(ms: number | null, now: number = Date.now()): string {
  if (ms === null) return "";
  const short = when(ms, now);
  const clock = time.format(new Date(ms));
  return short === clock ? clock : `${short}, ${clock}`;
}

/** "3 Nov 2026, 14:05". */
export function fullTime(ms: number | null): string {
  return ms === null ? "" : `${dayOfYear.format(new Date(ms))}, ${time.format(new Date(ms))}`;
}

/** "3 Nov 2026, 14:05 – 16:20". */
export function span(startMs: number | null, endMs: number | null): string {
  if (startMs === null || endMs === null) return fullTime(startMs ?? endMs);
  const isSameDay = new Date(startMs).toDateString() === new Date(endMs).toDateString();
  return `${fullTime(startMs)} – ${isSameDay ? time.format(new Date(endMs)) : fullTime(endMs)}`;
}

/** The last folder of a path. */
export function folderName(path: string | null): string {
  return path === null ? "no project" : (/[^/\\]+(?=[/\\]*$)/.exec(path)?.[0] ?? path);
}

/** The folder of a session as lists name it, with its machine if that is another one: "vm:shop". */
export function placeName(session: {
  readonly machine: string | null;
  readonly project: string | null;
  readonly worktree: string | null;
}): string {
  const name = session.worktree ?? folderName(session.project);
  return session.machine === null ? name : `${session.machine}:${name}`;
}

/** "in 3 days", "tomorrow". */
export function daysUntil(ms: number, now: number = Date.now()): string {
  const days = Math.ceil((ms - now) / DAY_MS);
  if (days <= 0) return "with the next clean-up";
  return days === 1 ? "tomorrow" : `in ${days} days`;
}

/** "$12.30". */
export function dollars(value: number): string {
  return `$${value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en")}`;
}
