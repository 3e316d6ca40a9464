import { Buffer } from "node:buffer";

/*
 * Long strings of JSON, slice by slice: a result of 190 MB is never decoded whole.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLICE_BYTES = 1024 * 1024;
/** `\uXXXX` is the longest escape. */
const ESCAPE_BYTES = 6;

/** How long a text is in UTF-8, and how many lines it has. */
export interface TextSize {
  readonly bytes: number;
  readonly lines: number;
}

/** Measures the text of the JSON string from `start` to `end`, quotes included; undefined if it is no JSON. */
export function measureString(bytes: Buffer, start: number, end: number): TextSize | undefined {
  let length = 0;
  let lines = 0;
  let endsLine = true;
  try {
    for (const text of decodeString([bytes.subarray(start, end)])) {
      length += Buffer.byteLength(text);
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
      endsLine = text.endsWith("\n");
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return { bytes: length, lines: lines + Number(!endsLine) };
}

/**
 * Decodes a JSON string that comes in chunks, quotes included, into texts that make up the whole. No text ends
 * within a character. Throws a SyntaxError if it is no JSON string.
 */
export function* decodeString(chunks: Iterable<Uint8Array>): Generator<string, void, void> {
  let isInside = false;
  let isClosed = false;
  for (const { bytes, isLast } of inSlices(chunks)) {
    const from = isInside ? 0 : 1;
    if (!isInside && bytes[0] !== QUOTE) throw new SyntaxError("The string does not begin with a quote");
    isInside = true;
    isClosed = isLast && bytes.length > from && bytes.at(-1) === QUOTE;
    const text: unknown = JSON.parse(`"${bytes.toString("utf8", from, bytes.length - Number(isClosed))}"`);
    // A quote that is not escaped would have ended the string.
    if (typeof text !== "string") throw new SyntaxError("The string ends too early");
    if (text !== "") yield text;
  }
  if (!isClosed) throw new SyntaxError("The string is not closed");
}

interface Slice {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** Cuts between characters and escapes, whatever the chunks are. */
function* inSlices(chunks: Iterable<Uint8Array>): Generator<Slice, void, void> {
  let kept: Buffer = Buffer.alloc(0);
  for (const chunk of chunks) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let from = 0; from < buffer.length; from += SLICE_BYTES) {
      const part = buffer.subarray(from, from + SLICE_BYTES);
      const bytes = kept.length === 0 ? part : Buffer.concat([kept, part]);
      const end = wholeUpTo(bytes);
      if (end > 0) yield { bytes: bytes.subarray(0, end), isLast: false };
      // The chunk's memory is used again by its reader: what outlives this round is copied.
      kept = Buffer.from(bytes.subarray(end));
    }
  }
  if (kept.length > 0) yield { bytes: kept, isLast: true };
}

/**
 * How much of the bytes can be decoded alone: no escape is cut off, no character, and no pair of escapes that make one
 * character. At least one byte stays, which may be the quote that ends the string.
 */
function wholeUpTo(bytes: Buffer): number {
  let end = bytes.length - 1;
  // A byte that goes on with a character: three of them at most.
  for (let back = 0; back < 3 && end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80; back++) end--;
  for (;;) {
    const begin = lastEscape(bytes, end);
    if (begin === undefined) return Math.max(0, end);
    const isUnicode = bytes[begin + 1] === 0x75;
    const isWhole = begin + (isUnicode ? ESCAPE_BYTES : 2) <= end;
    // The other half may follow. Before it no other half is open: two first halves are no pair.
    if (isWhole) return isUnicode && isHighSurrogate(bytes, begin) ? begin : end;
    end = begin;
  }
}

/** Where the escape begins that ends at `end` or goes beyond it; undefined if there is none. */
function lastEscape(bytes: Buffer, end: number): number | undefined {
  if (end <= 0) return undefined;
  const at = bytes.lastIndexOf(BACKSLASH, end - 1);
  if (at === -1 || at < end - ESCAPE_BYTES) return undefined;
  let slashes = 1;
  while (bytes[at - slashes] === BACKSLASH) slashes++;
  return slashes % 2 === 1 ? at : at - 1;
}

function isHighSurrogate(bytes: Buffer, begin: number): boolean {
  return /^d[89ab]/i.test(bytes.toString("latin1", begin + 2, begin + 4));
}
