import { Buffer, constants } from "node:buffer";
import { exitCodes, UserError } from "../errors.ts";

/** A line with all of its bytes, however long: for who replaces some of them. */
export interface RawLine {
  /** Without the LF that ends it. Valid only until the next line is asked for. */
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly offset: number;
  /** False for a last line that no LF ends. */
  readonly ended: boolean;
}

const LF = 0x0a;

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
