import { Buffer } from "node:buffer";

/*
 * Reads long JSON strings slice by slice: a tool result of hundreds of megabytes is never decoded whole.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLICE_BYTES = 1024 * 1024;
/** `\uXXXX` is the longest escape. */
const ESCAPE_BYTES = 6;

/** The size of a text in UTF-8, and its number of lines. */
export interface TextSize {
  readonly bytes: number;
  readonly lines: number;
}

/** Measures the text of the JSON string from `start` to `end`, quotes included; undefined if it is not valid JSON. */
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
 * Decodes a JSON string that arrives in chunks, quotes included, and yields its text in parts. No part ends within a
 * character. Throws a SyntaxError if it is not a JSON string.
 */
export function* decodeString(chunks: Iterable<Uint8Array>): Generator<string, void, void> {
  let isInside = false;
  let isClosed = false;
  for (const { bytes, isLast } of inSlices(chunks)) {
    const from = isInside ? 0 : 1;
    if (!isInside && bytes[0] !== QUOTE) throw new SyntaxError("The string does not start with a quote");
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

/** Cuts between characters and escapes, however the chunks were cut. */
function* inSlices(chunks: Iterable<Uint8Array>): Generator<Slice, void, void> {
  let kept: Buffer = Buffer.alloc(0);
  for (const chunk of chunks) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let from = 0; from < buffer.length; from += SLICE_BYTES) {
      const part = buffer.subarray(from, from + SLICE_BYTES);
      const bytes = kept.length === 0 ? part : Buffer.concat([kept, part]);
      const end = wholeUpTo(bytes);
      if (end > 0) yield { bytes: bytes.subarray(0, end), isLast: false };
      // The reader reuses the chunk's memory: what is needed later is copied.
      kept = Buffer.from(bytes.subarray(end));
    }
  }
  if (kept.length > 0) yield { bytes: kept, isLast: true };
}

/**
 * Returns how many of the bytes can be decoded by themselves, without cutting a character, an escape, or a pair of
 * escapes that form one character. At least one byte is left over, because it may be the quote that ends the string.
 */
function wholeUpTo(bytes: Buffer): number {
  let end = bytes.length - 1;
  // Continuation bytes of a character: three of them at most.
  for (let back = 0; back < 3 && end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80; back++) end--;
  for (;;) {
    const begin = lastEscape(bytes, end);
    if (begin === undefined) return Math.max(0, end);
    const isUnicode = bytes[begin + 1] === 0x75;
    const isWhole = begin + (isUnicode ? ESCAPE_BYTES : 2) <= end;
    // A high surrogate waits for its low half. No other one can be open before it: two high halves are not a pair.
    if (isWhole) return isUnicode && isHighSurrogate(bytes, begin) ? begin : end;
    end = begin;
  }
}

/** Finds where the escape starts that ends at `end` or later; undefined if there is none. */
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
