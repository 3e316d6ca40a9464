import type { AgentActions } from "../agent.ts";
import { piApiMessage } from "./api-message.ts";
import { piCompaction } from "./compact.ts";
import { piFlattening } from "./flatten.ts";
import { forkPi } from "./fork.ts";

export const piActions: AgentActions = {
  compaction: piCompaction,
  fork: forkPi,
  flattening: piFlattening,
  apiMessage: piApiMessage,
};
