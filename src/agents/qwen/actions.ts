import { join } from "node:path";
import type { Environment } from "../../fs/library.ts";
import type { AgentActions } from "../agent-actions.ts";
import { sharedSkills } from "../shared-skills.ts";

export const qwenActions: AgentActions = {
  skills: {
    folders: ({ environment }, scope) => [
      scope === "user" ? qwenFolder(environment) : join(environment.folder, ".qwen"),
    ],
    alsoReads: sharedSkills,
  },
  servers: {
    // A project's configuration file is shared, and the entry contains paths of this machine.
    lists: ({ environment }, scope) =>
      scope === "user" ? [{ path: join(qwenFolder(environment), "settings.json"), at: ["mcpServers"] }] : [],
  },
};

/** Only logs go elsewhere with QWEN_RUNTIME_DIR. */
function qwenFolder({ home, variables }: Environment): string {
  return variables.QWEN_HOME || join(home, ".qwen");
}
