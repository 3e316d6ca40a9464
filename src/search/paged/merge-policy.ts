import type { Tidy } from "../engine.ts";

/** What the policy looks at. */
export interface SegmentWeight {
  readonly bytes: number;
  /** Turns and sessions in the file, and how many of them are still there. */
  readonly documents: number;
  readonly living: number;
}

/** Which segments to merge into one, oldest first; none if all is well. */
export type MergePlan = (segments: readonly SegmentWeight[], tidy: Tidy) => readonly number[];

/** Segments of about one size (within a factor of four) are merged when there are so many of them. */
const TOO_MANY = 8;
/** The same where nobody waits: of two dictionaries each is walked for a typo. */
const SEVERAL = 2;
const SMALLEST_TIER_BYTES: number = 64 * 1024;
/** A segment of which less than this share is left is written anew. */
const LEAST_LIVING = 0.5;
/** Of these, a merge can't wait for a better moment. */
const FAR_TOO_MANY = 24;
/** Tidying before a search may take this much: about 15 ms. The rest is left to the background. */
const LITTLE_BYTES: number = 512 * 1024;

/**
 * Every byte is rewritten a few times per tier at most, so the work is n log n in all, and there are at most
 * eight segments per tier, 24 where only searches ever tidied, one where all was tidied thoroughly. They need not be neighbours by age: a session
 * lives in one segment only.
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
