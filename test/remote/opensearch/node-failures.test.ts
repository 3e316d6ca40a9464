import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { SearchEngine } from "../../../src/search/engine.ts";
import { createCluster, textIn } from "../../../src/search/opensearch/cluster.ts";
import {
  createOpenSearchEngine,
  type OpenSearchOptions,
} from "../../../src/search/opensearch/opensearch-engine.ts";
import { changeVisibility } from "../../../src/search/opensearch/republish.ts";
import { mustRead, mustWrite } from "../../support/index/index-folder.ts";
import { smallSchema } from "../../support/index/small-schema.ts";
import { planFor, session, words } from "../../support/index/tiny-history.ts";
import { startCluster, type TestCluster, waitForNodes } from "./support/cluster.ts";
import { isWithoutCluster } from "./support/test-engine.ts";

const provided = inject("cluster");
const ALIAS = "failing";
let nodes: TestCluster;

beforeAll(async () => {
  if (provided.kind === "missing") return;
  // Thresholds are on, and so low that only the test reaches them.
  const marks = { low: "3mb", high: "2mb", flood_stage: "1mb" };
  const watermarks = Object.entries(marks).map(
    ([name, room]) => `cluster.routing.allocation.disk.watermark.${name}=${room}`,
  );
  const settings = [...watermarks, "cluster.info.update.interval=10s"];
  nodes = await startCluster({ folder: provided.installed }, { settings });
});

afterAll(() => nodes?.stop());

function optionsOn(
  urls: readonly string[],
  alias: string,
  settings: object,
  patienceMs?: number,
): OpenSearchOptions {
  const patience = patienceMs === undefined ? {} : { patienceMs };
  const own = { fetch: globalThis.fetch, now: Date.now, random: Math.random, wait };
  return {
    cluster: createCluster({ urls, ...own, ...patience }),
    alias,
    schema: smallSchema,
    source: { owner: "ann", machine: "laptop" },
    visibilityOf: () => "private",
    settings: { number_of_shards: 3, refresh_interval: "50ms", ...settings },
  };
}

function engineOn(urls: readonly string[]): SearchEngine {
  return createOpenSearchEngine(optionsOn(urls, ALIAS, { "unassigned.node_left.delayed_timeout": "0" }));
}

/** An index without replicas, with a shard on each node: what was on a node is gone with it. */
function withoutReplicas(urls: readonly string[]): OpenSearchOptions {
  const settings = { number_of_replicas: 0, "routing.allocation.total_shards_per_node": 1 };
  return optionsOn(urls, "fragile", settings, 1_000);
}

/** Pushes sessions and returns the keys that the cluster has acknowledged. */
async function push(engine: SearchEngine, keys: readonly string[]): Promise<readonly string[]> {
  const writer = await mustWrite(engine);
  for (const key of keys) await writer.put(session(key, "x", ["deploy", "release"]));
  const committed = await writer.commit({ tidy: "little" });
  await writer.close();
  if (committed.kind !== "committed") throw new Error(committed.what);
  return keys;
}

/** Searches as the command does: if a node took the answer with it, the others are asked. */
async function search(engine: SearchEngine): Promise<{ readonly total: number; readonly attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const opened = await engine.read();
    if (opened.kind !== "open") throw new Error(JSON.stringify(opened));
    const answer = await opened.reader.search(planFor(words("deploy")));
    await opened.reader.close();
    if (answer.kind === "answer" && answer.partial === undefined) return { total: answer.total, attempts };
    if (attempts === 3) throw new Error(JSON.stringify(answer).slice(0, 300));
  }
}

async function keysThere(engine: SearchEngine): Promise<readonly string[]> {
  const reader = await mustRead(engine);
  const page = await reader.rows({ limit: 1_000 });
  await reader.close();
  if (page.kind !== "rows") throw new Error(page.what);
  return page.rows.map(({ key }) => key).toSorted();
}

function named(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(3, "0")}`);
}

/** A shard of this index was on the node that was killed: what is missing is not taken for gone. */
async function expectNothingTakenForGone(): Promise<void> {
  const options = withoutReplicas([nodes.urls[1] ?? ""]);
  const failed = { kind: "unreachable", what: expect.any(String) };
  const shared: OpenSearchOptions = { ...options, visibilityOf: () => "team" };
  for (const dryRun of [true, false]) expect(await changeVisibility(shared, { dryRun })).toEqual(failed);
  expect(await options.cluster.send({ method: "DELETE", path: "/fragile-*" })).toMatchObject({ status: 200 });
}

describe.skipIf(isWithoutCluster)("a cluster of three nodes", () => {
  test("loses no acknowledged session and goes on searching when a node is killed", async () => {
    const engine = engineOn(nodes.urls);
    await push(createOpenSearchEngine(withoutReplicas(nodes.urls)), named("fragile", 20));
    const acknowledged = [...(await push(engine, named("before", 100)))];
    await waitForNodes(nodes.urls[1] ?? "", 3);
    const before = (await search(engine)).total;
    let isPushing = true;
    let failed = 0;
    let again = 0;
    let searches = 0;
    const totals: number[] = [];
    const searching = (async () => {
      while (isPushing) {
        searches++;
        try {
          const { total, attempts } = await search(engine);
          totals.push(total);
          if (attempts > 1) again++;
        } catch {
          failed++;
        }
      }
    })();
    for (let round = 0; round < 12; round++) {
      // The node that is asked first, in the middle of it.
      const killing = round === 3 ? nodes.kill(0) : undefined;
      acknowledged.push(...(await push(engine, named(`round${String(round).padStart(2, "0")}-`, 5))));
      await killing;
    }
    isPushing = false;
    await searching;
    await expectNothingTakenForGone();
    await waitForNodes(nodes.urls[1] ?? "", 2);
    const there = await keysThere(engine);
    console.info(
      `kill -9 of one of three nodes: ${before} sessions before, ${acknowledged.length} acknowledged, ${there.length} there; ` +
        `${searches} searches meanwhile, ${again} asked again, ${failed} failed`,
    );
    expect(there).toEqual(acknowledged.toSorted());
    expect(failed).toBe(0);
    expect(totals.every((total, i) => total >= (totals[i - 1] ?? before))).toBe(true);
    expect((await search(engine)).total).toBe(acknowledged.length);
  });

  test("reports that its disk is nearly full, can still be searched, and accepts sessions again when there is room", async () => {
    const [, url = ""] = nodes.urls;
    const engine = engineOn([url]);
    const there = await keysThere(engine);
    const setMarks = async (marks: readonly (string | null)[]): Promise<void> => {
      const names = ["low", "high", "flood_stage"].map(
        (name) => `cluster.routing.allocation.disk.watermark.${name}`,
      );
      const transient = Object.fromEntries(names.map((name, i) => [name, marks[i] ?? null]));
      const body = JSON.stringify({ transient });
      const headers = { "content-type": "application/json" };
      expect((await fetch(`${url}/_cluster/settings`, { method: "PUT", headers, body })).status).toBe(200);
    };
    const isBlocked = async (): Promise<boolean> => {
      const body: unknown = await (await fetch(`${url}/${ALIAS}/_settings?flat_settings=true`)).json();
      const [index = ""] = Object.keys(body as object);
      return textIn(body, index, "settings", "index.blocks.read_only_allow_delete") === "true";
    };
    const until = async (blocked: boolean): Promise<void> => {
      while ((await isBlocked()) !== blocked) await wait(200);
    };
    await setMarks(["900tb", "800tb", "700tb"]);
    await until(true);
    const opened = await engine.write();
    expect(opened).toMatchObject({
      kind: "unreachable",
      what: expect.stringContaining("its disk is nearly full"),
    });
    expect((await search(engine)).total).toBe(there.length);
    await setMarks([null, null, null]);
    await until(false);
    await push(engine, ["room-again"]);
    expect(await keysThere(engine)).toEqual([...there, "room-again"].toSorted());
  });
});
