import type { Agent } from "../session/entry.ts";

/** A word for every agent, so that a new one is not forgotten: the type asks for it. */
const words: Readonly<Record<Agent, true>> = { claude: true, pi: true, claw: true, codex: true };

export function isAgent(word: string): word is Agent {
  return Object.hasOwn(words, word);
}

export const agentNames: readonly Agent[] = Object.keys(words).filter(isAgent);
