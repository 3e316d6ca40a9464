import { formatNumber, inTwoUnits } from "../../render/words.ts";

const units = ["B", "KB", "MB", "GB", "TB"] as const;

/** Formats bytes, 1 KB = 1024: "512 B", "4.2 MB", "18 MB". */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // Compare the rounded value: 1023.6 KB would be shown as 1024 KB.
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const text = unit === 0 || value >= 9.95 ? value.toFixed(0) : value.toFixed(1);
  return `${text} ${units[unit] ?? ""}`;
}

/** Formats a large number with three digits: "950", "12.3 K", "1.05 M", "21 G". */
export function formatShort(count: number): string {
  const letters = ["", "K", "M", "G", "T"] as const;
  let value = count;
  let letter = 0;
  while (Number(value.toPrecision(3)) >= 1000 && letter < letters.length - 1) {
    value /= 1000;
    letter++;
  }
  return letter === 0 ? String(value) : `${value.toPrecision(3)} ${letters[letter] ?? ""}`;
}

/** Formats a count with its noun: "1 session", "3 sessions", "no entries". */
export function amountOf(count: number, noun: string, plural: string = `${noun}s`): string {
  if (count === 0) return `no ${plural}`;
  return count === 1 ? `1 ${noun}` : `${formatNumber(count)} ${plural}`;
}

/** Formats a duration in its two largest units: "40 ms", "2.5 s", "3 min 20 s", "2 h 5 min", "4 d 3 h". */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return inTwoUnits(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? inTwoUnits(hours, "h", minutes % 60, "min")
    : inTwoUnits(Math.floor(hours / 24), "d", hours % 24, "h");
}
