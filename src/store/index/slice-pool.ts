import { Buffer } from "node:buffer";

/**
 * Many small streams of bytes that grow side by side in chunks of memory. A stream is a chain of
 * slices, each twice as long as the one before, of which the last four bytes say where the next one
 * begins. Its state is kept by the caller, in an array of numbers, from a place on that is its own.
 */
export interface SlicePool {
  readonly bytes: number;
  /** Adds a varint to a stream. */
  varint(states: Uint32Array, at: number, value: number): void;
  /** The whole stream in one piece, valid until the next call. */
  read(states: Uint32Array, at: number): Uint8Array;
}

/** Numbers of state per stream: its first byte (0: nothing was added yet), the next, the slice's end and size. */
export const STREAM_STATE = 4;
const FIRST = 0;
const NEXT = 1;
const END = 2;
const SIZE = 3;

const SMALLEST_SLICE = 16;
const LARGEST_SLICE = 16 * 1024;
const POINTER = 4;
const LONGEST_VARINT = 8;
/** Chunks, and not one buffer that doubles: that needed three times the memory while it was copied. */
const CHUNK_BITS = 20;
const CHUNK: number = 1 << CHUNK_BITS;
const IN_CHUNK: number = CHUNK - 1;

export function createSlicePool(): SlicePool {
  // Small at first: most builders see a session or two.
  const chunks: Buffer[] = [Buffer.allocUnsafeSlow(64 * 1024)];
  let joined = Buffer.allocUnsafeSlow(64 * 1024);
  // A stream never begins at 0.
  let used = SMALLEST_SLICE;

  const chunkOf = (address: number): Buffer => chunks[address >>> CHUNK_BITS] ?? joined;

  const allocate = (size: number): number => {
    // No slice reaches from one chunk into the next.
    if ((used & IN_CHUNK) + size > CHUNK) used = (used | IN_CHUNK) + 1;
    const index = used >>> CHUNK_BITS;
    const wanted = (used & IN_CHUNK) + size;
    const chunk = chunks[index];
    if (chunk === undefined) chunks[index] = Buffer.allocUnsafeSlow(CHUNK);
    else if (wanted > chunk.length) chunks[index] = enlarge(chunk, used & IN_CHUNK);
    used += size;
    return used - size;
  };

  const addSlice = (states: Uint32Array, at: number): void => {
    const size = Math.min(Math.max((states[at + SIZE] ?? 0) * 2, SMALLEST_SLICE), LARGEST_SLICE);
    const start = allocate(size);
    const end = states[at + END] ?? 0;
    if (states[at + FIRST] === 0) states[at + FIRST] = start;
    else chunkOf(end).writeUInt32LE(start, end & IN_CHUNK);
    states[at + NEXT] = start;
    states[at + END] = start + size - POINTER;
    states[at + SIZE] = size;
  };

  const byte = (states: Uint32Array, at: number, value: number): void => {
    if (states[at + NEXT] === states[at + END]) addSlice(states, at);
    const next = states[at + NEXT] ?? 0;
    chunkOf(next)[next & IN_CHUNK] = value;
    states[at + NEXT] = next + 1;
  };

  return {
    get bytes() {
      return used;
    },
    varint(states, at, value) {
      let rest = value;
      const start = states[at + NEXT] ?? 0;
      if (start + LONGEST_VARINT > (states[at + END] ?? 0) || rest > 0x7fffffff) {
        for (; rest > 0x7f; rest = Math.floor(rest / 128)) byte(states, at, (rest % 128) | 0x80);
        byte(states, at, rest);
        return;
      }
      const chunk = chunkOf(start);
      let next = start & IN_CHUNK;
      for (; rest > 0x7f; rest >>>= 7) chunk[next++] = (rest & 0x7f) | 0x80;
      chunk[next++] = rest;
      states[at + NEXT] = start - (start & IN_CHUNK) + next;
    },
    read(states, at) {
      const last = states[at + NEXT] ?? 0;
      let start = states[at + FIRST] ?? 0;
      let length = 0;
      if (start === 0) return NOTHING;
      for (let size = SMALLEST_SLICE; ; size = Math.min(size * 2, LARGEST_SLICE)) {
        const chunk = chunkOf(start);
        const from = start & IN_CHUNK;
        const end = start + size - POINTER;
        const stop = last >= start && last <= end ? last : end;
        while (length + size > joined.length) joined = enlarge(joined, length);
        chunk.copy(joined, length, from, from + stop - start);
        length += stop - start;
        if (stop === last) return joined.subarray(0, length);
        start = chunk.readUInt32LE(end & IN_CHUNK);
      }
    },
  };
}

const NOTHING = new Uint8Array(0);

function enlarge(buffer: Buffer, used: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
  buffer.copy(larger, 0, 0, used);
  return larger;
}
