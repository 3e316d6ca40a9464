import { IndexDamage } from "../../fs/index-damage.ts";

/** Reads what a ByteWriter wrote. Its bytes were verified; running past their end is damage all the same. */
export interface ByteReader {
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
