import { readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { makeAgentHome } from "./support/agent-home.ts";
import { isRecord, listOf, talkIn } from "./support/fake-model.ts";

/** How each agent is asked something, asked again in the same session, and which tool runs a command. */
const agents = [
  {
    name: "claude",
    ask: (prompt: string) => ["-p", prompt, "--allowedTools", "Bash"],
    askAgain: (id: string, prompt: string) => ["-p", prompt, "--resume", id],
    shell: { tool: "Bash", input: { command: "seq 1 400", description: "count" } },
  },
  {
    name: "codex",
    ask: (prompt: string) => ["exec", "--skip-git-repo-check", prompt],
    askAgain: (id: string, prompt: string) => ["exec", "--skip-git-repo-check", "resume", id, prompt],
    shell: { tool: "exec_command", input: { cmd: "seq 1 400" } },
  },
  {
    name: "pi",
    ask: (prompt: string) => ["-p", prompt],
    askAgain: (id: string, prompt: string) => ["-p", "--session", id, prompt],
    shell: { tool: "bash", input: { command: "seq 1 400" } },
  },
  {
    name: "gemini",
    ask: (prompt: string) => ["-p", prompt, "--yolo"],
    askAgain: (id: string, prompt: string) => ["-p", prompt, "--resume", id],
    shell: { tool: "run_shell_command", input: { command: "seq 1 400", description: "count" } },
  },
  {
    name: "qwen",
    ask: (prompt: string) => ["-p", prompt, "--yolo"],
    askAgain: (id: string, prompt: string) => ["-p", prompt, "--resume", id],
    shell: {
      tool: "run_shell_command",
      input: { command: "seq 1 400", description: "count", is_background: false },
    },
  },
  {
    name: "copilot",
    ask: (prompt: string) => ["-p", prompt, "--allow-all-tools"],
    askAgain: (id: string, prompt: string) => ["-p", prompt, "--allow-all-tools", "--resume", id],
    shell: { tool: "bash", input: { command: "seq 1 400", description: "count" } },
  },
] as const;

test.for(agents)(
  "a session of $name is listed, found, shown, archived, restored byte for byte, and resumed by $name",
  async ({ name, ask, askAgain, shell }) => {
    const home = await makeAgentHome();
    home.model.rule(/flux capacitor/, { text: "Let me look.", call: shell });
    const first = await home.agent(name, ask("count for the flux capacitor"));
    expect(first.code, first.err).toBe(0);

    const listed = listOf((await home.json(["list"])).sessions);
    expect(listed).toMatchObject([
      { agent: name, title: "count for the flux capacitor", project: home.project, turns: 1, messages: 4 },
    ]);
    const { sessionId, source } = isRecord(listed[0]) ? listed[0] : {};
    if (typeof sessionId !== "string" || typeof source !== "string") throw new Error("no session");

    expect(await home.json(["search", "flux capacitor"])).toMatchObject({
      match: "all",
      hits: [{ sessionId }],
    });
    expect(await home.json(["show", sessionId])).toMatchObject({
      tools: { [shell.tool]: { count: 1, errors: 0 } },
      commands: [{ turn: 1, command: "seq 1 400" }],
    });

    await home.json(["archive"]);
    const bytes = readFileSync(source);
    rmSync(source);
    await home.json(["restore", sessionId]);
    expect(readFileSync(source).equals(bytes)).toBe(true);

    const before = home.model.requests.length;
    const second = await home.agent(name, askAgain(sessionId, "and what was the last number?"));
    expect(second.code, second.err).toBe(0);
    const request = JSON.stringify(home.model.requests[before]?.messages);
    for (const said of ["count for the flux capacitor", "\\n399\\n400", "and what was the last number?"])
      expect(request).toContain(said);
    // All that the model was sent last is sent again, in the same order.
    const [last, next] = home.model.requests.slice(before - 1).map(talkIn);
    expect(next?.slice(0, last?.length)).toEqual(last);
    expect(await home.json(["show", sessionId])).toMatchObject({ requests: [{ turn: 1 }, { turn: 2 }] });
  },
);
