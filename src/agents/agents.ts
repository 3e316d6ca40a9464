import type { AgentName } from "../session/entry.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude/claude.ts";
import { claw } from "./claw/claw.ts";
import { codex } from "./codex/codex.ts";
import { pi } from "./pi/pi.ts";

/** One row per agent. */
const table: { readonly [A in AgentName]: Agent } = {
  claude: claude,
  pi: pi,
  claw: claw,
  codex: codex,
};

export const agents: readonly Agent[] = Object.values(table);

export function agentNamed(agent: AgentName): Agent {
  return table[agent];
}

/** A word for every agent, so that a new one is not forgotten: the type asks for it. */
const words: Readonly<Record<AgentName, true>> = { claude: true, pi: true, claw: true, codex: true };

export function isAgent(word: string): word is AgentName {
  return Object.hasOwn(words, word);
}

export const agentNames: readonly AgentName[] = Object.keys(words).filter(isAgent);
