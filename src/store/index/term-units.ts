import { type ByteWriter, createByteWriter } from "../../core/search/byte-writer.ts";

/**
 * Terms are kept by UTF-16 units, each written as UTF-8 would write it (surrogates one by one, three
 * bytes each). So the order of the bytes is the order of JavaScript's own `<`, an edit distance
 * counts what MiniSearch counts, and half a surrogate pair from a broken log stays what it is.
 */
export function appendUnits(out: ByteWriter, term: string, from = 0): void {
  for (let i = from; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    if (unit < 0x80) {
      out.byte(unit);
    } else if (unit < 0x800) {
      out.byte(0xc0 | (unit >> 6));
      out.byte(0x80 | (unit & 0x3f));
    } else {
      out.byte(0xe0 | (unit >> 12));
      out.byte(0x80 | ((unit >> 6) & 0x3f));
      out.byte(0x80 | (unit & 0x3f));
    }
  }
}

/** The same into memory that has room for three bytes a unit; how many there are. */
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

export function unitsLength(term: string, from: number): number {
  let length = term.length - from;
  for (let i = from; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    if (unit >= 0x80) length += unit < 0x800 ? 1 : 2;
  }
  return length;
}

export function encodeUnits(term: string): Uint8Array {
  const out = createByteWriter(term.length * 3);
  appendUnits(out, term);
  return out.view();
}

/** Decodes bytes `from` to `to` into `units` at `at`; how many units stand there then in all. */
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

/** How many units two terms have in common at their beginning. */
export function sharedUnits(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < max && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++;
  return shared;
}
