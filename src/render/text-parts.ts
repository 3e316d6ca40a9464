import { Buffer } from "node:buffer";
import { encodeJson } from "../redact/clean-text.ts";

/**
 * Writes the members of an object as JSON, indented by two, in parts: the same text as `encodeJson` of the whole. Lists
 * are written item by item and may be generators, so that a long list is never in memory.
 */
export function* jsonParts(members: Iterable<readonly [string, unknown]>): Generator<string, void, void> {
  let isEmpty = true;
  for (const [key, value] of members) {
    if (value === undefined) continue;
    yield `${isEmpty ? "{" : ","}\n  ${encodeJson(key)}: `;
    isEmpty = false;
    if (isList(value)) yield* listParts(value);
    else yield indented(value, "  ");
  }
  yield isEmpty ? "{}" : "\n}";
}

function* listParts(items: Iterable<unknown>): Generator<string, void, void> {
  let isEmpty = true;
  for (const item of items) {
    yield `${isEmpty ? "[" : ","}\n    ${indented(item, "    ")}`;
    isEmpty = false;
  }
  yield isEmpty ? "[]" : "\n  ]";
}

function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** JSON has line ends only between values: those inside strings are escaped. */
function indented(value: unknown, by: string): string {
  return (value === undefined ? "null" : encodeJson(value, 2)).replaceAll("\n", `\n${by}`);
}

/** Smaller batches would be a system call for each word, larger ones would fill the memory. */
const BATCH_CHARS = 256 * 1024;

/** Joins parts of a text into fewer and longer ones, so that a writer never holds the whole text. */
export function* inBatches(parts: Iterable<string>): Generator<string, void, void> {
  let batch: string[] = [];
  let chars = 0;
  for (const part of parts) {
    batch.push(part);
    chars += part.length;
    if (chars < BATCH_CHARS) continue;
    yield batch.join("");
    batch = [];
    chars = 0;
  }
  if (chars > 0) yield batch.join("");
}

/** The bytes of a text that comes in parts, ready to be written. */
export function* encodeParts(parts: Iterable<string>): Generator<Uint8Array, void, void> {
  for (const part of inBatches(parts)) yield Buffer.from(part);
}
