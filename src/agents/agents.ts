import type { Agent } from "../session/entry.ts";
import type { Format } from "./agent.ts";
import { claudeFormat } from "./claude/claude-format.ts";
import { clawFormat } from "./claw/claw-format.ts";
import { codexFormat } from "./codex/codex-format.ts";
import { piFormat } from "./pi/pi-format.ts";

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
