import type { Buffer } from "node:buffer";

/** A JSON object as it comes from a log: nothing is known of it but that. */
export type JsonObject = { readonly [key: string]: unknown };

export interface JsonLine {
  /** Nearly always one; several where lines were glued together without a LF. */
  readonly objects: readonly JsonObject[];
  /** Why the line, or what remains of it, can't be understood. */
  readonly problem?: string;
}

const NOTHING: JsonLine = { objects: [] };
/** Stands for a value that is no object: it can be read, and says nothing that any format knows. */
const NO_KEYS: JsonObject = {};

/** Reads the JSON objects on a line. Blank lines hold none and are no problem. Never throws. */
export function readJsonLine(bytes: Buffer, ended: boolean): JsonLine {
  return readJsonText(decodeLine(bytes), ended);
}

/** The same for a text that is decoded and trimmed. */
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

/** Decodes a line: no BOM, no NUL padding (a crash of the machine leaves such), no space around it. */
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

/** undefined where it is no JSON; JSON itself has no undefined. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Takes whole objects off the front as long as there are any. */
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

/** Index behind the brace that closes the object at `from`, or -1. */
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
 * The keys of the object that begins at `from`, and where their values begin. The text may end
 * anywhere: of a file's head the keys up to there are found.
 */
export function topLevelKeys(text: string, from = 0): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  let depth = 0;
  let stringAt = -1;
  /** The last string at depth one: a key if a colon follows. */
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
