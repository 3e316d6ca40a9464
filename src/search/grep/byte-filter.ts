import { Buffer } from "node:buffer";
import type { Pattern } from "./compile-pattern.ts";

/** Sifts bytes before they are decoded. */
export interface ByteFilter {
  /** False: no text in these bytes matches. */
  mayMatch(bytes: Uint8Array): boolean;
  /** The same for a file, up to the first place that may match. */
  mayMatchIn(chunks: Iterable<Uint8Array>): boolean;
}

const BACKSLASH_U = [[0x5c], [0x75]];
const HEX = [..."0123456789abcdefABCDEF"].map((digit) => digit.charCodeAt(0));
const ZERO = 0x30;

/** Any character may be written as `\uXXXX`, and some programs do so with some: such bytes may hold anything. */
const ASCII_ESCAPES = [[...BACKSLASH_U, [ZERO], [ZERO], [0x32, 0x33, 0x34, 0x35, 0x36, 0x37]]];
/** All but those of control characters, which are everywhere. */
const ALL_ESCAPES = [
  [...BACKSLASH_U, HEX.filter((digit) => digit !== ZERO)],
  [...BACKSLASH_U, [ZERO], HEX.filter((digit) => digit !== ZERO)],
  [...BACKSLASH_U, [ZERO], [ZERO], HEX.filter((digit) => digit !== ZERO && digit !== 0x31)],
];

/** undefined where every text must be looked at. */
export function createByteFilter({
  literals,
  ignoreCase,
}: Pick<Pattern, "literals" | "ignoreCase">): ByteFilter | undefined {
  if (literals.length === 0) return undefined;
  const sequences = literals.map((literal) =>
    [...Buffer.from(literal, "utf8").subarray(0, MOST_BYTES)].map((byte) =>
      ignoreCase ? bothCases(byte) : [byte],
    ),
  );
  const isAscii = sequences.every((sequence) => sequence.every(([byte = 0]) => byte < 0x80));
  const finders = [...sequences, ...(isAscii ? ASCII_ESCAPES : ALL_ESCAPES)].map(createByteFinder);
  const mayMatch = (bytes: Uint8Array): boolean => finders.some((find) => find(bytes));
  return { mayMatch, mayMatchIn: (chunks) => isInChunks(chunks, finders) };
}

function bothCases(byte: number): readonly number[] {
  const char = String.fromCharCode(byte);
  return [...new Set([byte, char.toLowerCase().charCodeAt(0), char.toUpperCase().charCodeAt(0)])];
}

function isInChunks(chunks: Iterable<Uint8Array>, finders: readonly ByteFinder[]): boolean {
  /** The end of one chunk and the beginning of the next: what stands in both is in neither. */
  let seam = Buffer.alloc(0);
  for (const chunk of chunks) {
    const around = Buffer.concat([seam, chunk.subarray(0, MOST_BYTES)]);
    if (finders.some((find) => find(around) || find(chunk))) return true;
    seam =
      chunk.length >= MOST_BYTES
        ? Buffer.from(chunk.subarray(chunk.length - MOST_BYTES))
        : Buffer.from(around.subarray(Math.max(0, around.length - MOST_BYTES)));
  }
  return false;
}

/** Is a text in these bytes? */
type ByteFinder = (bytes: Uint8Array) => boolean;

/** Longest sequence that a finder takes: its places are the bits of a number. */
const MOST_BYTES = 24;

/**
 * Looks for a sequence of bytes, each of which may be one of several, by the rule of Boyer, Moore and
 * Horspool: the byte under the end of the sequence says how far it can be moved on. A plain loop at about
 * 1 GB/s on both runtimes; `indexOf` of a buffer can't ignore case, and is 8 to 35 times slower on Deno
 * than on Node.
 */
export function createByteFinder(sequence: readonly (readonly number[])[]): ByteFinder {
  const length = sequence.length;
  const last = length - 1;
  const skips = new Uint8Array(256).fill(length);
  /** Bit i of fits[byte]: the byte may stand at place i. */
  const fits = new Uint32Array(256);
  sequence.forEach((bytes, place) => {
    for (const byte of bytes) {
      if (place < last) skips[byte] = last - place;
      fits[byte] = (fits[byte] ?? 0) | (1 << place);
    }
  });
  const lastBit = 1 << last;
  return (bytes) => {
    const end = bytes.length;
    for (let at = last; at < end; ) {
      const byte = bytes[at] ?? 0;
      if (((fits[byte] ?? 0) & lastBit) !== 0) {
        let place = last - 1;
        while (place >= 0 && ((fits[bytes[at - last + place] ?? 0] ?? 0) & (1 << place)) !== 0) place--;
        if (place < 0) return true;
      }
      at += skips[byte] ?? length;
    }
    return false;
  };
}
