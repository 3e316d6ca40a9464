import { isObject, type JsonObject } from "./json-line.ts";

/**
 * Narrow checks for values out of logs. Indexing reads every line, and zod costs several times the
 * parse there; these cost nothing.
 */
export function stringAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = object?.[key];
  return typeof value === "string" ? value : undefined;
}

export function numberAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = object?.[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function objectAt(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = object?.[key];
  return isObject(value) ? value : undefined;
}

export function arrayAt(object: JsonObject | undefined, key: string): readonly unknown[] | undefined {
  const value = object?.[key];
  return Array.isArray(value) ? value : undefined;
}

/** Milliseconds of an ISO time or of a number of milliseconds; undefined for anything that is no time of our calendar. */
export function timeAt(object: JsonObject | undefined, key: string): number | undefined {
  return readTime(object?.[key]);
}

export function readTime(value: unknown): number | undefined {
  if (typeof value === "number") return value > 0 && value <= LATEST_MS ? value : undefined;
  if (typeof value !== "string") return undefined;
  const ms = parseIsoTime(value);
  return ms >= 0 && ms <= LATEST_MS ? ms : undefined;
}

/** The end of the year 9999. What comes later has no date of the usual form, and soon none at all. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const DAY_CHARS = 10;
const WHOLE_CHARS = 24;
let lastDay = "";
let lastDayMs = Number.NaN;

/**
 * `Date.parse` for the form that every agent writes, `2026-01-31T08:15:30.123Z`, of which one log has
 * many of the same day: four times as fast. Any other form goes to `Date.parse` itself.
 */
export function parseIsoTime(text: string): number {
  if (text.length !== WHOLE_CHARS || !text.endsWith("Z") || text[10] !== "T" || text[19] !== ".")
    return Date.parse(text);
  const hours = twoDigits(text, 11);
  const minutes = twoDigits(text, 14);
  const seconds = twoDigits(text, 17);
  const milliseconds = twoDigits(text, 20) * 10 + twoDigits(text, 22, 1);
  const isPlain = text[13] === ":" && text[16] === ":" && hours < 24 && minutes < 60 && seconds < 60;
  // NaN where a digit is none.
  if (!isPlain || !(milliseconds >= 0)) return Date.parse(text);
  if (!text.startsWith(lastDay) || lastDay === "") {
    lastDay = text.slice(0, DAY_CHARS);
    lastDayMs = Date.parse(`${lastDay}T00:00:00.000Z`);
  }
  return lastDayMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds;
}

/** The number that `count` digits make; NaN where one of them is no digit. */
function twoDigits(text: string, at: number, count = 2): number {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
