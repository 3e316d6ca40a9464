import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makeAgentHome } from "./support/agent-home.ts";
import { isRecord, listOf, talkIn } from "./support/fake-model.ts";

/** Long, and without repetitions: those would be taken for a loop. */
const LONG = Array.from({ length: 3_000 }, (_, at) => `chapter ${at}`).join(", ");

/** How each of them is made to plan, edit, start a helper, and compress its history. */
const agents = [
  {
    name: "gemini",
    ask: (prompt: string, id?: string) => [
      "-p",
      prompt,
      "--yolo",
      ...(id === undefined ? [] : ["--resume", id]),
    ],
    todos: { tool: "write_todos", input: { todos: [{ description: "paint it", status: "in_progress" }] } },
    helper: { tool: "invoke_agent", input: { agent_name: "codebase_investigator", prompt: "look around" } },
    // It compresses before the next request once a reply says that the history was long.
    prompts: ["write it down", "start a helper", "tell a story", "list what is there", "go on"],
    listedTokens: 1_000_000,
  },
  {
    name: "qwen",
    ask: (prompt: string, id?: string) => [
      "-p",
      prompt,
      "--yolo",
      ...(id === undefined ? [] : ["--resume", id]),
    ],
    todos: {
      tool: "todo_write",
      input: { todos: [{ id: "1", content: "paint it", status: "in_progress" }] },
    },
    helper: {
      tool: "agent",
      input: { description: "look", prompt: "look around", subagent_type: "general-purpose" },
    },
    prompts: ["write it down", "list what is there", "start a helper", "tell a story", "/compress", "go on"],
    listedTokens: 10,
  },
] as const;

test.for(agents)(
  "files, commands, todo lists, sub-agents and compressions of $name are read, and no line is unknown",
  async ({ name, ask, todos, helper, prompts, listedTokens }) => {
    const home = await makeAgentHome();
    const { model } = home;
    // Qwen Code has no todo list unless it is told to.
    const settings = join(home.home, ".qwen", "settings.json");
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, JSON.stringify({ tools: { todoWrite: { enabled: true } } }));
    const listing = { tool: "run_shell_command", input: { command: "ls; exit 3", is_background: false } };
    model.rule(/make a plan/, { call: todos });
    model.rule(/write it down/, {
      call: { tool: "write_file", input: { file_path: `${home.project}/a.txt`, content: "flux" } },
    });
    model.rule(/start a helper/, { call: helper });
    model.rule(/list what is there/, { call: listing, promptTokens: listedTokens });
    model.rule(/tell a story/, { text: LONG, promptTokens: 120_000 });
    model.rule(/state_snapshot/, {
      text: "<state_snapshot>The flux capacitor was planned.</state_snapshot>",
    });
    const run = async (prompt: string, id?: string): Promise<void> => {
      const { code, err } = await home.agent(name, ask(prompt, id));
      expect(code, err).toBe(0);
    };
    await run("make a plan");
    const [first] = listOf((await home.json(["list"])).sessions);
    const id = String(isRecord(first) ? first.sessionId : "");
    for (const prompt of prompts) await run(prompt, id);
    const shown = await home.json(["show", id]);
    expect(shown).toMatchObject({
      agent: name,
      title: "make a plan",
      project: home.project,
      opaqueLines: 0,
      compactions: 1,
      tools: { run_shell_command: { count: 1, errors: 1 }, write_file: { count: 1, errors: 0 } },
      commands: [{ command: "ls; exit 3", exitCode: 3 }],
      pending: [{ text: "paint it" }],
    });
    expect(JSON.stringify(shown.files)).toContain("a.txt");
    expect(listOf(shown.subagents)).toHaveLength(1);
    // What is loaded now is what the model was sent last: the summary, and what was said since.
    const { context } = await home.json(["show", id, "--context", "--budget", "0"]);
    const sent = talkIn({ messages: model.requests.at(-1)?.messages ?? [] }).join("\n");
    expect(sent).toContain("go on");
    expect(JSON.stringify(context)).toContain("The flux capacitor was planned.");
    expect(JSON.stringify(context)).not.toContain("write it down");
    expect(await home.json(["list"])).toMatchObject({ coverage: { problems: 0 } });
    for (const command of ["compact", "flatten"]) {
      const refused = await home.sessions([command, id]);
      expect(refused.code).not.toBe(0);
      expect(refused.err).toContain("are only read, never changed");
    }
  },
);
