import { expect, test } from "vitest";
import { shortId, shortIds } from "../../src/render/short-ids.ts";

const RANDOM = "be2220da-1b5d-461b-8db4-95cd4ce864a4";
const BY_TIME = "019f92c8-d694-7ac3-9144-e3b22add0999";

test.each([
  ["a random id by its first eight characters", RANDOM, "be2220da"],
  ["an id by time by all of its time", BY_TIME, "019f92c8-d694"],
  ["an id of another form as a whole", "session-1775386832313-0", "session-1775386832313-0"],
])("shortId() names %s", (_, id, short) => {
  expect(shortId(id)).toBe(short);
});

test("shortIds() is longer where listed ids start alike, however few are listed", () => {
  const other = "019f92c8-d694-7ac3-9144-e3b22add01f3";
  expect([...shortIds([other, BY_TIME, RANDOM]).values()].sort()).toEqual([
    "019f92c8-d694-7ac3-9144-e3b22add01",
    "019f92c8-d694-7ac3-9144-e3b22add09",
    "be2220da",
  ]);
  expect(shortIds([BY_TIME]).get(BY_TIME)).toBe(shortId(BY_TIME));
});
