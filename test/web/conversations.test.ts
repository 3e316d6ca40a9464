import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeWorld } from "../support/make-world.ts";
import { callOf, putToolLog, TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";
import { serveHistory } from "../support/web/serve-history.ts";

const TOKEN_SESSION = "claude:87f01b2f-1b5d-461b-8db4-95cd4ce864a4";
const BACKFILL = "claude:484e4bb2-8809-49fb-92e2-d5870129d604";
const KEY = `claude:${TOOL_SESSION}`;
const NOW = Date.UTC(2026, 9, 21);

describe("search", () => {
  test("answers with the operators of the command line, each hit with its best passage", async () => {
    const page = await serveHistory(makeWorld());
    const { json } = await page.get("search", { q: "token refresh project:shop" });
    expect(json.sessions[0]).toMatchObject({
      key: TOKEN_SESSION,
      title: "Fix token refresh race in the auth client",
    });
    const [{ text, highlights }] = json.sessions[0].snippets;
    expect(highlights.map(([from, to]: [number, number]) => text.slice(from, to)).join(" ")).toMatch(
      /token/i,
    );
    expect((await page.get("search", { q: "token refresh project:infra" })).json.total).toBe(0);
    const misspelt = await page.get("search", { q: "tokne" });
    expect(misspelt.status).toBe(200);
  });

  test("pages through what was found", async () => {
    const page = await serveHistory(makeWorld());
    const all = (await page.get("search", { q: "project:shop", limit: 50 })).json.sessions;
    const paged = [];
    for (let offset = 0; offset < all.length; offset += 2)
      paged.push(...(await page.get("search", { q: "project:shop", limit: 2, offset })).json.sessions);
    expect(all.length).toBeGreaterThan(4);
    expect(paged.map(({ key }: { key: string }) => key)).toEqual(all.map(({ key }: { key: string }) => key));
  });
});

describe("a session", () => {
  test("has an outline; its turns and their steps are fetched in runs", async () => {
    const page = await serveHistory(makeWorld());
    const { json: session } = await page.get("session", { key: TOKEN_SESSION });
    expect(
      session.outline.map(({ turn, context }: { turn: number; context: string }) => [turn, context]),
    ).toEqual([
      [1, "compacted"],
      [2, "compacted"],
      [3, "compacted"],
      [4, "current"],
      [5, "current"],
    ]);
    expect(session.compactionList).toHaveLength(1);
    const { turns } = (await page.get("turns", { key: TOKEN_SESSION, from: 2, to: 3 })).json;
    expect(turns.map(({ turn }: { turn: number }) => turn)).toEqual([2, 3]);
    expect(turns[0].steps.map(({ kind }: { kind: string }) => kind)).toContain("call");
    // Results are not sent before a call is opened.
    expect(JSON.stringify(turns)).not.toContain("FAIL");
  });

  test("says what it left open, and where that comes from", async () => {
    const page = await serveHistory(makeWorld());
    const { json: session } = await page.get("session", { key: BACKFILL });
    expect(session.pending[0]).toEqual({ text: "Drop orders.total and the trigger", turn: 3, from: "todo" });
  });

  test("shows a call when it is opened: an edit as a diff, a command with its output", async () => {
    const page = await serveHistory(makeWorld());
    const [turn] = (await page.get("turns", { key: TOKEN_SESSION, from: 2, to: 2 })).json.turns;
    const at = turn.steps.findIndex(({ name }: { name?: string }) => name === "Edit");
    const { details } = (await page.get("details", { key: TOKEN_SESSION, turn: 2, step: at })).json;
    expect(details[0].part).toMatchObject({ kind: "code", language: "diff" });
    expect(details[0].part.text).toMatch(/^\+/m);
  });

  test("nests its sub-agents in the calls that started them", async () => {
    const page = await serveHistory(makeWorld());
    const { json: session } = await page.get("session", { key: BACKFILL });
    const [agent] = session.subagents;
    const { turns } = (await page.get("turns", { key: BACKFILL, from: 1, to: 9 })).json;
    const started = turns.flatMap(({ steps }: { steps: { agentId?: string }[] }) =>
      steps.map(({ agentId }) => agentId),
    );
    expect(started).toContain(agent.id);
    const { steps, total } = (await page.get("steps", { key: BACKFILL, agent: agent.id, from: 0 })).json;
    expect([steps.length, steps.length <= total]).toEqual([expect.any(Number), true]);
    expect(steps.length).toBeGreaterThan(0);
  });

  test("shows what the agent would load now: the summary first, and nothing that was compacted away", async () => {
    const page = await serveHistory(makeWorld());
    const { items } = (await page.get("context", { key: TOKEN_SESSION })).json;
    expect(items[0]).toMatchObject({ kind: "step", step: { kind: "summary" } });
    const turns = items.flatMap((item: { kind: string; turn: number }) =>
      item.kind === "request" ? [item.turn] : [],
    );
    expect(turns).toEqual([4, 5]);
  });

  test("with thousands of steps in one turn is sent in runs", async () => {
    const world = makeWorld({ nowMs: NOW });
    putToolLog(
      world.home,
      toolLog(Array.from({ length: 400 }, (_, at) => callOf("Bash", 50, { command: `echo ${at}` }))),
    );
    const page = await serveHistory(world);
    const [turn] = (await page.get("turns", { key: KEY, from: 1, to: 1 })).json.turns;
    expect(turn.total).toBe(401);
    const seen = [...turn.steps];
    while (seen.length < turn.total)
      seen.push(...(await page.get("steps", { key: KEY, turn: 1, from: seen.length })).json.steps);
    expect(turn.steps.length).toBeLessThan(200);
    expect(seen[399]).toMatchObject({ kind: "call", subject: "echo 399" });
  });

  test("that grows is read again, and only then", async () => {
    const world = makeWorld({ nowMs: NOW });
    const log = putToolLog(world.home, toolLog([]));
    const page = await serveHistory(world);
    const { mark } = (await page.get("session", { key: KEY })).json;
    expect((await page.get("changes", { key: KEY })).json.mark).toBe(mark);
    appendFileSync(
      log,
      `${JSON.stringify({ type: "user", uuid: "u-9", parentUuid: "u-1", sessionId: TOOL_SESSION, cwd: "/home/ana/shop", timestamp: "2026-10-20T09:00:00.000Z", message: { role: "user", content: "And the zeppelin?" } })}\n`,
    );
    expect((await page.get("changes", { key: KEY })).json.mark).not.toBe(mark);
    const { outline } = (await page.get("session", { key: KEY })).json;
    expect(outline.at(-1)).toMatchObject({ turn: 2, line: "And the zeppelin?" });
    // The index follows with the next refresh.
    await page.get("refresh");
    expect((await page.get("search", { q: "zeppelin" })).json.sessions[0].key).toBe(KEY);
  });

  test("returns images and whole results of its calls from the log", async () => {
    const world = makeWorld({ nowMs: NOW });
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
    };
    const page_ = {
      type: "image",
      source: { type: "base64", media_type: "image/svg+xml", data: "PHN2Zy8+" },
    };
    putToolLog(
      world.home,
      toolLog([
        { id: "toolu_shot", tool: "Screenshot", input: {}, result: [image, page_] },
        {
          id: "toolu_long",
          tool: "Bash",
          input: { command: "cat x" },
          result: `start ${"y".repeat(300_000)} end`,
        },
      ]),
    );
    const page = await serveHistory(world);
    const { blocks } = (await page.get("result", { key: KEY, call: "toolu_shot" })).json;
    expect(blocks[0]).toEqual({ kind: "image", mediaType: "image/png", data: "iVBORw0KGgo=" });
    // Only pictures that can hold no script.
    expect(blocks[1]).toMatchObject({ kind: "other", mediaType: "image/svg+xml" });
    const long = (await page.get("result", { key: KEY, call: "toolu_long" })).json;
    expect(long.blocks[0].text).toMatch(/^start y+ end$/);
  });
});

describe("what leaves the server", () => {
  const SECRET = `ghp_${"A1b2C3d4E5f6".repeat(3)}`;

  test("has secrets masked and control characters removed, also where they split a secret", async () => {
    const world = makeWorld({ nowMs: NOW });
    const split = `${SECRET.slice(0, 9)}\u200b${SECRET.slice(9)}`;
    const call = {
      id: "toolu_a",
      tool: "Bash",
      input: { command: `curl -H "Authorization: Bearer ${SECRET}"` },
    };
    const result = `\u001b[31mtoken ${split}\u001b[0m\u202e`;
    putToolLog(
      world.home,
      toolLog([{ ...call, result }]).replaceAll("Read what there is", `Use ${SECRET} \\u0007now`),
    );
    const page = await serveHistory(world);
    const answers = [
      await page.get("list"),
      await page.get("search", { q: "now" }),
      await page.get("session", { key: KEY }),
      await page.get("turns", { key: KEY, from: 1, to: 1 }),
      await page.get("details", { key: KEY, turn: 1, step: 0 }),
      await page.get("context", { key: KEY }),
      await page.get("result", { key: KEY, call: "toolu_a" }),
      await page.post("export", { key: KEY, format: "html" }),
      await page.post("export", { key: KEY, format: "json" }),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain(SECRET.slice(6));
      expect(JSON.parse(text).name === undefined ? JSON.stringify(JSON.parse(text)) : "").not.toMatch(
        /\\u001b|\\u0007|\u202e|\u200b/,
      );
    }
    expect(answers[3]?.text).toContain("[masked");
  });
});

describe("the actions", () => {
  test("archive a session, and restore it byte for byte when its log is gone", async () => {
    const world = makeWorld({ nowMs: NOW });
    const log = putToolLog(world.home, toolLog([callOf("Bash", 3_000)]));
    const before = readFileSync(log);
    const page = await serveHistory(world);
    expect((await page.post("archive", { key: KEY })).json).toMatchObject({ archived: 1 });
    expect((await page.post("archive", { key: KEY })).json).toMatchObject({ archived: 0 });
    rmSync(log);
    // The list is answered from the index as it is.
    expect((await page.get("list")).json.sessions[0]).toMatchObject({ key: KEY, state: "idle" });
    await page.get("refresh");
    expect((await page.get("list")).json.sessions[0]).toMatchObject({ key: KEY, state: "kept" });
    const plan = await page.post("restore", { key: KEY, dryRun: true });
    expect(plan.json.sessions[0].files[0].path).toBe(log);
    expect((await page.get("list")).json.sessions[0].state).toBe("kept");
    expect((await page.post("restore", { key: KEY })).json.sessions[0].outcome).toBe("restored");
    expect(readFileSync(log).equals(before)).toBe(true);
    expect((await page.get("session", { key: KEY })).json.state).not.toBe("kept");
  });

  test.each([
    ["md", "# ", "text/markdown"],
    ["html", "<!doctype html>", "text/html"],
    ["json", "{", "application/json"],
  ])("export a session as %s", async (format, start, type) => {
    const page = await serveHistory(makeWorld());
    const { json } = await page.post("export", { key: TOKEN_SESSION, format });
    expect(json).toMatchObject({ name: `87f01b2f-1b5d-461b-8db4-95cd4ce864a4.${format}`, type });
    expect(json.text).toContain(start);
    expect(json.text).toContain("single-flight");
  });
});

describe("a search of a team", () => {
  const withRemotes = (remotes: readonly object[]): ReturnType<typeof makeWorld> => {
    const world = makeWorld({ nowMs: NOW });
    putToolLog(world.home, toolLog([]));
    mkdirSync(join(world.home, ".sessions"), { recursive: true, mode: 0o700 });
    writeFileSync(join(world.home, ".sessions", "remotes.json"), JSON.stringify({ version: 1, remotes }));
    return world;
  };

  test("is offered for clusters alone: stores of bytes can't be searched", async () => {
    const page = await serveHistory(
      withRemotes([
        { name: "nas", kind: "folder", url: "/nowhere" },
        { name: "crew", kind: "opensearch", url: "http://127.0.0.1:9" },
      ]),
    );
    expect((await page.get("teams")).json).toEqual({ teams: ["crew"] });
    expect((await (await serveHistory(makeWorld())).get("teams")).json).toEqual({ teams: [] });
  });

  test("says what is wrong with a name, or that the cluster refuses", async () => {
    const cluster = createServer((_, response) => void response.writeHead(401).end());
    await new Promise<void>((resolve) => cluster.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void cluster.close());
    const { port } = cluster.address() as AddressInfo;
    const page = await serveHistory(
      withRemotes([{ name: "crew", kind: "opensearch", url: `http://127.0.0.1:${port}` }]),
    );
    const unknown = await page.get("search", { q: "walrus", remote: "nobody" });
    expect([unknown.status, unknown.json.error.message]).toEqual([400, 'Cannot find a remote "nobody"']);
    const refused = await page.get("search", { q: "walrus", remote: "crew" });
    expect([refused.status >= 400, page.log]).toEqual([true, []]);
    expect(refused.json.error.message).toMatch(/search engine/);
  });
});
