import { describe, expect, test } from "vitest";
import { reindex } from "../../../src/search/opensearch/republish.ts";
import type { IndexSchema } from "../../../src/search/ranking/index-schema.ts";
import { mustRead, mustWrite } from "../../support/index/index-folder.ts";
import { smallSchema } from "../../support/index/small-schema.ts";
import { keysOf, planFor, session, words } from "../../support/index/tiny-history.ts";
import { ann, isWithoutCluster, testCluster, testEngine, withAlias } from "./support/test-engine.ts";

/** The analysis of a later version: capitals no longer count. */
const older: IndexSchema = { ...smallSchema, analysisVersion: "1" };
const newer: IndexSchema = {
  ...smallSchema,
  analysisVersion: "2",
  createAnalyzer: (sink) => (text) => {
    for (const each of text.toLowerCase().split(/\s+/)) if (each !== "") sink.add(sink.idOf(each, false), 1);
  },
};

const bob = { owner: "bob", machine: "desk" };

async function put(alias: string, key: string, text: string, source: typeof ann = ann): Promise<void> {
  const writer = await mustWrite(testEngine({ alias, schema: older, source }));
  await writer.put(session(key, "x", [{ request: text, output: "done" }]));
  expect(await writer.commit({ tidy: "little", state: `state of ${source.owner}` })).toEqual({
    kind: "committed",
  });
  await writer.close();
}

async function find(
  alias: string,
  schema: IndexSchema,
  text: string,
  source: typeof ann = ann,
): Promise<string[]> {
  const reader = await mustRead(testEngine({ alias, schema, source }));
  try {
    const answer = await reader.search(planFor(words(text)));
    if (answer.kind !== "answer") throw new Error(answer.what);
    return keysOf(answer).toSorted();
  } finally {
    await reader.close();
  }
}

describe.skipIf(isWithoutCluster)("an index of another version", () => {
  test("is rebuilt beside the old one while that is searched and written, then the alias moves", async () => {
    await withAlias(async (alias) => {
      await put(alias, "a", "Deploy the shop");
      await put(alias, "b", "Deploy the blog", bob);
      expect(await testEngine({ alias, schema: newer }).read()).toMatchObject({ kind: "version" });
      let rounds = 0;
      const done = await reindex(
        { cluster: testCluster(), alias, schema: newer, settings: { refresh_interval: "50ms" } },
        async () => {
          // Searches go on, and what is pushed meanwhile is not lost.
          if (rounds++ > 0) return;
          expect(await find(alias, older, "Deploy")).toEqual(["a"]);
          await put(alias, "c", "Deploy it again");
          await put(alias, "a", "Release the shop");
        },
      );
      expect(done).toMatchObject({ kind: "reindexed", sessions: 3, unreadable: 0 });
      expect(rounds).toBeGreaterThan(1);
      expect(await find(alias, newer, "deploy")).toEqual(["c"]);
      expect(await find(alias, newer, "release")).toEqual(["a"]);
      expect(await find(alias, newer, "deploy", bob)).toEqual(["b"]);
      const reader = await mustRead(testEngine({ alias, schema: newer, source: bob }));
      expect([reader.state, reader.covers]).toEqual(["state of bob", { sessions: 1, turns: 1 }]);
      await reader.close();
      expect(await reindex({ cluster: testCluster(), alias, schema: newer })).toEqual({ kind: "current" });
    });
  });

  test("that is newer is refused, for reading, writing and reindexing", async () => {
    await withAlias(async (alias) => {
      const writer = await mustWrite(testEngine({ alias, schema: newer }));
      await writer.commit({ tidy: "little" });
      await writer.close();
      const engine = testEngine({ alias, schema: older });
      const refused = expect.stringContaining("is newer than this program; update sessions");
      expect(await engine.read()).toEqual({ kind: "version", what: refused });
      expect(await engine.write()).toEqual({ kind: "denied", what: refused });
      expect(await reindex({ cluster: testCluster(), alias, schema: older })).toEqual({
        kind: "denied",
        what: refused,
      });
    });
  });
});
