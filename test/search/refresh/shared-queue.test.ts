import { expect, test } from "vitest";
import { createQueueCounts, takeFrom } from "../../../src/search/refresh/index-workers.ts";
import fc from "../../support/fc.ts";

test("takeFrom() gives every number to one taker, in whatever order they ask", () => {
  fc.assert(
    fc.property(fc.nat(40), fc.array(fc.nat(2), { maxLength: 200 }), (length, turns) => {
      const counts = createQueueCounts();
      const takers = [
        takeFrom("front", length, counts),
        takeFrom("back", length, counts),
        takeFrom("front", length, counts),
      ];
      const taken = turns.flatMap((taker) => {
        const { value, done } = takers[taker]?.next() ?? { done: true };
        return done === true || value === undefined ? [] : [value];
      });
      for (const taker of takers) taken.push(...taker);
      expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length }, (_, i) => i));
    }),
  );
});

test("takeFrom() the front counts up, the back counts down", () => {
  const counts = createQueueCounts();
  const front = takeFrom("front", 5, counts);
  const back = takeFrom("back", 5, counts);
  const order = [front.next(), back.next(), front.next(), back.next(), front.next(), back.next()];
  expect(order.map(({ value }) => value)).toEqual([0, 4, 1, 3, 2, undefined]);
});
