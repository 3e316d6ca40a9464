import type { AgentActions } from "../agent-actions.ts";
import { clawCompaction } from "./compact.ts";
import { forkClaw } from "./fork.ts";
import { clawSummaryForm } from "./summary.ts";

export const clawActions: AgentActions = {
  compaction: clawCompaction,
  fork: forkClaw,
  summary: clawSummaryForm,
};
