import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mustRead, mustWrite } from "../../support/index/index-folder.ts";
import { keysOf, planFor, session, words } from "../../support/index/tiny-history.ts";
import { type Mood, startProxy, type TestProxy } from "./support/proxy.ts";
import { clusterUrls, isWithoutCluster, testCluster, testEngine, withAlias } from "./support/test-engine.ts";

let proxy: TestProxy;

beforeAll(async () => {
  if (!isWithoutCluster) proxy = await startProxy(clusterUrls[0] ?? "");
});

afterAll(async () => {
  if (!isWithoutCluster) await proxy.close();
});

/** Gives each path this mood once, then lets it pass. */
function onceEach(mood: Mood): (path: string) => Mood {
  const met = new Set<string>();
  return (path) => {
    const [place = ""] = path.split("?");
    if (met.has(place)) return "pass";
    met.add(place);
    return mood;
  };
}

describe.skipIf(isWithoutCluster)("behind a proxy", () => {
  test.each<Mood>(["cut before", "cut after", "busy", "bad gateway", "hold"])(
    "that does this to every request once, nothing is lost or doubled: %s",
    async (mood) => {
      await withAlias(async (alias) => {
        // Requests that are held are given up at the deadline, one after the other.
        const cluster = testCluster({ urls: [proxy.url], deadlineMs: mood === "hold" ? 500 : 5_000 });
        proxy.mood = onceEach(mood);
        const engine = testEngine({ alias, cluster });
        const writer = await mustWrite(engine);
        for (const key of ["a", "b", "c"]) await writer.put(session(key, "x", ["deploy", "release"]));
        expect(await writer.commit({ tidy: "little", state: "kept" })).toEqual({ kind: "committed" });
        await writer.close();
        proxy.mood = onceEach(mood);
        const reader = await mustRead(engine);
        const answer = await reader.search(planFor(words("deploy")));
        expect(answer.kind === "answer" && keysOf(answer).toSorted()).toEqual(["a", "b", "c"]);
        expect(await reader.rows({ limit: 10 })).toMatchObject({ sessions: 3, turns: 6 });
        expect([reader.state, reader.covers]).toEqual(["kept", { sessions: 3, turns: 6 }]);
        await reader.close();
      });
      proxy.mood = () => "pass";
    },
  );

  test.each<readonly [Mood, string]>([
    ["busy", "does not answer (too many requests)"],
    ["hold", "does not answer (no answer within 0.2 s)"],
    ["cut before", "does not answer ("],
    ["not json", "it is not OpenSearch"],
  ])("that always does this, the engine gives up and says so: %s", async (mood, says) => {
    proxy.mood = () => mood;
    const cluster = testCluster({ urls: [proxy.url], deadlineMs: 200, patienceMs: 1_000 });
    const engine = testEngine({ alias: "nowhere", cluster });
    const failed = { kind: "unreachable", what: expect.stringContaining(says) };
    expect(await engine.read()).toEqual(failed);
    expect(await engine.write()).toEqual(failed);
    proxy.mood = () => "pass";
  });

  test("that asks for a password, the engine is denied without one", async () => {
    proxy.password = "ann:secret";
    const asking = (credentials?: { user: string; password: string }) =>
      testEngine({ alias: "nowhere", cluster: testCluster({ urls: [proxy.url], credentials }) }).read();
    const denied = {
      kind: "denied",
      what: expect.stringContaining("does not accept the user or the password"),
    };
    expect(await asking()).toEqual(denied);
    expect(await asking({ user: "ann", password: "guess" })).toEqual(denied);
    expect(await asking({ user: "ann", password: "secret" })).toEqual({ kind: "absent" });
    proxy.password = undefined;
  });
});
