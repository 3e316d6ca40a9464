import { join } from "node:path";
import type { AgentActions } from "../agent-actions.ts";
import { sharedSkills } from "../shared-skills.ts";
import { geminiFolder } from "./files.ts";
import { geminiRetention } from "./retention.ts";

export const geminiActions: AgentActions = {
  retention: geminiRetention,
  skills: {
    folders: ({ environment }, scope) => [
      scope === "user" ? geminiFolder(environment) : join(environment.folder, ".gemini"),
    ],
    alsoReads: sharedSkills,
  },
  servers: {
    // A project's configuration file is shared, and the entry contains paths of this machine.
    lists: ({ environment }, scope) =>
      scope === "user"
        ? [{ path: join(geminiFolder(environment), "settings.json"), at: ["mcpServers"] }]
        : [],
  },
};
