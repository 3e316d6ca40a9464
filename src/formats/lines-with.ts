import type { Buffer } from "node:buffer";

const LF = 10;

/** Where the next line begins that has one of the signs, from the beginning of a line on; -1 where there is none. */
export type LineFinder = (from: number) => number;

/**
 * Finds lines by what stands in their bytes; all lines where `signs` is undefined. Lines that have none are not even told
 * from one another. The first sign is to be the commonest: the others are looked for only between lines that have that.
 */
export function linesWith(block: Buffer, signs: readonly Buffer[] | undefined): LineFinder {
  const [first, ...others] = signs ?? [];
  if (first === undefined) return (from) => (signs === undefined && from < block.length ? from : -1);
  let place = -1;
  let start = -1;
  return (from) => {
    if (place < from) {
      const found = block.indexOf(first, from);
      place = found === -1 ? block.length : found;
      start = found === -1 ? block.length : Math.max(from, block.lastIndexOf(LF, found) + 1);
    }
    const other = from < start ? firstOf(block.subarray(from, start), others) : -1;
    if (other !== -1) return from + other;
    return start === block.length ? -1 : start;
  };
}

/** Where the first line begins that has one of the signs; -1 where there is none. */
function firstOf(block: Buffer, signs: readonly Buffer[]): number {
  let nearest = block.length;
  for (const sign of signs) {
    const found = block.indexOf(sign);
    if (found !== -1 && found < nearest) nearest = found;
  }
  return nearest === block.length ? -1 : block.lastIndexOf(LF, nearest) + 1;
}
