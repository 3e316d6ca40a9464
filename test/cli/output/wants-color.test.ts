import { expect, test } from "vitest";
import { wantsColor } from "../../../src/cli/output/style.ts";

test.each([
  [true, {}, true],
  [false, {}, false],
  [undefined, {}, false],
  [true, { TERM: "dumb" }, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("wantsColor(%s, %j) is %s", (isTerminal, variables, expected) => {
  expect(wantsColor(isTerminal, variables)).toBe(expected);
});
