import { Buffer, constants } from "node:buffer";
import { exitCodes, UserError } from "../errors.ts";

/** One line of a log. Its bytes are valid only until the next line is read. */
export interface Line {
  /** Without the LF that ends it. */
  readonly bytes: Buffer;
  /** From 1. */
  readonly number: number;
  /** Where the line starts in the file, and its length there without the LF. */
  readonly offset: number;
  readonly length: number;
  /** False for a last line without an LF: it may be incomplete. */
  readonly ended: boolean;
  /** How many bytes of long strings were left out because the line is too long to be decoded whole. */
  readonly squeezed: number;
}

/** Longer lines are never held whole in memory; logs do have them. */
export const MAX_WHOLE_LINE: number = 16 * 1024 * 1024;

const LF = 0x0a;

/**
 * Splits chunks of bytes into lines. A line ends at LF and nowhere else: `readline` splits at
 * U+2028 on some runtimes, and logs contain it.
 */
export function* splitLines(chunks: Iterable<Uint8Array>, start = { offset: 0, number: 1 }): Generator<Line> {
  let number = start.number;
  let offset = start.offset;
  let pending: Buffer[] = [];
  let pendingLength = 0;
  let squeezer: StringSqueezer | undefined;

  const squeeze = (): void => {
    if (squeezer !== undefined) return;
    squeezer = createStringSqueezer();
    for (const part of pending) squeezer.push(part);
    pending = [];
  };

  const finish = (tail: Buffer, ended: boolean): Line => {
    const length = pendingLength + tail.length;
    let bytes: Buffer;
    // Depends on the length alone, not on how the chunks were cut.
    if (length > MAX_WHOLE_LINE) squeeze();
    if (squeezer !== undefined) {
      squeezer.push(tail);
      bytes = squeezer.bytes();
    } else {
      bytes = pending.length === 0 ? tail : Buffer.concat([...pending, tail]);
    }
    const line: Line = {
      bytes,
      number,
      offset,
      length,
      ended,
      squeezed: squeezer === undefined ? 0 : length - bytes.length,
    };
    number++;
    offset += length + 1;
    pending = [];
    pendingLength = 0;
    squeezer = undefined;
    return line;
  };

  for (const chunk of chunks) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = buffer.indexOf(LF, from); end !== -1; end = buffer.indexOf(LF, from)) {
      yield finish(buffer.subarray(from, end), true);
      from = end + 1;
    }
    if (from === buffer.length) continue;
    const rest = buffer.subarray(from);
    if (pendingLength + rest.length > MAX_WHOLE_LINE) squeeze();
    // The reader reuses the chunk's memory: what is needed later is copied.
    if (squeezer === undefined) pending.push(Buffer.from(rest));
    else squeezer.push(rest);
    pendingLength += rest.length;
  }
  if (pendingLength > 0) yield finish(Buffer.alloc(0), false);
}

/** A line with all of its bytes, however long: for code that replaces some of them. */
export interface RawLine {
  /** Without the LF that ends it. Valid only until the next line is read. */
  readonly bytes: Buffer;
  /** Where it starts in the file. */
  readonly offset: number;
  /** False for a last line without an LF. */
  readonly ended: boolean;
}

/** Splits chunks into lines with all their bytes. Holds no more than the longest line, once. */
export function* rawLines(chunks: Iterable<Uint8Array>): Generator<RawLine, void, void> {
  let offset = 0;
  const begun = createLineBuffer();
  const finish = (tail: Buffer, ended: boolean): RawLine => {
    let bytes = tail;
    if (begun.length > 0) {
      begun.add(tail);
      bytes = begun.take();
    }
    const line = { bytes, offset, ended };
    offset += bytes.length + 1;
    return line;
  };
  for (const chunk of chunks) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = buffer.indexOf(LF, from); end !== -1; end = buffer.indexOf(LF, from)) {
      yield finish(buffer.subarray(from, end), true);
      from = end + 1;
    }
    // The reader reuses the chunk's memory: what is needed later is copied.
    if (from < buffer.length) begun.add(buffer.subarray(from));
  }
  if (begun.length > 0) yield finish(Buffer.alloc(0), false);
}

interface LineBuffer {
  readonly length: number;
  add(part: Buffer): void;
  /** Returns what was added; valid until something is added again. */
  take(): Buffer;
}

const FIRST_SIZE = 1024 * 1024;
/** Memory that is never written to costs nothing. */
const GROWTH = 4;

/** One buffer for every line that spans chunks. Collecting parts and joining them would hold a line twice. */
function createLineBuffer(): LineBuffer {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(part) {
      if (length + part.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(sizeFor(length + part.length));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      part.copy(buffer, length);
      length += part.length;
    },
    take() {
      const line = buffer.subarray(0, length);
      length = 0;
      return line;
    },
  };
}

function sizeFor(length: number): number {
  if (length > constants.MAX_LENGTH) {
    throw new UserError(`Cannot rewrite a log with a line of more than ${constants.MAX_LENGTH} bytes`, {
      exitCode: exitCodes.refused,
    });
  }
  let size = FIRST_SIZE;
  while (size < length) size *= GROWTH;
  return Math.min(size, constants.MAX_LENGTH);
}

/**
 * Shortens a JSON text by leaving out the ends of long strings, in bounded memory. In logs only strings are long (file
 * contents, base64), and only a quote that is not escaped ends one, so no parser is needed.
 */
export interface StringSqueezer {
  push(bytes: Uint8Array): void;
  /** The shortened text. */
  bytes(): Buffer;
}

/** Bytes kept of each string. */
const KEPT_OF_STRING = 32 * 1024;
/** Past this size even a squeezed line is cut; it will not parse, and is reported as a problem. */
const MAX_SQUEEZED = 8 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export function createStringSqueezer(): StringSqueezer {
  const parts: Buffer[] = [];
  let total = 0;
  let inString = false;
  /** Bytes of the current string so far. */
  let seen = 0;
  /** Bytes that still belong to an escape: 1 after a backslash, 4 after `\u`. */
  let escaped = 0;
  let unicodeEscape = false;
  let dropping = false;

  const keep = (bytes: Uint8Array, from: number, to: number): void => {
    if (to <= from || total >= MAX_SQUEEZED) return;
    const end = Math.min(to, from + MAX_SQUEEZED - total);
    parts.push(Buffer.from(bytes.subarray(from, end)));
    total += end - from;
  };

  return {
    push(given) {
      const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      const quotes = createFinder(bytes, QUOTE);
      const backslashes = createFinder(bytes, BACKSLASH);
      let from = 0;
      for (let i = 0; i < bytes.length; i++) {
        // In what is dropped only these two bytes matter, and searching for them is many times faster than a loop.
        if (dropping && escaped === 0) {
          i = Math.min(quotes(i), backslashes(i));
          if (i === bytes.length) break;
        }
        const byte = bytes[i] ?? 0;
        if (!inString) {
          if (byte === QUOTE) {
            inString = true;
            seen = 0;
          }
          continue;
        }
        seen++;
        // Dropping starts only between whole characters: never inside an escape or a UTF-8 sequence.
        if (!dropping && seen > KEPT_OF_STRING && escaped === 0 && (byte & 0xc0) !== 0x80) {
          keep(bytes, from, i);
          dropping = true;
        }
        if (escaped > 0) {
          escaped = escaped === 1 && byte === 0x75 && !unicodeEscape ? 4 : escaped - 1;
          unicodeEscape = escaped > 0;
        } else if (byte === BACKSLASH) {
          escaped = 1;
          unicodeEscape = false;
        } else if (byte === QUOTE) {
          inString = false;
          if (dropping) from = i;
          dropping = false;
        }
      }
      if (!dropping) keep(bytes, from, bytes.length);
    },
    bytes: () => Buffer.concat(parts),
  };
}

/** Finds the next position of a byte at or after `from`, else the end. Called with ascending positions, it reads each byte once. */
function createFinder(bytes: Buffer, byte: number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      const at = bytes.indexOf(byte, from);
      found = at === -1 ? bytes.length : at;
    }
    return found;
  };
}
