import type { Buffer } from "node:buffer";

/** A JSON object out of a log; nothing else is known of it. */
export type JsonObject = { readonly [key: string]: unknown };

export interface JsonLine {
  /** Nearly always one; several if lines were glued together without an LF. */
  readonly objects: readonly JsonObject[];
  /** Why the line, or the rest of it, can't be read. */
  readonly problem?: string;
}

const NOTHING: JsonLine = { objects: [] };
/** Replaces a value that is not an object: it is valid JSON, but no format knows it. */
const NO_KEYS: JsonObject = {};

/** Reads the JSON objects on a line. Blank lines have none and are not a problem. Never throws. */
export function readJsonLine(bytes: Buffer, ended: boolean): JsonLine {
  return readJsonText(decodeLine(bytes), ended);
}

/** Does the same for a text that is already decoded and trimmed. */
export function readJsonText(text: string, ended: boolean): JsonLine {
  if (text === "") return NOTHING;
  const whole = tryParse(text);
  if (isObject(whole)) return { objects: [whole] };
  if (whole !== undefined) return { objects: [NO_KEYS] };
  const objects = splitGlued(text);
  if (objects.rest === "") return { objects: objects.found };
  const problem = ended ? "not JSON" : "torn: the last line is not complete";
  return { objects: objects.found, problem };
}

/** Decodes a line without BOM, without NUL padding (left by a crash of the machine) and without space around it. */
export function decodeLine(bytes: Buffer): string {
  let start = 0;
  let end = bytes.length;
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) start = 3;
  while (start < end && (bytes[start] ?? 0) <= 0x20) start++;
  while (end > start && (bytes[end - 1] ?? 0) <= 0x20) end--;
  return bytes.toString("utf8", start, end);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if it is not valid. JSON itself has no undefined. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Takes whole objects off the front until there are no more. */
function splitGlued(text: string): { readonly found: readonly JsonObject[]; readonly rest: string } {
  const found: JsonObject[] = [];
  let from = 0;
  while (text.charCodeAt(from) === 0x7b) {
    const end = endOfObject(text, from);
    if (end === -1) break;
    const value = tryParse(text.slice(from, end));
    if (!isObject(value)) break;
    found.push(value);
    from = end;
    while (from < text.length && text.charCodeAt(from) <= 0x20) from++;
  }
  return { found, rest: text.slice(from) };
}

/** Index after the brace that closes the object at `from`, or -1. */
export function endOfObject(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b) depth++;
    else if (code === 0x7d && --depth === 0) return i + 1;
  }
  return -1;
}

const SPACE = /[\s\0]/;

/**
 * Finds the keys of the object that starts at `from`, and where their values start. The text may end anywhere: from
 * the head of a file it finds the keys up to that point.
 */
export function topLevelKeys(text: string, from = 0): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  let depth = 0;
  let stringAt = -1;
  /** The last string at depth one; it is a key if a colon follows. */
  let lastString: string | undefined;
  for (let i = from; i < text.length; i++) {
    const char = text[i] ?? "";
    if (stringAt !== -1) {
      if (char === "\\") i++;
      else if (char === '"') {
        if (depth === 1) lastString = text.slice(stringAt + 1, i);
        stringAt = -1;
      }
    } else if (char === '"') stringAt = i;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") {
      if (--depth <= 0) break;
    } else if (char === ":" && depth === 1 && lastString !== undefined) {
      keys.set(lastString, skipSpace(text, i + 1));
      lastString = undefined;
    } else if (depth === 0 && !SPACE.test(char)) break;
  }
  return keys;
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.test(text[at] ?? "")) at++;
  return at;
}
