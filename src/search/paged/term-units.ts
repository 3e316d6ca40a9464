/**
 * Terms are kept by UTF-16 units, each written as UTF-8 would write it (surrogates one by one, three
 * bytes each). So the order of the bytes is the order of JavaScript's own `<`, an edit distance
 * counts what MiniSearch counts, and half a surrogate pair from a broken log stays what it is.
 *
 * Writes a term into memory that has room for three bytes a unit; how many there are.
 */
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

/** Is it a byte of a unit, but not its first? */
export function isInsideUnit(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Where the unit ends that begins at `at`; `end` where there is none. */
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
