import { parseIsoTime } from "./iso-time.ts";
import type { JsonObject } from "./json-line.ts";
import { isObject } from "./json-line.ts";

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
