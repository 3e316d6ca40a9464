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

/** Milliseconds of an ISO time or of a number of milliseconds; undefined for anything else. */
export function timeAt(object: JsonObject | undefined, key: string): number | undefined {
  return readTime(object?.[key]);
}

export function readTime(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) && value > 0 ? value : undefined;
  if (typeof value !== "string") return undefined;
  const ms = parseIsoTime(value);
  return Number.isNaN(ms) ? undefined : ms;
}
