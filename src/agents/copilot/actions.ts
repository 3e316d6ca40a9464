import { join } from "node:path";
import type { AgentActions } from "../agent-actions.ts";
import { claudeSkills, sharedSkills } from "../shared-skills.ts";
import { copilotFolder } from "./files.ts";

export const copilotActions: AgentActions = {
  skills: {
    folders: ({ environment }, scope) => [
      scope === "user" ? copilotFolder(environment) : join(environment.folder, ".github"),
    ],
    // Skills of Claude Code are read only in projects.
    alsoReads: (library, scope) => [
      ...sharedSkills(library, scope),
      ...(scope === "project" ? claudeSkills(library, scope) : []),
    ],
  },
  servers: {
    // A project's configuration file is shared, and the entry contains paths of this machine.
    lists: ({ environment }, scope) =>
      scope === "user"
        ? [{ path: join(copilotFolder(environment), "mcp-config.json"), at: ["mcpServers"] }]
        : [],
    hidesVariables: true,
  },
};
