import type { Agent } from "../session/entry.ts";
import type { Format } from "./agent.ts";
import { claudeFormat } from "./claude/claude.ts";
import { clawFormat } from "./claw/claw.ts";
import { codexFormat } from "./codex/codex.ts";
import { piFormat } from "./pi/pi.ts";

/** One row per agent. */
const table: { readonly [A in Agent]: Format } = {
  claude: claudeFormat,
  pi: piFormat,
  claw: clawFormat,
  codex: codexFormat,
};

export const formats: readonly Format[] = Object.values(table);

export function formatOf(agent: Agent): Format {
  return table[agent];
}

/** A word for every agent, so that a new one is not forgotten: the type asks for it. */
const words: Readonly<Record<Agent, true>> = { claude: true, pi: true, claw: true, codex: true };

export function isAgent(word: string): word is Agent {
  return Object.hasOwn(words, word);
}

export const agentNames: readonly Agent[] = Object.keys(words).filter(isAgent);
