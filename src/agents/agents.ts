import type { AgentName } from "../session/entry.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude/claude.ts";
import { claw } from "./claw/claw.ts";
import { codex } from "./codex/codex.ts";
import { pi } from "./pi/pi.ts";

/** One row per agent. */
export const agents: readonly Agent[] = [claude, pi, claw, codex];

export const agentNames: readonly AgentName[] = agents.map(({ agent }) => agent);

const byName: ReadonlyMap<AgentName, Agent> = new Map(agents.map((agent) => [agent.agent, agent]));

export function isAgent(name: string): boolean {
  return byName.has(name);
}

/** Names are checked where they are read: one that is not in the table is a bug. */
export function agentNamed(name: AgentName): Agent {
  const agent = byName.get(name);
  if (agent === undefined) throw new Error(`No agent is called ${JSON.stringify(name)}`);
  return agent;
}
