import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type AgentHome, makeAgentHome } from "./support/agent-home.ts";
import { isRecord, listOf } from "./support/fake-model.ts";
import { startPiRpc } from "./support/pi-rpc.ts";

/** Leaves a branch as `/tree` does: over RPC only a command of an extension can. */
const GO_TO = `export default (pi) => pi.registerCommand("go-to", {
  handler: (id, ctx) => ctx.navigateTree(id, { summarize: true }),
});`;

const FIRST = "make the flux capacitor take 1.21 gigawatts; never touch the clock";

/** A home with our extension, in which Pi keeps hardly anything when it compacts. */
async function homeWithExtension(summary: "agent" | "sessions"): Promise<{ home: AgentHome; goTo: string }> {
  const home = await makeAgentHome();
  const settings = join(home.home, ".pi", "agent", "settings.json");
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, JSON.stringify({ compaction: { keepRecentTokens: 10 } }));
  await home.json(["install", "--agent", "pi", "--summary", summary, "--yes"]);
  const goTo = join(home.home, "go-to.js");
  writeFileSync(goTo, GO_TO);
  home.model.rule(/gigawatts/, {
    call: { tool: "write", input: { path: "flux.txt", content: "1.21 gigawatts" } },
  });
  return { home, goTo };
}

function logOf(home: AgentHome): string {
  const folder = join(home.home, ".pi", "agent", "sessions");
  const [log] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  return join(folder, log ?? "");
}

type Line = Readonly<Record<string, unknown>>;

function linesOf(log: string): readonly Line[] {
  return readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Line => JSON.parse(line));
}

/** The session's bytes as the archive has them. */
async function archivedBytes(home: AgentHome, log: string): Promise<Buffer> {
  const id = String(linesOf(log)[0]?.id);
  const folder = join(home.home, "restored");
  rmSync(folder, { recursive: true, force: true });
  await home.json(["restore", id, "--to", folder]);
  const [name] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((each) =>
    each.endsWith(".jsonl"),
  );
  return readFileSync(join(folder, name ?? ""));
}

function said(request: { readonly messages: readonly unknown[] } | undefined): string {
  return JSON.stringify(
    request?.messages.filter((message) => !isRecord(message) || message.role !== "system"),
  );
}

test("Pi compacts with our summary, after the session was archived, and goes on from it", async () => {
  const { home } = await homeWithExtension("sessions");
  const pi = startPiRpc(home, []);
  await pi.prompt(FIRST);
  await pi.prompt("what is next?");
  const log = logOf(home);
  const before = readFileSync(log);
  const requests = home.model.requests.length;
  const { success, data } = await pi.send({ type: "compact" });
  expect(success, JSON.stringify(data)).toBe(true);
  expect(home.model.requests).toHaveLength(requests);
  expect((await archivedBytes(home, log)).equals(before)).toBe(true);

  const entry = linesOf(log).at(-1);
  expect(entry).toMatchObject({
    type: "compaction",
    fromHook: true,
    details: { readFiles: [], modifiedFiles: ["flux.txt"] },
    summary: expect.stringMatching(/^## Goal\nmake the flux capacitor take 1\.21 gigawatts/),
  });
  expect(entry?.summary).toContain("<modified-files>\nflux.txt\n</modified-files>");
  expect(linesOf(log).map(({ id }) => id)).toContain(entry?.firstKeptEntryId);

  await pi.prompt("go on");
  const sent = said(home.model.requests.at(-1));
  expect(sent).toContain(JSON.stringify(entry?.summary).slice(1, -1));
  expect(sent).not.toContain(`"content":"${FIRST}"`);

  // The next compaction brings the summary up to date.
  await pi.prompt("also paint it");
  await pi.send({ type: "compact" });
  const second = linesOf(log).at(-1);
  expect(second).toMatchObject({ type: "compaction", fromHook: true });
  for (const kept of ["make the flux capacitor", "flux.txt"]) expect(second?.summary).toContain(kept);
  expect(second?.id).not.toBe(entry?.id);
  await pi.end();
  expect((await archivedBytes(home, log)).equals(readFileSync(log))).toBe(true);
  expect(pi.notices).toEqual([]);
  expect(await home.json(["show", String(linesOf(log)[0]?.id)])).toMatchObject({
    compactions: 2,
    opaqueLines: 0,
  });
});

test("Pi leaves a branch with our summary of it, after the session was archived", async () => {
  const { home, goTo } = await homeWithExtension("sessions");
  const pi = startPiRpc(home, ["-e", goTo]);
  await pi.prompt("hello");
  await pi.prompt(FIRST);
  const log = logOf(home);
  const before = readFileSync(log);
  const target = linesOf(log).find(({ message }) => isRecord(message) && message.role === "assistant");
  const requests = home.model.requests.length;
  await pi.send({ type: "prompt", message: `/go-to ${String(target?.id)}` });
  expect(home.model.requests).toHaveLength(requests);
  const entry = linesOf(log).at(-1);
  expect(entry).toMatchObject({
    type: "branch_summary",
    fromHook: true,
    parentId: target?.id,
    details: { readFiles: [], modifiedFiles: ["flux.txt"] },
    summary: expect.stringContaining("## Goal\nmake the flux capacitor take 1.21 gigawatts"),
  });
  expect((await archivedBytes(home, log)).equals(before)).toBe(true);
  await pi.prompt("go on");
  const sent = said(home.model.requests.at(-1));
  expect(sent).toContain(JSON.stringify(entry?.summary).slice(1, -1));
  expect(sent).not.toContain(`"content":"${FIRST}"`);
  await pi.end();
});

test("with Pi's own summaries the session is archived too", async () => {
  const { home, goTo } = await homeWithExtension("agent");
  home.model.rule(/conversation|summar/i, { text: "A summary by the model." });
  const pi = startPiRpc(home, ["-e", goTo]);
  await pi.prompt("hello");
  await pi.prompt("and now?");
  const log = logOf(home);
  const before = readFileSync(log);
  await pi.send({ type: "compact" });
  const entry = linesOf(log).at(-1);
  expect(entry).toMatchObject({
    type: "compaction",
    summary: expect.stringContaining("A summary by the model."),
  });
  expect(entry?.fromHook ?? false).toBe(false);
  expect((await archivedBytes(home, log)).equals(before)).toBe(true);
  await pi.end();
});

test("Pi's model searches and reads earlier sessions, and the user brings one in with /sessions", async () => {
  const { home } = await homeWithExtension("agent");
  const earlier = startPiRpc(home, []);
  await earlier.prompt(FIRST);
  await earlier.end();
  const id = String(linesOf(logOf(home))[0]?.id);

  home.model.rule(/how did we/, {
    call: { tool: "sessions_search", input: { query: "flux gigawatts", limit: 3 } },
  });
  home.model.rule(/read it/, { call: { tool: "sessions_read", input: { session: id, turns: "1" } } });
  const pi = startPiRpc(home, []);
  await pi.prompt("how did we do it?");
  const found = home.model.requests.at(-1);
  expect(found?.tools).toEqual(expect.arrayContaining(["sessions_search", "sessions_read"]));
  expect(found?.asked).toContain("Quoted from old sessions");
  expect(found?.asked).toContain(id);
  await pi.prompt("read it");
  expect(home.model.requests.at(-1)?.asked).toContain("never touch the clock");

  await pi.send({ type: "prompt", message: "/sessions gigawatts" });
  await pi.send({ type: "prompt", message: "/sessions" });
  await pi.send({ type: "prompt", message: "/sessions nothinglikethis" });
  expect(pi.notices).toEqual(["No earlier session was found."]);
  await pi.prompt("and now?");
  expect(said(home.model.requests.at(-1)).match(/Quoted from old sessions/g)?.length).toBeGreaterThanOrEqual(
    4,
  );
  await pi.end();
  // What the tools printed is not found again as something that was said.
  const { hits } = await home.json(["search", '"never touch the clock"']);
  expect(listOf(hits)).toHaveLength(1);
});

test("without the program Pi works as if there were no extension, and says so once", async () => {
  const { home } = await homeWithExtension("sessions");
  const extension = join(home.home, ".pi", "agent", "extensions", "sessions.js");
  const text = readFileSync(extension, "utf8");
  writeFileSync(extension, text.replace(/sessions\.cjs/, "gone.cjs"));
  home.model.rule(/conversation|summar/i, { text: "A summary by the model." });
  const pi = startPiRpc(home, []);
  await pi.prompt("hello");
  await pi.prompt("and now?");
  expect(await pi.send({ type: "compact" })).toMatchObject({
    success: true,
    data: { summary: expect.stringContaining("A summary by the model.") },
  });
  await pi.prompt("go on");
  await pi.prompt("and on");
  await pi.send({ type: "compact" });
  expect(pi.notices).toEqual([
    expect.stringMatching(
      /^sessions could not be run, so this session is not archived: Error: Cannot find module/,
    ),
  ]);
  await pi.end();
});

test("install and uninstall leave Pi's folder as it was", async () => {
  const home = await makeAgentHome();
  home.agentStart("pi", []);
  const folder = join(home.home, ".pi");
  const state = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const before = state();
  await home.json(["install", "--agent", "pi", "--yes"]);
  expect(state()).toEqual(expect.arrayContaining(["agent/extensions/sessions.js"]));
  await home.json(["uninstall", "--agent", "pi", "--yes"]);
  expect(state()).toEqual(before);
});
