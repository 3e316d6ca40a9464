import { isObject, type JsonObject } from "./json-line.ts";

/**
 * Checks the types of values out of logs. Indexing reads every line, and a schema library would take several times as
 * long as the parser there.
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

/** Reads an ISO time, or a number of milliseconds since 1970; undefined for anything else. */
export function timeAt(object: JsonObject | undefined, key: string): number | undefined {
  return readTime(object?.[key]);
}

export function readTime(value: unknown): number | undefined {
  if (typeof value === "number") return value > 0 && value <= LATEST_MS ? value : undefined;
  if (typeof value !== "string") return undefined;
  const ms = parseIsoTime(value);
  return ms >= 0 && ms <= LATEST_MS ? ms : undefined;
}

/** The end of the year 9999: later dates cannot be written in the usual form. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const DAY_CHARS = 10;
const WHOLE_CHARS = 24;
let lastDay = "";
let lastDayMs = Number.NaN;

/**
 * A faster `Date.parse` for the form that every agent writes, `2026-01-31T08:15:30.123Z`: a log has many times of the
 * same day, so the day is parsed once. Any other form goes to `Date.parse`.
 */
export function parseIsoTime(text: string): number {
  if (text.length !== WHOLE_CHARS || !text.endsWith("Z") || text[10] !== "T" || text[19] !== ".")
    return Date.parse(text);
  const hours = twoDigits(text, 11);
  const minutes = twoDigits(text, 14);
  const seconds = twoDigits(text, 17);
  const milliseconds = twoDigits(text, 20) * 10 + twoDigits(text, 22, 1);
  const isPlain = text[13] === ":" && text[16] === ":" && hours < 24 && minutes < 60 && seconds < 60;
  // NaN if one of them is not a digit.
  if (!isPlain || !(milliseconds >= 0)) return Date.parse(text);
  if (!text.startsWith(lastDay) || lastDay === "") {
    lastDay = text.slice(0, DAY_CHARS);
    lastDayMs = Date.parse(`${lastDay}T00:00:00.000Z`);
  }
  return lastDayMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds;
}

/** Reads `count` digits as a number; NaN if one of them is not a digit. */
function twoDigits(text: string, at: number, count = 2): number {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Writes a value that was parsed from JSON as JSON again, at any depth. `JSON.stringify` recurses on some runtimes, and
 * a log may have a value that is nested deeper than their stack allows.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJsonText(value);
  }
}

interface OpenValue {
  /** Names of an object's members; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
}

/** Writes the same text without recursion; this is several times slower. */
function deepJsonText(root: unknown): string {
  const parts: string[] = [];
  const open: OpenValue[] = [];
  const put = (value: unknown): void => {
    if (Array.isArray(value)) {
      parts.push("[");
      open.push({ names: undefined, values: value, next: 0 });
    } else if (typeof value === "object" && value !== null) {
      parts.push("{");
      open.push({ names: Object.keys(value), values: Object.values(value), next: 0 });
    } else parts.push(JSON.stringify(value) ?? "null");
  };
  put(root);
  for (let around = open.at(-1); around !== undefined; around = open.at(-1)) {
    const { names, values, next } = around;
    if (next === values.length) {
      parts.push(names === undefined ? "]" : "}");
      open.pop();
      continue;
    }
    if (next > 0) parts.push(",");
    if (names !== undefined) parts.push(JSON.stringify(names[next] ?? ""), ":");
    around.next++;
    put(values[next]);
  }
  return parts.join("");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const UUID_CHARS = 36;

export function isUuid(text: string): boolean {
  return text.length === UUID_CHARS && UUID.test(text);
}
