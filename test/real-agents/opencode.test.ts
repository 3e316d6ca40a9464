import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";
import { type AgentHome, makeAgentHome } from "./support/agent-home.ts";
import { isRecord, listOf, talkIn } from "./support/fake-model.ts";

/** Words of one prompt: opencode puts quotes around an argument with spaces. */
const words = (prompt: string): readonly string[] => prompt.split(" ");

async function ask(home: AgentHome, prompt: string, id?: string): Promise<void> {
  const where = id === undefined ? [] : ["--session", id];
  const { code, err } = await home.agent("opencode", ["run", ...where, ...words(prompt)]);
  expect(code, err).toBe(0);
}

async function onlySession(home: AgentHome): Promise<Record<string, unknown>> {
  const [session, other] = listOf((await home.json(["list"])).sessions);
  expect(other).toBeUndefined();
  return isRecord(session) ? session : {};
}

/** `sessions restore` runs opencode itself, by its name. */
function withOpencode(home: AgentHome): { readonly variables: Record<string, string> } {
  const { env } = home.agentStart("opencode", []);
  return { variables: { ...env, PATH: `${dirname(inject("agents").opencode.command)}:${env.PATH}` } };
}

/** The database's files, byte for byte and with their times. */
function stateOf(home: AgentHome): readonly unknown[] {
  const folder = join(home.home, ".local", "share", "opencode");
  return ["opencode.db", "opencode.db-wal", "opencode.db-shm"].map((name) => {
    const path = join(folder, name);
    if (!existsSync(path)) return [name];
    const { size, mtimeMs } = statSync(path);
    return [name, size, mtimeMs, createHash("sha256").update(readFileSync(path)).digest("hex")];
  });
}

test("a session of opencode is listed, found, shown, archived, deleted, taken in again and resumed, and its database is never written", async () => {
  const home = await makeAgentHome();
  const { model } = home;
  const bash = { tool: "bash", input: { command: "seq 1 400", description: "count" } };
  model.rule(/flux capacitor/, { text: "Let me look.", call: bash });
  // It may end before its title is written.
  model.rule(/Generate a title/, { text: "count for the flux capacitor" });
  await ask(home, "count for the flux capacitor");

  const before = stateOf(home);
  const session = await onlySession(home);
  expect(session).toMatchObject({
    agent: "opencode",
    title: "count for the flux capacitor",
    project: home.project,
    turns: 1,
    messages: 4,
  });
  const id = String(session.sessionId);
  expect(await home.json(["search", "flux capacitor"])).toMatchObject({
    match: "all",
    hits: [{ sessionId: id }],
  });
  expect(await home.json(["show", id])).toMatchObject({
    tools: { bash: { count: 1, errors: 0 } },
    commands: [{ turn: 1, command: "seq 1 400", exitCode: 0 }],
    opaqueLines: 0,
  });
  await home.json(["archive"]);
  expect(await home.json(["verify"])).toMatchObject({ damages: [] });
  expect(stateOf(home)).toEqual(before);

  const sent = model.requests.length;
  const deleted = await home.agent("opencode", ["session", "delete", id]);
  expect(deleted.code, deleted.err).toBe(0);
  expect(await onlySession(home)).toMatchObject({ sessionId: id, state: "kept", source: null });

  // opencode is not on the path: then it is said what to run.
  const withoutProgram = await home.sessions(["restore", id]);
  expect(withoutProgram.code).toBe(3);
  expect(withoutProgram.out).toMatch(/opencode did not import it.*; to do that by hand: cd /);
  expect(await home.json(["restore", id], withOpencode(home))).toMatchObject({
    sessions: [{ outcome: "restored", imports: [{ failed: false }] }],
  });
  expect(await onlySession(home)).toMatchObject({ sessionId: id, turns: 1 });
  expect(await home.json(["restore", id], withOpencode(home))).toMatchObject({
    sessions: [{ outcome: "unchanged", imports: [] }],
  });

  await ask(home, "and what was the last number?", id);
  const [last, next] = [model.requests[sent - 1], model.requests[sent]].map((request) =>
    talkIn({ messages: request?.messages ?? [] }),
  );
  expect(next?.slice(0, last?.length)).toEqual(last);
  expect(next?.join("\n")).toContain("399\n400");
  expect(await home.json(["show", id])).toMatchObject({ requests: [{ turn: 1 }, { turn: 2 }] });
});

test("files, commands, errors, todo lists, sub-agents and compactions of opencode are read, and no row is unknown", async () => {
  const home = await makeAgentHome();
  const { model } = home;
  const todos = [
    { content: "paint it", status: "in_progress", priority: "high" },
    { content: "draw it", status: "completed", priority: "low" },
  ];
  model.rule(/make a plan/, { call: { tool: "todowrite", input: { todos } } });
  model.rule(/write it down/, {
    call: { tool: "write", input: { filePath: join(home.project, "a.txt"), content: "flux" } },
  });
  model.rule(/read nothing/, {
    call: { tool: "read", input: { filePath: join(home.project, "nothing.txt") } },
  });
  model.rule(/start a helper/, {
    call: {
      tool: "task",
      input: { description: "look", prompt: "look around", subagent_type: "general" },
    },
  });
  model.rule(/list what is there/, {
    call: { tool: "bash", input: { command: "ls; exit 3", description: "list" } },
  });
  // It compacts once a reply says that the conversation was longer than the model can take.
  model.rule(/tell a story/, { text: "Once upon a time.", promptTokens: 200_000 });
  model.rule(/Here is the conversation so far/, { text: "The flux capacitor was planned." });
  await ask(home, "make a plan");
  const id = String((await onlySession(home)).sessionId);
  for (const prompt of [
    "write it down",
    "read nothing",
    "list what is there",
    "start a helper",
    "tell a story",
    "go on",
  ])
    await ask(home, prompt, id);

  const shown = await home.json(["show", id]);
  expect(shown).toMatchObject({
    agent: "opencode",
    project: home.project,
    opaqueLines: 0,
    compactions: 1,
    model: "fake",
    tools: { bash: { count: 1, errors: 1 }, read: { count: 1, errors: 1 }, todowrite: { count: 1 } },
    commands: [{ command: "ls; exit 3", exitCode: 3 }],
    pending: [{ text: "paint it" }],
  });
  expect(listOf(shown.requests).map((request) => isRecord(request) && request.text)).toEqual([
    "make a plan",
    "write it down",
    "read nothing",
    "list what is there",
    "start a helper",
    "tell a story",
    "go on",
  ]);
  expect(JSON.stringify(shown.files)).toContain("a.txt");
  expect(listOf(shown.subagents)).toMatchObject([{ type: "general", description: "look" }]);
  expect(JSON.stringify(await home.json(["search", "look around", "--in", "subagent"]))).toContain(id);

  // What is loaded now is what the model was sent last: the summary, and what was said since.
  const { context } = await home.json(["show", id, "--context", "--budget", "0"]);
  const sent = talkIn({ messages: model.requests.at(-1)?.messages ?? [] }).join("\n");
  for (const said of ["The flux capacitor was planned.", "go on"]) {
    expect(sent).toContain(said);
    expect(JSON.stringify(context)).toContain(said);
  }
  for (const gone of ["write it down", "make a plan"]) {
    expect(sent).not.toContain(gone);
    expect(JSON.stringify(context)).not.toContain(gone);
  }
  expect(await home.json(["list"])).toMatchObject({ coverage: { problems: 0 } });

  // With its sub-agent it goes to another project, and to another machine.
  await home.json(["archive"]);
  const other = join(home.home, "other");
  mkdirSync(other);
  const moved = await home.json(["restore", id, "--into", other, "--force"], withOpencode(home));
  expect(moved).toMatchObject({ sessions: [{ outcome: "restored", imports: [{}, {}] }] });
  expect(await onlySession(home)).toMatchObject({ sessionId: id, project: other });
  const elsewhere = join(home.home, "elsewhere");
  const written = await home.json(["restore", id, "--to", elsewhere]);
  expect(written).toMatchObject({ sessions: [{ outcome: "restored", imports: [] }] });
  expect(JSON.parse(readFileSync(join(elsewhere, "opencode", `${id}.json`), "utf8"))).toMatchObject({
    info: { id },
  });
});
