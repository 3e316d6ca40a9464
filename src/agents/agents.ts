import type { AgentName } from "../session/entry.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude/claude.ts";
import { claw } from "./claw/claw.ts";
import { codex } from "./codex/codex.ts";
import { copilot } from "./copilot/copilot.ts";
import { gemini } from "./gemini/gemini.ts";
import { opencode } from "./opencode/opencode.ts";
import { pi } from "./pi/pi.ts";
import { qwen } from "./qwen/qwen.ts";

/** One row per agent. */
const table: Agent[] = [claude, pi, claw, codex, gemini, qwen, opencode, copilot];

export const agents: readonly Agent[] = table;

/** Names are checked where they are read, so a name that is not in the table is a bug. */
export function agentNamed(name: AgentName): Agent {
  const agent = table.find((each) => each.name === name);
  if (agent === undefined) throw new Error(`No agent is called ${JSON.stringify(name)}`);
  return agent;
}

export function isAgent(name: string): boolean {
  return table.some((agent) => agent.name === name);
}

/** Finds an agent by its name or its display name, in any case. */
export function agentCalled(text: string): AgentName | undefined {
  const folded = text.trim().toLowerCase();
  return table.find(({ name, displayName }) => [name, displayName.toLowerCase()].includes(folded))?.name;
}

export function agentNames(): readonly AgentName[] {
  return table.map(({ name }) => name);
}

/** The names by which people address agents. */
export function namesOfAgents(): readonly string[] {
  return table.flatMap(({ name, displayName }) => [displayName, name]);
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The id of the session that runs this program, if its agent sets a variable for it. */
export function callingSession(variables: Variables): string | undefined {
  return firstOf(
    table.map(({ sessionVariable }) => sessionVariable),
    variables,
  );
}

/** The project of the session that runs this program, if its agent sets a variable for it. */
export function callingProject(variables: Variables): string | undefined {
  return firstOf(
    table.map(({ projectVariable }) => projectVariable),
    variables,
  );
}

function firstOf(names: readonly (string | undefined)[], variables: Variables): string | undefined {
  return names.map((name) => variables[name ?? ""]).find((value) => value !== undefined && value !== "");
}

/**
 * Adds an agent that this program does not include, for programs that use it as a library. Must be called before
 * anything is read; returns a function that removes the agent again.
 */
export function addAgent(agent: Agent): () => void {
  table.push(agent);
  return () => void table.splice(table.indexOf(agent), 1);
}
