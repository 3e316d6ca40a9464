import { Buffer } from "node:buffer";

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

export function* rawLines(chunks: Iterable<Uint8Array>): Generator<RawLine, void, void> {
  let offset = 0;
  let pending: Buffer[] = [];
  const finish = (tail: Buffer, ended: boolean): RawLine => {
    const bytes = pending.length === 0 ? tail : Buffer.concat([...pending, tail]);
    pending = [];
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
    if (from < buffer.length) pending.push(Buffer.from(buffer.subarray(from)));
  }
  if (pending.length > 0) yield finish(Buffer.alloc(0), false);
}
