import { join } from "node:path";
import type { AgentActions } from "../agent-actions.ts";
import { sharedSkills } from "../shared-skills.ts";
import { geminiFolder } from "./files.ts";
import { geminiRetention } from "./retention.ts";

export const geminiActions: AgentActions = {
  retention: geminiRetention,
  skills: {
    folders: ({ surroundings }, scope) => [
      scope === "user" ? geminiFolder(surroundings) : join(surroundings.folder, ".gemini"),
    ],
    alsoReads: sharedSkills,
  },
  servers: {
    // A project's configuration file is shared, and the entry contains paths of this machine.
    lists: ({ surroundings }, scope) =>
      scope === "user"
        ? [{ path: join(geminiFolder(surroundings), "settings.json"), at: ["mcpServers"] }]
        : [],
  },
};
