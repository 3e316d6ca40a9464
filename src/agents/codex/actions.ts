import { join } from "node:path";
import type { AgentActions } from "../agent-actions.ts";

/** Codex reads skills; its logs are only read. */
export const codexActions: AgentActions = {
  skills: {
    folders: ({ surroundings: { home, folder } }, scope) => [
      join(scope === "user" ? home : folder, ".agents"),
    ],
  },
};
