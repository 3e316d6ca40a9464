import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AgentHome, makeAgentHome } from "./support/agent-home.ts";
import { isRecord, listOf } from "./support/fake-model.ts";
import type { TestedAgent } from "./support/install-agents.ts";

interface Client {
  readonly name: TestedAgent;
  /** How it is asked something, so that it may use any tool. */
  ask(prompt: string): readonly string[];
  /** How it lists its servers, and what it says of one that answers. */
  readonly servers: readonly string[];
  readonly connected: RegExp;
  /** How it lists its skills; absent: only the model is told. */
  readonly skills?: readonly string[];
  /** Our tool, as its log names it. */
  readonly tool: string;
  /** Where its servers are, below the home. */
  readonly settings: string;
  /** Its own place for our skill. */
  readonly skill: string;
}

const clients: readonly Client[] = [
  {
    name: "gemini",
    ask: (prompt) => ["-p", prompt, "--yolo"],
    servers: ["mcp", "list"],
    connected: /sessions: .* - Connected/,
    skills: ["skills", "list"],
    tool: "mcp_sessions_search_sessions",
    settings: ".gemini/settings.json",
    skill: ".gemini",
  },
  {
    name: "qwen",
    ask: (prompt) => ["-p", prompt, "--yolo"],
    servers: ["mcp", "list"],
    connected: /sessions: .* - Connected/,
    tool: "mcp__sessions__search_sessions",
    settings: ".qwen/settings.json",
    skill: ".qwen",
  },
  {
    name: "opencode",
    ask: (prompt) => ["run", ...prompt.split(" ")],
    servers: ["mcp", "list"],
    connected: /sessions.*connected/,
    skills: ["debug", "skill"],
    tool: "sessions_search_sessions",
    settings: ".config/opencode/opencode.json",
    skill: ".config/opencode",
  },
  {
    name: "copilot",
    ask: (prompt) => ["-p", prompt, "--allow-all-tools"],
    servers: ["mcp", "list"],
    connected: /sessions \(local\)/,
    skills: ["skill", "list"],
    tool: "sessions-search_sessions",
    settings: ".copilot/mcp-config.json",
    skill: ".copilot",
  },
];

async function said(home: AgentHome, name: TestedAgent, args: readonly string[]): Promise<string> {
  const { code, out, err } = await home.agent(name, args);
  expect(code, out + err).toBe(0);
  return out + err;
}

function textAt(home: AgentHome, path: string): string | undefined {
  const file = join(home.home, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

test.each(clients)(
  "$name lists our server and our skill once after install, its model finds an earlier session, and uninstall takes both out",
  async ({ name, ask, servers, connected, skills, tool, settings, skill }) => {
    const home = await makeAgentHome();
    const { model } = home;
    await said(home, name, ask("the flux capacitor needs 1.21 gigawatts"));
    const [first] = listOf((await home.json(["list"])).sessions);
    const id = String(isRecord(first) ? first.sessionId : "");
    const before = textAt(home, settings);

    await home.json(["install", "--agent", name, "--yes"]);
    expect(await said(home, name, servers)).toMatch(connected);
    if (skills !== undefined) expect(await said(home, name, skills)).toContain("session-finder");

    model.rule(/how much power/, ({ tools }) => {
      const input = { query: "flux gigawatts" };
      // Qwen Code hides tools of servers behind one that calls them.
      if (tools.includes("tool_call")) {
        const wrapped = { name: "mcp__sessions__search_sessions", arguments: input };
        return { call: { tool: "tool_call", input: wrapped } };
      }
      const ours = tools.find((each) => each.endsWith("search_sessions"));
      return ours === undefined ? undefined : { call: { tool: ours, input } };
    });
    const asked = model.requests.length;
    await said(home, name, ask("how much power did it need?"));
    const answer = JSON.stringify(model.requests.slice(asked).filter(({ isAfterTool }) => isAfterTool));
    expect(answer).toContain(`session ${id}`);
    expect(answer).toContain("1.21 gigawatts");
    const all = listOf((await home.json(["list"])).sessions).filter(isRecord);
    const second = all.find(({ sessionId }) => sessionId !== id);
    expect(await home.json(["show", String(second?.sessionId)])).toMatchObject({
      tools: { [tool]: { count: 1, errors: 0 } },
    });

    // Where Codex's skill is, this one is not needed, and goes.
    const warned = /conflict|overriding|duplicate/i;
    await home.json(["install", "--agent", "codex", "--yes"]);
    expect(textAt(home, join(skill, "skills", "session-finder", "SKILL.md"))).toBeUndefined();
    if (skills !== undefined) {
      const listed = await said(home, name, skills);
      expect(listed).toContain("session-finder");
      expect(listed).not.toMatch(warned);
    }

    await home.json(["uninstall", "--yes"]);
    // opencode itself adds its schema to the file.
    const after = textAt(home, settings);
    if (before === undefined) expect(after ?? "").not.toMatch(/sessions"/);
    else expect(after).toBe(before);
    expect(await said(home, name, servers)).not.toMatch(connected);
    if (skills !== undefined) expect(await said(home, name, skills)).not.toContain("session-finder");
  },
);
