import type { Tidy } from "../engine.ts";

/** The properties of a segment that the policy uses. */
export interface SegmentWeight {
  readonly bytes: number;
  /** Turns and sessions in the file, and how many of them are live. */
  readonly documents: number;
  readonly living: number;
}

/** Returns the segments to merge into one, oldest first; none if nothing is due. */
export type MergePolicy = (segments: readonly SegmentWeight[], tidy: Tidy) => readonly number[];

/** This many segments of about one size (within a factor of four) are merged. */
const TOO_MANY = 8;
/** The same in the background: in every dictionary, a query with typos costs a walk. */
const SEVERAL = 2;
const SMALLEST_TIER_BYTES: number = 64 * 1024;
/** A segment with a smaller live share is rewritten. */
const LEAST_LIVING = 0.5;
/** This many are merged even if a search has to wait for it. */
const FAR_TOO_MANY = 24;
/** How many bytes may be merged before a search (about 15 ms). The rest is done in the background. */
const LITTLE_BYTES: number = 512 * 1024;

/**
 * Merges segments by size tiers: every byte is rewritten once per tier, so the work is n log n in all. A tier has at
 * most eight segments, 24 if only searches ever merge, one after a thorough merge. The segments need not be neighbors
 * by age, because a session is live in one segment only.
 */
export function planMerge(segments: readonly SegmentWeight[], tidy: Tidy): readonly number[] {
  const limit = tidy === "little" ? LITTLE_BYTES : Number.POSITIVE_INFINITY;
  const tooMany = tidy === "thorough" ? SEVERAL : TOO_MANY;
  const tiers = new Map<number, number[]>();
  segments.forEach((segment, i) => {
    const tier = tierOf(segment.bytes);
    const members = tiers.get(tier);
    if (members === undefined) tiers.set(tier, [i]);
    else members.push(i);
  });
  for (const tier of [...tiers.keys()].sort((a, b) => a - b)) {
    const members = tiers.get(tier) ?? [];
    const isDue = members.length >= tooMany && sumBytes(segments, members) <= limit;
    if (isDue || members.length >= FAR_TOO_MANY) return members;
  }
  const sparse = segments.findIndex(
    ({ bytes, documents, living }) => living < documents * LEAST_LIVING && bytes <= limit,
  );
  return sparse === -1 ? [] : [sparse];
}

function tierOf(bytes: number): number {
  return Math.max(0, Math.ceil(Math.log(bytes / SMALLEST_TIER_BYTES) / Math.log(4)));
}

function sumBytes(segments: readonly SegmentWeight[], members: readonly number[]): number {
  return members.reduce((sum, i) => sum + (segments[i]?.bytes ?? 0), 0);
}
