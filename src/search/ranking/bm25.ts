/**
 * BM25+ as MiniSearch computes it, with its default numbers. The tests hold every score against a
 * real MiniSearch, so nothing here may be "improved" alone.
 */
export const bm25: { readonly k: number; readonly b: number; readonly d: number } = {
  k: 1.2,
  b: 0.7,
  d: 0.5,
};

export function inverseFrequency(documents: number, matching: number): number {
  return Math.log(1 + (documents - matching + 0.5) / (matching + 0.5));
}

/** Weight of a term that only begins like the one asked for. */
export function prefixWeight(asked: number, found: number): number {
  return (0.375 * found) / (found + 0.3 * (found - asked));
}

/** Weight of a term that only looks like the one asked for. */
export function fuzzyWeight(found: number, distance: number): number {
  return (0.45 * found) / (found + distance);
}
