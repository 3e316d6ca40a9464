import { Buffer } from "node:buffer";
import { IndexDamage } from "../../fs/damage.ts";

/** Bytes that grow at their end. */
export interface ByteWriter {
  readonly length: number;
  byte(value: number): void;
  /** 7 bits a byte, low ones first; any whole number up to 2^53. */
  varint(value: number): void;
  bytes(source: Uint8Array): void;
  /** Its length in UTF-8 as a varint, then the UTF-8. */
  text(text: string): void;
  /** Its memory, with room for so many bytes more behind `length`; who writes there says so by `wrote`. */
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

  // Its length is a plain property: a getter is not always inlined, and it is asked for with every term.
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

/** Reads what a ByteWriter wrote. Its bytes were verified; running past their end is damage all the same. */
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
