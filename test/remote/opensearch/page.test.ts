import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHistoryIn } from "../../../src/cli/open-history.ts";
import { teamOf } from "../../../src/history/team.ts";
import { makeWorld, type TestWorld } from "../../support/make-world.ts";
import { TOOL_SESSION, toolLog } from "../../support/shrink/tool-log.ts";
import { serveHistory } from "../../support/web/serve-history.ts";
import { clusterUrls, isWithoutCluster, testCluster } from "./support/test-engine.ts";

const BOBS = "bbbbbbbb-0000-4000-8000-000000000000";

/** A machine that pushes to the cluster, with one session. */
function machineOf(user: string, id: string, request: string): TestWorld {
  const world = makeWorld({ variables: { USER: user } });
  const logs = join(world.home, ".claude", "projects", "-work-shop");
  mkdirSync(logs, { recursive: true });
  const log = toolLog([], "/work/shop", id).replace("Read what there is", request);
  writeFileSync(join(logs, `${id}.jsonl`), log);
  const store = join(world.home, ".sessions");
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const remotes = [{ name: "crew", kind: "opensearch", url: clusterUrls[0] }];
  writeFileSync(join(store, "remotes.json"), JSON.stringify({ version: 1, remotes }));
  writeFileSync(
    join(store, "config.json"),
    JSON.stringify({ machine: `${user}s-laptop`, push: { team: ["shop"] } }),
  );
  return world;
}

describe.skipIf(isWithoutCluster)("a search of a team in the page", () => {
  beforeAll(async () => {
    await testCluster().send({ method: "DELETE", path: "/sessions-*" });
  });
  afterAll(async () => {
    await testCluster().send({ method: "DELETE", path: "/sessions-*" });
  });

  test("finds what others share and one's own, and says whose it is, where, and whether it can be opened", async () => {
    const bob = machineOf("bob", BOBS, "Read what the walrus says");
    const ann = machineOf("ann", TOOL_SESSION, "Read what the walrus wants");
    for (const world of [bob, ann]) {
      const history = await openHistoryIn(world, { reveal: false, allowDemo: false });
      await teamOf(history).push("crew");
    }
    const page = await serveHistory(ann);
    expect((await page.get("teams")).json).toEqual({ teams: ["crew"] });
    const { json } = await page.get("search", { q: "walrus", remote: "crew" });
    expect(json).toMatchObject({ total: 2, partial: null });
    const found = json.sessions.map(({ owner, machine, isHere, snippets }: Record<string, unknown>) => ({
      owner,
      machine,
      isHere,
      passages: (snippets as readonly { readonly text: string }[]).map(({ text }) => text),
    }));
    expect(found).toEqual(
      expect.arrayContaining([
        { owner: "ann", machine: "anns-laptop", isHere: true, passages: ["Read what the walrus wants"] },
        { owner: "bob", machine: "bobs-laptop", isHere: false, passages: ["Read what the walrus says"] },
      ]),
    );
    const here = await page.get("search", { q: "walrus" });
    expect(here.json.sessions.map(({ owner, isHere }: Record<string, unknown>) => [owner, isHere])).toEqual([
      [null, true],
    ]);
  });
});
