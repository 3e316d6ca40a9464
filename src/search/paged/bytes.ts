import { Buffer } from "node:buffer";
import { IndexDamage } from "../../fs/damage.ts";

/** A growing buffer. */
export interface ByteWriter {
  readonly length: number;
  byte(value: number): void;
  /** Writes 7 bits per byte, low ones first; any whole number up to 2^53. */
  varint(value: number): void;
  bytes(source: Uint8Array): void;
  /** Writes the length of the UTF-8 as a varint, then the UTF-8. */
  text(text: string): void;
  /** Returns the memory, with room for `more` bytes after `length`; call `wrote` after writing there. */
  room(more: number): Uint8Array;
  wrote(more: number): void;
  /** Valid until the next write. */
  view(): Buffer;
  clear(): void;
}

export function createByteWriter(capacity = 1024): ByteWriter {
  let buffer = Buffer.allocUnsafeSlow(capacity);

  const reserve = (more: number): void => {
    const { length } = writer;
    if (length + more <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, length + more));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  };

  // `length` is a plain property: a getter is not always inlined, and this is read for every term.
  const writer = {
    length: 0,
    byte(value: number): void {
      if (writer.length === buffer.length) reserve(1);
      buffer[writer.length++] = value;
    },
    varint(value: number): void {
      let { length } = writer;
      if (length + 8 > buffer.length) reserve(8);
      let rest = value;
      while (rest > 0x7fffffff) {
        buffer[length++] = (rest % 128) | 0x80;
        rest = Math.floor(rest / 128);
      }
      while (rest > 0x7f) {
        buffer[length++] = (rest & 0x7f) | 0x80;
        rest >>>= 7;
      }
      buffer[length++] = rest;
      writer.length = length;
    },
    text(text: string): void {
      const size = Buffer.byteLength(text);
      writer.varint(size);
      reserve(size);
      buffer.write(text, writer.length, size, "utf8");
      writer.length += size;
    },
    bytes(source: Uint8Array): void {
      reserve(source.length);
      buffer.set(source, writer.length);
      writer.length += source.length;
    },
    room(more: number): Uint8Array {
      reserve(more);
      return buffer;
    },
    wrote(more: number): void {
      writer.length += more;
    },
    view: (): Buffer => buffer.subarray(0, writer.length),
    clear(): void {
      writer.length = 0;
    },
  };
  return writer;
}

/** Reads the output of a ByteWriter. Reading past the end throws `IndexDamage`. */
interface ByteReader {
  readonly position: number;
  readonly atEnd: boolean;
  byte(): number;
  varint(): number;
  bytes(length: number): Uint8Array;
  skip(length: number): void;
}

export function createByteReader(source: Uint8Array, start = 0, end: number = source.length): ByteReader {
  let position = start;
  const need = (length: number): void => {
    if (length < 0 || position + length > end) throw new IndexDamage("A part of the index ends too early");
  };
  const byte = (): number => {
    if (position >= end) need(1);
    return source[position++] ?? 0;
  };
  return {
    get position() {
      return position;
    },
    get atEnd() {
      return position >= end;
    },
    byte,
    varint() {
      let value = 0;
      let scale = 1;
      for (;;) {
        const next = byte();
        value += (next & 0x7f) * scale;
        if (next < 0x80) return value;
        scale *= 128;
        if (scale > 2 ** 49) throw new IndexDamage("A number in the index is too long");
      }
    },
    bytes(length) {
      need(length);
      position += length;
      return source.subarray(position - length, position);
    },
    skip(length) {
      need(length);
      position += length;
    },
  };
}

/*
 * Terms are stored as UTF-16 units, each encoded like a UTF-8 character (surrogates one by one, in three bytes). So the
 * order of the bytes is that of JavaScript's `<`, an edit distance counts what MiniSearch counts, and half a surrogate
 * pair from a broken log is preserved.
 */

/** Writes a term into memory with room for three bytes per unit; returns the number of bytes. */
export function writeUnits(to: Uint8Array, term: string): number {
  let at = 0;
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    if (unit < 0x80) {
      to[at++] = unit;
    } else if (unit < 0x800) {
      to[at++] = 0xc0 | (unit >> 6);
      to[at++] = 0x80 | (unit & 0x3f);
    } else {
      to[at++] = 0xe0 | (unit >> 12);
      to[at++] = 0x80 | ((unit >> 6) & 0x3f);
      to[at++] = 0x80 | (unit & 0x3f);
    }
  }
  return at;
}

export function encodeUnits(term: string): Uint8Array {
  const bytes = new Uint8Array(term.length * 3);
  return bytes.subarray(0, writeUnits(bytes, term));
}

/** Whether a byte is not the first of its unit. */
export function isInsideUnit(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Returns the end of the unit that starts at `at`, at most `end`. */
export function unitEnd(bytes: Uint8Array, at: number, end: number): number {
  let next = at + 1;
  while (next < end && isInsideUnit(bytes[next] ?? 0)) next++;
  return Math.min(next, end);
}

export function countUnits(bytes: Uint8Array, start: number, end: number): number {
  let units = 0;
  for (let at = start; at < end; at++) if (!isInsideUnit(bytes[at] ?? 0)) units++;
  return units;
}

/** Decodes bytes `from` to `to` into `units` at `at`; returns the number of units up to the last one. */
export function decodeUnits(
  bytes: Uint8Array,
  from: number,
  to: number,
  units: Uint16Array,
  at: number,
): number {
  let length = at;
  for (let i = from; i < to; ) {
    const first = bytes[i++] ?? 0;
    if (first < 0x80) {
      units[length++] = first;
    } else if (first < 0xe0) {
      units[length++] = ((first & 0x1f) << 6) | ((bytes[i++] ?? 0) & 0x3f);
    } else {
      const second = bytes[i++] ?? 0;
      units[length++] = ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | ((bytes[i++] ?? 0) & 0x3f);
    }
  }
  return length;
}

export function unitsToString(units: Uint16Array, length: number): string {
  return String.fromCharCode(...units.subarray(0, length));
}
