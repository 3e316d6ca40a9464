import { join } from "node:path";
import { expect, test } from "vitest";
import { makeAgentHome } from "./support/agent-home.ts";
import { isRecord, listOf, type ModelReply, talkIn } from "./support/fake-model.ts";

test("files, commands, errors, todo lists, sub-agents and compactions of copilot are read, and no event is unknown", async () => {
  const home = await makeAgentHome();
  const { model } = home;
  /** A summary repeats all prompts. */
  const ask = (when: RegExp, reply: ModelReply): void =>
    model.rule(when, ({ asked }) => (asked.includes("has been summarized") ? undefined : reply));
  const query =
    "INSERT INTO todos (id, title, status) VALUES ('p', 'paint it', 'in_progress'), ('d', 'draw it', 'done')";
  ask(/make a plan/, { call: { tool: "sql", input: { description: "plan", query } } });
  ask(/write it down/, {
    call: { tool: "create", input: { path: join(home.project, "a.txt"), file_text: "flux" } },
  });
  ask(/read nothing/, { call: { tool: "view", input: { path: join(home.project, "nothing.txt") } } });
  ask(/list what is there/, {
    call: { tool: "bash", input: { command: "ls; exit 3", description: "list" } },
  });
  ask(/start a helper/, {
    call: {
      tool: "task",
      input: {
        description: "look",
        prompt: "look around",
        agent_type: "general-purpose",
        name: "looker",
        mode: "sync",
      },
    },
  });
  model.rule(/create a detailed summary/, { text: "The flux capacitor was planned." });
  const run = async (prompt: string, id?: string): Promise<void> => {
    const where = id === undefined ? [] : ["--resume", id];
    const { code, err } = await home.agent("copilot", ["-p", prompt, "--allow-all-tools", ...where]);
    expect(code, err).toBe(0);
  };
  // Copilot CLI names the session by it.
  await run("hello");
  const [first] = listOf((await home.json(["list"])).sessions);
  const id = String(isRecord(first) ? first.sessionId : "");
  const prompts = [
    "make a plan",
    "write it down",
    "read nothing",
    "list what is there",
    "start a helper",
    "/compact",
    "go on",
  ];
  for (const prompt of prompts) await run(prompt, id);

  const shown = await home.json(["show", id]);
  expect(shown).toMatchObject({
    agent: "copilot",
    project: home.project,
    title: "make a plan",
    opaqueLines: 0,
    compactions: 1,
    model: "gpt-4.1",
    tools: { bash: { count: 1, errors: 1 }, view: { count: 1, errors: 1 }, create: { count: 1, errors: 0 } },
    commands: [{ command: "ls; exit 3", exitCode: 3 }],
    pending: [{ text: "paint it" }],
    subagents: [{ type: "general-purpose", description: "look" }],
  });
  expect(listOf(shown.requests).map((request) => isRecord(request) && request.text)).toEqual([
    "hello",
    "make a plan",
    "write it down",
    "read nothing",
    "list what is there",
    "start a helper",
    "go on",
  ]);
  expect(JSON.stringify(shown.files)).toContain("a.txt");
  expect(JSON.stringify(await home.json(["search", "look around", "--in", "subagent"]))).toContain(id);

  // What is loaded now is what the model was sent last: the summary, and what was said since.
  const { context } = await home.json(["show", id, "--context", "--budget", "0"]);
  const sent = talkIn({ messages: model.requests.at(-1)?.messages ?? [] }).join("\n");
  expect(sent).toContain("The flux capacitor was planned.");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("go on");
  expect(JSON.stringify(context)).toContain("The flux capacitor was planned.");
  expect(JSON.stringify(context)).toContain("go on");
  expect(JSON.stringify(context)).not.toContain("read nothing");
  expect(await home.json(["list"])).toMatchObject({ coverage: { problems: 0 } });
  for (const command of ["compact", "flatten"]) {
    const { code, err } = await home.sessions([command, id]);
    expect(code).not.toBe(0);
    expect(err).toContain("only read");
  }
});
