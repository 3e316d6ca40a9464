import { Buffer } from "node:buffer";
import { measureString } from "./json-strings.ts";

/**
 * The position of a JSON value in its bytes. Replacing a span and copying the rest changes nothing else: a round trip
 * through a parser would change numbers, escapes and spaces.
 */
export type JsonSpan = JsonObjectSpan | JsonArraySpan | JsonPlainSpan;

interface Place {
  /** From the first byte of the value to after its last one. */
  readonly start: number;
  readonly end: number;
}

export interface JsonObjectSpan extends Place {
  readonly kind: "object";
  readonly members: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsonSpan;
}

export interface JsonArraySpan extends Place {
  readonly kind: "array";
  readonly items: readonly JsonSpan[];
}

export interface JsonPlainSpan extends Place {
  /** `word` is true, false or null. */
  readonly kind: "string" | "number" | "word";
}

/** Values that are nested deeper are left alone. */
const MAX_DEPTH = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Finds the values on a line: nearly always one, several if lines were glued together. Stops where it is not JSON. */
export function scanJsonLine(bytes: Buffer): readonly JsonSpan[] {
  const found: JsonSpan[] = [];
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (;;) {
    // NUL too: a crash of the machine leaves such padding.
    while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at++;
    if (at >= bytes.length) return found;
    const span = scanJson(bytes, at);
    if (span === undefined) return found;
    found.push(span);
    at = span.end;
  }
}

/** Finds the value that starts at `from`; undefined if there is none. */
export function scanJson(bytes: Buffer, from = 0): JsonSpan | undefined {
  let at = from;
  const space = (): void => {
    for (
      let byte = bytes[at];
      byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
      byte = bytes[at]
    )
      at++;
  };
  const take = (byte: number): boolean => {
    if (bytes[at] !== byte) return false;
    at++;
    return true;
  };

  const value = (depth: number): JsonSpan | undefined => {
    space();
    const start = at;
    switch (bytes[at]) {
      case 0x7b: {
        const members: JsonMember[] = [];
        const isWhole = list(0x7d, depth, () => {
          const keyStart = at;
          const keyEnd = endOfString(bytes, at);
          if (keyEnd === undefined) return false;
          const key = parseString(bytes, keyStart, keyEnd);
          at = keyEnd;
          space();
          if (key === undefined || !take(0x3a)) return false;
          const member = value(depth + 1);
          if (member === undefined) return false;
          members.push({ key, keyStart, value: member });
          return true;
        });
        return isWhole ? { kind: "object", start, end: at, members } : undefined;
      }
      case 0x5b: {
        const items: JsonSpan[] = [];
        const isWhole = list(0x5d, depth, () => {
          const item = value(depth + 1);
          if (item !== undefined) items.push(item);
          return item !== undefined;
        });
        return isWhole ? { kind: "array", start, end: at, items } : undefined;
      }
      case QUOTE: {
        const end = endOfString(bytes, at);
        if (end === undefined) return undefined;
        at = end;
        return { kind: "string", start, end };
      }
      default:
        return plain(start);
    }
  };

  const list = (close: number, depth: number, item: () => boolean): boolean => {
    if (depth > MAX_DEPTH) return false;
    at++;
    space();
    if (take(close)) return true;
    for (;;) {
      space();
      if (!item()) return false;
      space();
      if (take(close)) return true;
      if (!take(0x2c)) return false;
    }
  };

  const plain = (start: number): JsonSpan | undefined => {
    while (isPlain(bytes[at])) at++;
    if (at === start) return undefined;
    const text = bytes.toString("latin1", start, at);
    if (WORDS.has(text)) return { kind: "word", start, end: at };
    return NUMBER.test(text) ? { kind: "number", start, end: at } : undefined;
  };

  return value(0);
}

const WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Letters, digits, plus, minus, point. */
function isPlain(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x45
  );
}

/** Index after the quote that closes the string at `start`; undefined if it is not closed. */
function endOfString(bytes: Buffer, start: number): number | undefined {
  if (bytes[start] !== QUOTE) return undefined;
  for (let end = bytes.indexOf(QUOTE, start + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return undefined;
}

/** Longer values are never decoded whole. */
const MAX_DECODED = 16 * 1024 * 1024;

function parseString(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start > MAX_DECODED) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is valid JSON for a parser too. Spans are found without checking the insides of strings. */
export function isProperJson(bytes: Buffer, span: JsonSpan): boolean {
  if (lengthOf(span) > MAX_DECODED) return hasProperStrings(bytes, span);
  try {
    JSON.parse(bytes.toString("utf8", span.start, span.end));
    return true;
  } catch {
    return false;
  }
}

/** Does the same for long values: everything but the insides of strings was checked when the spans were found. */
function hasProperStrings(bytes: Buffer, span: JsonSpan): boolean {
  switch (span.kind) {
    case "string":
      return measureString(bytes, span.start, span.end) !== undefined;
    case "array":
      return span.items.every((item) => hasProperStrings(bytes, item));
    case "object":
      return span.members.every(({ value }) => hasProperStrings(bytes, value));
    default:
      return true;
  }
}

/** Returns the value of a key; if a key occurs twice the last one counts, as in every parser. */
export function memberAt(span: JsonSpan | undefined, key: string): JsonSpan | undefined {
  return span?.kind === "object" ? span.members.findLast((member) => member.key === key)?.value : undefined;
}

export function itemsOf(span: JsonSpan | undefined): readonly JsonSpan[] {
  return span?.kind === "array" ? span.items : [];
}

/** Returns the text of a string; undefined if it is not a string, not valid, or too long to be decoded. */
export function stringOf(bytes: Buffer, span: JsonSpan | undefined): string | undefined {
  return span?.kind === "string" ? parseString(bytes, span.start, span.end) : undefined;
}

export function isTrue(bytes: Buffer, span: JsonSpan | undefined): boolean {
  return span?.kind === "word" && bytes[span.start] === 0x74;
}

export function lengthOf({ start, end }: JsonSpan): number {
  return end - start;
}

/** Returns a text as the bytes of a JSON string. */
export function jsonString(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}
