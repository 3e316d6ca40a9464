import { Buffer } from "node:buffer";

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
  let length = 0;

  const reserve = (more: number): void => {
    if (length + more <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, length + more));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  };

  const varint = (value: number): void => {
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
  };

  return {
    get length() {
      return length;
    },
    byte(value) {
      if (length === buffer.length) reserve(1);
      buffer[length++] = value;
    },
    varint,
    text(text) {
      const size = Buffer.byteLength(text);
      varint(size);
      reserve(size);
      buffer.write(text, length, size, "utf8");
      length += size;
    },
    bytes(source) {
      reserve(source.length);
      buffer.set(source, length);
      length += source.length;
    },
    room(more) {
      reserve(more);
      return buffer;
    },
    wrote(more) {
      length += more;
    },
    view: () => buffer.subarray(0, length),
    clear() {
      length = 0;
    },
  };
}
