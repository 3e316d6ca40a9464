import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import type { AgentName } from "../session/entry.ts";
import type { CompactionOptions, CompactionPlan, SessionFiles } from "./agent.ts";
import { agentNamed } from "./agents.ts";
import { compactClaude } from "./claude/compact.ts";
import { compactClaw } from "./claw/compact.ts";
import type { LogSnapshot } from "./log-snapshot.ts";
import { compactPi } from "./pi/compact.ts";

/** What a compactor gets: the session's leading log, and what else may be asked. It changes nothing. */
export interface CompactorInput {
  readonly library: Library;
  readonly files: SessionFiles;
  readonly snapshot: LogSnapshot;
  readonly wish: CompactionOptions;
}

export type Compactor = (input: CompactorInput) => CompactionPlan;

/** One row per agent that can be compacted. */
const table: Partial<Record<AgentName, Compactor>> = {
  claude: compactClaude,
  pi: compactPi,
  claw: compactClaw,
};

export function compactorOf(agent: AgentName): Compactor {
  const compactor = table[agent];
  if (compactor !== undefined) return compactor;
  const { name } = agentNamed(agent);
  throw new UserError(`Cannot compact: sessions of ${name} are not supported`, {
    exitCode: exitCodes.wrongUsage,
    hint: "`sessions archive` keeps them, and `sessions search` finds what is in them",
  });
}
