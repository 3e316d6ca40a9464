import { isoTime } from "./json/session-json.ts";

/** A whole number with its thousands apart: "12,345". */
export function formatNumber(value: number): string {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number with its noun: "1 turn", "3 turns". */
export function countOf(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** To the minute, in UTC: files that are kept read the same everywhere. */
export function utcMinute(ms: number | null): string | null {
  return (
    isoTime(ms)
      ?.replace("T", " ")
      .replace(/:\d\d\.\d+Z$/, "") ?? null
  );
}

/** From and to, the day once where it is the same: "2026-10-12 14:05 – 16:20 UTC (2 h 15 min)". */
export function utcSpan(startMs: number | null, endMs: number | null): string | null {
  const start = utcMinute(startMs);
  const end = utcMinute(endMs);
  if (start === null || end === null || startMs === null || endMs === null)
    return start === null && end === null ? null : `${start ?? end} UTC`;
  if (start === end) return `${start} UTC`;
  const [day, time] = end.split(" ");
  const until = start.startsWith(`${day} `) ? time : end;
  const minutes = Math.round((endMs - startMs) / 60_000);
  return `${start} – ${until} UTC${minutes > 0 ? ` (${spanOf(minutes)})` : ""}`;
}

function spanOf(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? join(hours, "h", minutes % 60, "min")
    : join(Math.floor(hours / 24), "d", hours % 24, "h");
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
