import type { Buffer } from "node:buffer";
import { isObject, type JsonObject } from "../../jsonl/json-line.ts";

const OPEN_BRACE = 0x7b;
const COMMA = 0x2c;

/**
 * Parses a part of the line with another byte in the place of a comma, which is put back: joining the brace
 * to the decoded text would copy all of it once more.
 */
export function parseWith(bytes: Buffer, comma: number, brace: number, from: number, to: number): unknown {
  bytes[comma] = brace;
  try {
    return JSON.parse(bytes.toString("utf8", from, to));
  } catch {
    return undefined;
  } finally {
    bytes[comma] = COMMA;
  }
}

/** The keys from the comma at `from` up to the brace that ends the line; undefined where it is no such thing. */
export function parseFrom(bytes: Buffer, from: number, end: number): JsonObject | undefined {
  if (bytes[from] !== COMMA) return undefined;
  const rest = parseWith(bytes, from, OPEN_BRACE, from, end);
  return isObject(rest) ? rest : undefined;
}
