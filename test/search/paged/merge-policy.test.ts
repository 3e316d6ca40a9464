import { expect, test } from "vitest";
import { planMerge, type SegmentWeight } from "../../../src/search/paged/merge-policy.ts";

const MB = 1024 * 1024;

function weights(sizes: readonly number[], living = 1): SegmentWeight[] {
  return sizes.map((bytes) => ({ bytes, documents: 100, living: 100 * living }));
}

test.each([
  ["few segments", weights([MB, MB, MB]), "all", []],
  ["eight small ones", weights(Array(8).fill(10_000)), "little", [0, 1, 2, 3, 4, 5, 6, 7]],
  [
    "eight small ones beside a large one",
    weights([900 * MB, ...Array(8).fill(10_000)]),
    "little",
    [1, 2, 3, 4, 5, 6, 7, 8],
  ],
  ["eight large ones before a search", weights(Array(8).fill(20 * MB)), "little", []],
  ["eight large ones after a run", weights(Array(8).fill(20 * MB)), "all", [0, 1, 2, 3, 4, 5, 6, 7]],
  [
    "eight of very different size",
    weights([1, 5, 25, 125, 600, 3000, 15_000, 70_000].map((kb) => kb * 100_000)),
    "all",
    [],
  ],
  [
    "twenty-four large ones before a search",
    weights(Array(24).fill(20 * MB)),
    "little",
    [...Array(24).keys()],
  ],
  ["two of a size, where nobody waits", weights([3 * MB, 4 * MB, 100 * MB]), "thorough", [0, 1]],
  ["two of a size, in a refresh", weights([3 * MB, 4 * MB]), "all", []],
  ["sizes far apart", weights([MB, 10 * MB, 100 * MB]), "thorough", []],
  ["a small one that is mostly gone", [...weights([MB]), ...weights([MB / 4], 0.4)], "little", [1]],
  ["a large one that is mostly gone, before a search", weights([100 * MB], 0.1), "little", []],
  ["a large one that is mostly gone, after a run", weights([100 * MB], 0.1), "all", [0]],
] as const)("planMerge() of %s", (_, segments, tidy, merged) => {
  expect(planMerge(segments, tidy)).toEqual(merged);
});

test("planMerge() keeps the number of segments small over a thousand small commits, and rewrites little", () => {
  const segments: number[] = [];
  let most = 0;
  let rewritten = 0;
  for (let i = 0; i < 1000; i++) {
    segments.push(50_000);
    for (
      let plan = planMerge(weights(segments), "all");
      plan.length > 0;
      plan = planMerge(weights(segments), "all")
    ) {
      const sum = plan.reduce((total, at) => total + (segments[at] ?? 0), 0);
      rewritten += sum;
      for (const at of [...plan].reverse()) segments.splice(at, 1);
      segments.push(sum);
    }
    most = Math.max(most, segments.length);
  }
  expect(most).toBeLessThan(32);
  expect(rewritten).toBeLessThan(1000 * 50_000 * 6);
});
