import { Buffer } from "node:buffer";
import type { Pattern } from "./compile-pattern.ts";

/** Rules out bytes that cannot match before they are decoded. */
export interface ByteFilter {
  /** False: no text in these bytes matches. */
  mayMatch(bytes: Uint8Array): boolean;
  /** Does the same for a file; reads only up to the first possible match. */
  mayMatchIn(chunks: Iterable<Uint8Array>): boolean;
}

const BACKSLASH_U = [[0x5c], [0x75]];
const HEX = [..."0123456789abcdefABCDEF"].map((digit) => digit.charCodeAt(0));
const ZERO = 0x30;

/** Any character may be written as `\uXXXX`, so bytes with such escapes may hold any text. */
const ASCII_ESCAPES = [[...BACKSLASH_U, [ZERO], [ZERO], [0x32, 0x33, 0x34, 0x35, 0x36, 0x37]]];
/** All escapes except those of control characters, which occur everywhere. */
const ALL_ESCAPES = [
  [...BACKSLASH_U, HEX.filter((digit) => digit !== ZERO)],
  [...BACKSLASH_U, [ZERO], HEX.filter((digit) => digit !== ZERO)],
  [...BACKSLASH_U, [ZERO], [ZERO], HEX.filter((digit) => digit !== ZERO && digit !== 0x31)],
];

/** Makes the filter for a pattern; undefined if every text must be decoded. */
export function createByteFilter({
  literals,
  ignoreCase,
}: Pick<Pattern, "literals" | "ignoreCase">): ByteFilter | undefined {
  if (literals.length === 0) return undefined;
  const sequences = literals.map((literal) =>
    [...Buffer.from(literal, "utf8").subarray(0, MAX_BYTES)].map((byte) =>
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
  /** The end of the previous chunk, to find matches that span two chunks. */
  let seam = Buffer.alloc(0);
  for (const chunk of chunks) {
    const boundary = Buffer.concat([seam, chunk.subarray(0, MAX_BYTES)]);
    if (finders.some((find) => find(boundary) || find(chunk))) return true;
    seam =
      chunk.length >= MAX_BYTES
        ? Buffer.from(chunk.subarray(chunk.length - MAX_BYTES))
        : Buffer.from(boundary.subarray(Math.max(0, boundary.length - MAX_BYTES)));
  }
  return false;
}

/** Says whether the bytes contain a sequence. */
type ByteFinder = (bytes: Uint8Array) => boolean;

/** Longest sequence that a finder accepts: each position is one bit of a number. */
const MAX_BYTES = 24;

/**
 * Finds a sequence of bytes, each of which may be one of several, with the Boyer-Moore-Horspool algorithm: the
 * byte under the end of the sequence says how far to skip. A plain loop, because `indexOf` of a buffer can't
 * ignore case and is slow on Deno.
 */
export function createByteFinder(sequence: readonly (readonly number[])[]): ByteFinder {
  const length = sequence.length;
  const last = length - 1;
  const skips = new Uint8Array(256).fill(length);
  /** Bit i of allowed[byte]: the byte may be at position i. */
  const allowed = new Uint32Array(256);
  sequence.forEach((bytes, position) => {
    for (const byte of bytes) {
      if (position < last) skips[byte] = last - position;
      allowed[byte] = (allowed[byte] ?? 0) | (1 << position);
    }
  });
  const lastBit = 1 << last;
  return (bytes) => {
    const end = bytes.length;
    for (let at = last; at < end; ) {
      const byte = bytes[at] ?? 0;
      if (((allowed[byte] ?? 0) & lastBit) !== 0) {
        let position = last - 1;
        while (position >= 0 && ((allowed[bytes[at - last + position] ?? 0] ?? 0) & (1 << position)) !== 0)
          position--;
        if (position < 0) return true;
      }
      at += skips[byte] ?? length;
    }
    return false;
  };
}
