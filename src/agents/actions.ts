import type { AgentName } from "../session/entry.ts";
import type { Agent } from "./agent.ts";
import type { AgentActions } from "./agent-actions.ts";
import { claudeActions } from "./claude/actions.ts";
import { claude } from "./claude/claude.ts";
import { clawActions } from "./claw/actions.ts";
import { claw } from "./claw/claw.ts";
import { codexActions } from "./codex/actions.ts";
import { codex } from "./codex/codex.ts";
import { copilotActions } from "./copilot/actions.ts";
import { copilot } from "./copilot/copilot.ts";
import { geminiActions } from "./gemini/actions.ts";
import { gemini } from "./gemini/gemini.ts";
import { opencodeActions } from "./opencode/actions.ts";
import { opencode } from "./opencode/opencode.ts";
import { piActions } from "./pi/actions.ts";
import { pi } from "./pi/pi.ts";
import { qwenActions } from "./qwen/actions.ts";
import { qwen } from "./qwen/qwen.ts";

/** An agent with everything that can be done to its logs beyond reading them. */
interface ActingAgent {
  readonly agent: Agent;
  readonly actions: AgentActions;
}

/** One row per agent, in the order of help. Logs of an agent without a row are only read. */
const table: readonly ActingAgent[] = [
  { agent: claude, actions: claudeActions },
  { agent: claw, actions: clawActions },
  { agent: pi, actions: piActions },
  { agent: codex, actions: codexActions },
  { agent: gemini, actions: geminiActions },
  { agent: qwen, actions: qwenActions },
  { agent: opencode, actions: opencodeActions },
  { agent: copilot, actions: copilotActions },
];

const byName: ReadonlyMap<AgentName, AgentActions> = new Map(
  table.map(({ agent, actions }) => [agent.name, actions]),
);

const NONE: AgentActions = {};

export function actionsOf(agent: AgentName): AgentActions {
  return byName.get(agent) ?? NONE;
}

/** The agents that support an action, with their implementation of it. */
export function agentsThat<K extends keyof AgentActions>(
  action: K,
): readonly { readonly agent: Agent; readonly how: NonNullable<AgentActions[K]> }[] {
  return table.flatMap(({ agent, actions }) => {
    const how = actions[action];
    return how === undefined ? [] : [{ agent, how }];
  });
}
