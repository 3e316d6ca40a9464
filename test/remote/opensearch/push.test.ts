import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listIn } from "../../../src/search/opensearch/cluster.ts";
import { type BundleRun, runBundle } from "../../support/run-bundle.ts";
import { startProxy, type TestProxy } from "./support/proxy.ts";
import { clusterUrls, isWithoutCluster, testCluster } from "./support/test-engine.ts";

/** Put together here, so that no scanner takes this file for a leak. */
const SECRET = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7".slice(0, 33)}100`;
const PASSWORD = ["correct", "horse", "7battery"].join("-");

const base = isWithoutCluster ? "" : mkdtempSync(join(tmpdir(), "sessions-push-"));
let proxy: TestProxy;

function home(user: string): string {
  return join(base, user);
}

function sessions(user: string, ...args: readonly string[]): Promise<BundleRun> {
  return runBundle(args, { home: home(user), variables: { USER: user } });
}

async function json(user: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { out, err, code } = await sessions(user, ...args, "--json");
  expect(err + String(code), out).toMatch(/^[013]$/);
  return JSON.parse(out);
}

interface Hit {
  readonly sessionId: string;
  readonly owner: string;
  readonly machine: string;
}

async function found(user: string, query: string): Promise<readonly string[]> {
  const { hits } = await json(user, "search", "--remote", "team", query);
  return (hits as readonly Hit[])
    .map(({ sessionId, owner }) => `${owner} ${sessionId.slice(0, 8)}`)
    .toSorted();
}

/** Writes a log of Claude Code with these requests. */
function log(user: string, project: string, id: string, requests: readonly string[], branch = "main"): void {
  const folder = join(home(user), ".claude", "projects", `-work-${project}`);
  mkdirSync(folder, { recursive: true });
  const sessionId = `${id}-0000-4000-8000-000000000000`;
  const facts = {
    sessionId,
    cwd: `/work/${project}`,
    version: "2.0.0",
    gitBranch: branch,
    isSidechain: false,
  };
  const lines = requests.flatMap((content, i) => {
    const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 1, 10, i, seconds)).toISOString();
    const question = { type: "user", uuid: `${id}-q${i}`, parentUuid: i === 0 ? null : `${id}-a${i - 1}` };
    const answer = { type: "assistant", uuid: `${id}-a${i}`, parentUuid: `${id}-q${i}` };
    const reply = { id: `m${i}`, role: "assistant", content: [{ type: "text", text: `Done: ${content}` }] };
    return [
      { ...question, ...facts, timestamp: at(0), message: { role: "user", content } },
      { ...answer, ...facts, timestamp: at(30), message: reply },
    ];
  });
  writeFileSync(
    join(folder, `${sessionId}.jsonl`),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
}

describe.skipIf(isWithoutCluster)("sessions push and search --remote", () => {
  beforeAll(async () => {
    proxy = await startProxy(clusterUrls[0] ?? "");
    await testCluster().send({ method: "DELETE", path: "/sessions-*" });
    log("ann", "shop", "aaaaaaaa", ["deploy the shop with the walrus", `the token is ${SECRET}`]);
    log("ann", "blog", "bbbbbbbb", ["deploy the blog with the penguin"]);
    log("bob", "shop", "cccccccc", ["why does the walrus fail in the shop"]);
    for (const user of ["ann", "bob"]) {
      mkdirSync(join(home(user), ".sessions"), { mode: 0o700 });
      const config = { machine: `${user}s-laptop`, push: { team: user === "ann" ? ["shop"] : [] } };
      writeFileSync(join(home(user), ".sessions", "config.json"), JSON.stringify(config));
      expect(await sessions(user, "remote", "add", "team", proxy.url)).toMatchObject({ code: 0 });
    }
  });

  afterAll(async () => {
    await proxy.close();
    await testCluster().send({ method: "DELETE", path: "/sessions-*" });
    rmSync(base, { recursive: true, force: true });
  });

  test("say that nothing is there before the first push", async () => {
    const { code, err } = await sessions("ann", "search", "--remote", "team", "walrus");
    expect([code, err]).toEqual([1, expect.stringContaining("nothing has been pushed")]);
  });

  test("push everything once, then only what changed", async () => {
    expect(await json("ann", "push")).toMatchObject({
      owner: "ann",
      machine: "anns-laptop",
      pushed: 2,
      sessions: 2,
    });
    const again = await json("ann", "push", "--remote", "team");
    const shown = JSON.stringify({ ...again, tookMs: 0 }, undefined, 2);
    await expect(`${shown}\n`).toMatchFileSnapshot("../../cli/golden/push.json");
    log("ann", "blog", "bbbbbbbb", ["deploy the blog with the penguin", "and the ostrich"]);
    expect(await json("ann", "push", "team")).toMatchObject({ pushed: 1, sessions: 2 });
    expect(await json("bob", "push")).toMatchObject({ owner: "bob", pushed: 1, sessions: 1 });
  });

  test("find one's own sessions and those of shared projects, with owner and machine", async () => {
    expect(await found("ann", "walrus")).toEqual(["ann aaaaaaaa"]);
    expect(await found("bob", "walrus")).toEqual(["ann aaaaaaaa", "bob cccccccc"]);
    expect(await found("bob", "penguin")).toEqual([]);
    expect(await found("ann", "ostrich")).toEqual(["ann bbbbbbbb"]);
    const { out } = await sessions("bob", "search", "--remote", "team", "walrus");
    expect(out).toContain("ann on anns-laptop");
  });

  test("filter by project and time as at home", async () => {
    expect(await found("ann", "deploy project:blog")).toEqual(["ann bbbbbbbb"]);
    expect(await found("ann", "deploy -project:blog")).toEqual(["ann aaaaaaaa"]);
    expect(await found("ann", "deploy until:2026-10-01")).toEqual([]);
  });

  test("leave no secret on the cluster", async () => {
    const cluster = testCluster();
    const reply = await cluster.send({ method: "GET", path: "/sessions/_search?size=1000" });
    const terms = await cluster.send({
      method: "POST",
      path: "/sessions/_count",
      body: { query: { query_string: { query: SECRET.toLowerCase(), fields: ["all", "rest"] } } },
    });
    if (reply.kind !== "reply" || terms.kind !== "reply") throw new Error("no answer");
    expect(listIn(reply.body, "hits", "hits").length).toBeGreaterThan(5);
    expect(JSON.stringify(reply.body)).not.toContain(SECRET);
    expect(terms.body).toMatchObject({ count: 0 });
    const { out } = await sessions("bob", "search", "--remote", "team", "token", "--json");
    expect(out).toContain("aaaaaaaa");
    expect(out).not.toContain(SECRET);
  });

  test("change who may read what was pushed before", async () => {
    expect(await json("bob", "push", "--visibility", "team")).toMatchObject({
      pushed: 0,
      visibilityChanged: 1,
    });
    expect(await found("ann", "walrus")).toEqual(["ann aaaaaaaa", "bob cccccccc"]);
    expect(await json("bob", "push")).toMatchObject({ pushed: 0, visibilityChanged: 1 });
    expect(await found("ann", "walrus")).toEqual(["ann aaaaaaaa"]);
  });

  test("push a session whose branch has a name that no cluster takes", async () => {
    log("bob", "odd", "dddddddd", ["feed the heron"], "b".repeat(40_000));
    expect(await json("bob", "push")).toMatchObject({ pushed: 1, sessions: 2 });
    expect(await found("bob", "heron")).toEqual(["bob dddddddd"]);
  });

  test("remove there what was forgotten here", async () => {
    expect(await sessions("ann", "forget", "aaaaaaaa", "--yes")).toMatchObject({ code: 0 });
    expect(await json("ann", "push")).toMatchObject({ removed: 1, sessions: 1 });
    expect(await found("bob", "walrus")).toEqual(["bob cccccccc"]);
  });

  test("say who is refused, and never print a password", async () => {
    proxy.password = `ann:${PASSWORD}`;
    const file = join(base, "credentials");
    writeFileSync(file, `username = ann\npassword = ${PASSWORD}\n`);
    chmodSync(file, 0o644);
    await sessions("ann", "remote", "remove", "team");
    await sessions("ann", "remote", "add", "team", proxy.url, "--credentials", file);
    const readable = await sessions("ann", "push");
    expect([readable.code, readable.err]).toEqual([4, expect.stringContaining("others can read them")]);
    chmodSync(file, 0o600);
    expect(await json("ann", "push")).toMatchObject({ owner: "ann", sessions: 1 });
    writeFileSync(file, `username = ann\npassword = wrong-${PASSWORD}\n`);
    const wrong = await sessions("ann", "search", "--remote", "team", "penguin");
    expect([wrong.code, wrong.err]).toEqual([
      4,
      expect.stringContaining("does not accept the user or the password"),
    ]);
    for (const { out, err } of [readable, wrong]) expect(out + err).not.toContain(PASSWORD);
    const kept = readFileSync(join(home("ann"), ".sessions", "remotes.json"), "utf8");
    expect(kept).not.toContain(PASSWORD);
    proxy.password = undefined;
  });
});
