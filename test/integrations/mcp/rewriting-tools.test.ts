import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeWorld } from "../../support/make-world.ts";
import { type McpClient, startMcp } from "../../support/mcp-client.ts";
import { bundle } from "../../support/run-bundle.ts";
import { callOf, putToolLog, TOOL_SESSION, toolLog } from "../../support/shrink/tool-log.ts";

const LOG = toolLog([callOf("Bash", 9_000, { command: "make" }, "toolu_a")]);

interface Ground {
  readonly path: string;
  /** The logs beside it, by their session ids. */
  others(): readonly string[];
  readonly client: McpClient;
}

async function ground(
  options: { variables?: Record<string, string>; mtimeMs?: number } = {},
): Promise<Ground> {
  const { home } = makeWorld();
  const path = putToolLog(home, LOG, 0o600, options.mtimeMs);
  const client = startMcp({ program: bundle, home, variables: options.variables ?? {} });
  onTestFinished(async () => void (await client.end()));
  await client.initialize();
  const folder = join(path, "..");
  return {
    path,
    client,
    others: () =>
      fs
        .readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl") && name !== `${TOOL_SESSION}.jsonl`)
        .map((name) => name.slice(0, -".jsonl".length)),
  };
}

describe("flatten_session", () => {
  test("moves results out, retrieve_flattened gets one, unflatten_session puts all back", async () => {
    const { path, client, others } = await ground();
    const dry = await client.call("flatten_session", { session_id: TOOL_SESSION, dry_run: true });
    expect(dry.text).toContain("1 block would be moved out");
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
    const flat = await client.call("flatten_session", { session_id: TOOL_SESSION });
    expect(flat.text).toMatch(/diskBytesSaved \d{4,}, contextTokensSaved \d{4} of contextTokensTotal \d{4}/);
    expect(flat.text).toContain(`claude --resume ${TOOL_SESSION}`);
    expect(fs.readFileSync(path, "utf8")).toContain("[FLATTENED id=toolu_a");
    const block = await client.call("retrieve_flattened", {
      session_id: TOOL_SESSION,
      tool_use_id: "toolu_a",
      max_tokens: 500,
    });
    expect(block.text).toContain("Found in its sidecar.");
    expect(block.text).toContain("> Bash x\u00e9");
    expect(block.text).toMatch(/cursor "0\.\d+"/);
    expect((await client.call("unflatten_session", { sessionId: TOOL_SESSION })).text).toContain(
      "1 block put back",
    );
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
    expect(others()).toEqual([]);
  });

  test("takes the options of the call", async () => {
    const { path, client } = await ground();
    const { text } = await client.call("flatten_session", { session_id: TOOL_SESSION, min_size: 50_000 });
    expect(text).toContain("nothing to flatten; unchanged");
    await client.call("flatten_session", { session_id: TOOL_SESSION, include_tool_use_result: false });
    expect(JSON.parse(fs.readFileSync(path, "utf8").split("\n")[2] ?? "").toolUseResult.stdout).toContain(
      "Bash x",
    );
  });

  test("makes a copy of the session that calls, and leaves its log alone, whatever force says", async () => {
    const { path, client, others } = await ground({ variables: { CLAUDE_CODE_SESSION_ID: TOOL_SESSION } });
    const { text, isError } = await client.call("flatten_session", { session_id: "current", force: true });
    expect(isError).toBe(false);
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
    const [copy = "", ...more] = others();
    expect(more).toEqual([]);
    expect(text).toContain(`the new session ${copy}`);
    expect(text).toContain(`claude --resume ${copy}`);
    const folder = join(path, "..");
    expect(fs.readFileSync(join(folder, `${copy}.jsonl`), "utf8")).toContain("[FLATTENED id=toolu_a");
    const undo = await client.call("unflatten_session", { session_id: "current", force: true });
    expect(undo.text).toContain("it is the one that you are in");
  });

  test("makes a copy of a session that changed a moment ago, whatever force says", async () => {
    const { path, client, others } = await ground({ mtimeMs: Date.now() });
    const { text } = await client.call("flatten_session", { session_id: TOOL_SESSION, force: true });
    expect(text).toContain("It may be in use, so it was left unchanged");
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
    expect(others()).toHaveLength(1);
  });

  test("answers a keyword with the sessions that match, and changes none", async () => {
    const { path, client, others } = await ground();
    const { text } = await client.call("flatten_session", { session_id: "what there is" });
    expect(text).toContain("1 session with this keyword; nothing was changed");
    expect(text).toContain(`> session ${TOOL_SESSION}`);
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
    expect(others()).toEqual([]);
    expect((await client.call("flatten_session", { session_id: "giraffe" })).isError).toBe(true);
  });

  test("finds last and current in the project that is named", async () => {
    const { client } = await ground();
    const missing = await client.call("flatten_session", { session_id: "last", dry_run: true });
    expect(missing.text).toContain("Cannot find a session of");
    const args = { session_id: "last 1", project_dir: "/home/ana/shop", dry_run: true };
    expect((await client.call("flatten_session", args)).text).toContain("1 block would be moved out");
  });
});

test("archive_session keeps the bytes, and says where", async () => {
  const { client } = await ground();
  const { text } = await client.call("archive_session", { session_id: TOOL_SESSION });
  const [, markdown = ""] = /archived: (\S+\.md)/.exec(text) ?? [];
  expect(fs.readFileSync(markdown, "utf8")).toContain("Read what there is");
  const again = await client.call("archive_session", { session_id: TOOL_SESSION });
  expect(again.text).toContain("Already archived");
  expect(again.text).toContain(markdown);
});

test("archive_session names each log of a session once, whether it was archived now or before", async () => {
  const { path, client } = await ground();
  await client.call("archive_session", { session_id: TOOL_SESSION });
  const folder = join(path, "..", "..", "-home-ana-copy");
  fs.mkdirSync(folder);
  fs.writeFileSync(join(folder, `${TOOL_SESSION}.jsonl`), LOG.replaceAll("/home/ana/shop", "/home/ana/copy"));
  const { text } = await client.call("archive_session", { session_id: TOOL_SESSION });
  expect(text).toContain("1 log archived.");
  const names = text.match(/\S+\.md/g) ?? [];
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(2);
});
