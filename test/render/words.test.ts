import { expect, test } from "vitest";
import { formatNumber } from "../../src/render/words.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [1_234_567, "1,234,567"],
])("formatNumber(%i) is %s", (count, expected) => {
  expect(formatNumber(count)).toBe(expected);
});
