import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IndexedSession, SearchReader } from "../../../src/search/engine.ts";
import type { SearchPlan } from "../../../src/search/ranking/search-plan.ts";
import { mustRead, mustWrite } from "../../support/index/index-folder.ts";
import { keysOf, phrase, planFor, session, word, words } from "../../support/index/tiny-history.ts";
import { ann, isWithoutCluster, removeAlias, testEngine } from "./support/test-engine.ts";

const bob = { owner: "bob", machine: "desk" };

const alias = `test-${randomBytes(6).toString("hex")}`;
let reader: SearchReader;

/** Bob pushes a private and a shared session; Ann, who has one of her own, tries to read both. */
beforeAll(async () => {
  if (isWithoutCluster) return;
  const push = async (source: typeof ann, sessions: readonly IndexedSession[]): Promise<void> => {
    const visibilityOf = ({ row }: Pick<IndexedSession, "row">) =>
      row.includes("shared") ? "team" : "private";
    const writer = await mustWrite(testEngine({ alias, source, visibilityOf }));
    for (const each of sessions) await writer.put(each);
    expect(await writer.commit({ tidy: "little" })).toEqual({ kind: "committed" });
    await writer.close();
  };
  await push(bob, [
    session("secret", "salaries", ["deploy the payroll xylophone"]),
    session("open", "shared", ["deploy the shop"]),
  ]);
  await push(ann, [session("own", "mine", ["deploy the blog"])]);
  reader = await mustRead(testEngine({ alias }));
});

afterAll(async () => {
  if (isWithoutCluster) return;
  await reader.close();
  await removeAlias(alias);
});

async function keys(plan: SearchPlan): Promise<readonly string[]> {
  const answer = await reader.search(plan);
  if (answer.kind !== "answer") throw new Error(answer.what);
  return keysOf(answer).toSorted();
}

describe.skipIf(isWithoutCluster)("what is private on a cluster", () => {
  test.each<readonly [string, SearchPlan]>([
    ["its words", planFor(words("xylophone"))],
    ["words that all have", planFor(words("deploy"))],
    ["a phrase", planFor([phrase("payroll xylophone")])],
    ["a prefix", planFor([word("xylo", { prefix: true })])],
    ["a typo", planFor(words("xylophome"))],
    ["words of a query language", planFor(words('owner:bob OR visibility:private") *'))],
    ["no words", planFor([])],
    ["no words, the oldest first", planFor([], { sort: "oldest" })],
    ["its owner", planFor([], { filter: { only: { owners: ["bob"] } } })],
    ["its machine", planFor(words("deploy"), { filter: { only: { machines: ["desk"] } } })],
    ["its key", planFor([], { filter: { only: { keys: ["secret"] } } })],
    [
      "leaving out everything else",
      planFor([], { filter: { not: [{ owners: ["ann"] }, { keys: ["open"] }] } }),
    ],
    ["an excluded word", planFor([], { excluded: [word("blog"), word("shop")] })],
    ["a far page", planFor(words("deploy"), { offset: 1, limit: 1_000 })],
  ])("is not found by %s", async (_, plan) => {
    expect(await keys(plan)).not.toContain("secret");
  });

  test("is not read by its key and source, unlike what is shared", async () => {
    expect(await reader.session("secret", { source: bob })).toBeUndefined();
    expect(await reader.session("open", { source: bob })).toMatchObject({ key: "open", source: bob });
    expect(await keys(planFor(words("deploy")))).toEqual(["open", "own"]);
  });

  test("is not listed, whatever cursor is given", async () => {
    for (const after of ["", "a", "secre", '","owner":"bob']) {
      const page = await reader.rows({ limit: 100, after });
      if (page.kind !== "rows") throw new Error(page.what);
      expect(page.rows.map(({ key }) => key)).not.toContain("secret");
      expect([page.sessions, page.turns]).toEqual([1, 1]);
    }
  });

  test("is neither counted nor suggested", async () => {
    expect(reader.covers).toEqual({ sessions: 2, turns: 2 });
    const answer = await reader.search(planFor(words("xylophome")));
    expect(answer).toMatchObject({ total: 0, ranked: 0, nearestWords: [] });
    expect(JSON.stringify(answer)).not.toContain("xylophone");
  });
});
