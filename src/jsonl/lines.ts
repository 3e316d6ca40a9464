import { Buffer, constants } from "node:buffer";
import { exitCodes, UserError } from "../errors.ts";
import { createStringSqueezer, type StringSqueezer } from "./squeeze.ts";

/** One line of a log. Its bytes are valid only until the next line is asked for. */
export interface Line {
  /** Without the LF that ends it. */
  readonly bytes: Buffer;
  /** From 1. */
  readonly number: number;
  /** Where the line begins in the file, and how long it is there without its LF. */
  readonly offset: number;
  readonly length: number;
  /** False for a last line that no LF ends: it may be torn. */
  readonly ended: boolean;
  /** Bytes that were left out of long strings, because the line is too long to be decoded whole. */
  readonly squeezed: number;
}

/** Lines longer than this are never held whole (lines of 12 MB are real, and of 52 MB). */
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
    // By its length alone, so that the size of the chunks decides nothing.
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
    // The chunk's memory is used again by its reader: what outlives this round is copied.
    if (squeezer === undefined) pending.push(Buffer.from(rest));
    else squeezer.push(rest);
    pendingLength += rest.length;
  }
  if (pendingLength > 0) yield finish(Buffer.alloc(0), false);
}

/** A line with all of its bytes, however long: for who replaces some of them. */
export interface RawLine {
  /** Without the LF that ends it. Valid only until the next line is asked for. */
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly offset: number;
  /** False for a last line that no LF ends. */
  readonly ended: boolean;
}

/** Splits chunks into lines. What is held is the longest line, once. */
export function* rawLines(chunks: Iterable<Uint8Array>): Generator<RawLine, void, void> {
  let offset = 0;
  const begun = createLineRoom();
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
    // The chunk's memory is used again by its reader: what outlives this round is copied.
    if (from < buffer.length) begun.add(buffer.subarray(from));
  }
  if (begun.length > 0) yield finish(Buffer.alloc(0), false);
}

interface LineRoom {
  readonly length: number;
  add(part: Buffer): void;
  /** What was added; valid until something is added again. */
  take(): Buffer;
}

const FIRST_ROOM = 1024 * 1024;
/** The system gives memory only where something is written: room that stays empty costs nothing. */
const GROWTH = 4;

/** One buffer for all lines that do not lie in one chunk. To collect parts and join them would hold a line twice. */
function createLineRoom(): LineRoom {
  let room = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(part) {
      if (length + part.length > room.length) {
        const larger = Buffer.allocUnsafeSlow(sizeFor(length + part.length));
        room.copy(larger, 0, 0, length);
        room = larger;
      }
      part.copy(room, length);
      length += part.length;
    },
    take() {
      const line = room.subarray(0, length);
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
  let size = FIRST_ROOM;
  while (size < length) size *= GROWTH;
  return Math.min(size, constants.MAX_LENGTH);
}
