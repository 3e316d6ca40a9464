import type { AgentActions } from "../agent.ts";
import { claudeApiMessage } from "./api-message.ts";
import { claudeCompaction } from "./compact.ts";
import { claudeFlattening } from "./flatten.ts";
import { forkClaude } from "./fork.ts";

export const claudeActions: AgentActions = {
  compaction: claudeCompaction,
  fork: forkClaude,
  flattening: claudeFlattening,
  apiMessage: claudeApiMessage,
};
