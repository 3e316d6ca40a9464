import { Buffer } from "node:buffer";
import { type ByteFinder, createByteFinder, MOST_BYTES } from "./byte-finder.ts";
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
