import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { figuresOf, judge, labelledSessions, type Outcome, shownItems } from "../quality/open-work.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";

const store = temporaryFolder();
let outcomes: readonly Outcome[] = [];

beforeAll(async () => {
  outcomes = judge(labelledSessions, await shownItems(realHome(), store.path));
});
afterAll(store.remove);

test("enough ends of logs were read, and a part of them is held out", () => {
  const heldOut = labelledSessions.filter(({ set }) => set === "held-out");
  expect(labelledSessions.length).toBeGreaterThan(100);
  expect(figuresOf(outcomes).withOpenWork).toBeGreaterThanOrEqual(40);
  expect(heldOut.length).toBeGreaterThan(40);
});

describe.each(["dev", "held-out"] as const)("open work that is listed (%s)", (set) => {
  test("is open four times of five, and is there for seven of ten sessions that left some", () => {
    const { precision, recall } = figuresOf(outcomes.filter(({ session }) => session.set === set));
    expect(precision).toBeGreaterThanOrEqual(0.8);
    expect(recall).toBeGreaterThanOrEqual(0.7);
  });
});
