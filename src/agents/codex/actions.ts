import { join } from "node:path";
import type { AgentActions } from "../agent-actions.ts";
import { sharedSkills } from "../shared-skills.ts";
import { codexFolder } from "./files.ts";
import { codexHooks } from "./hooks.ts";

export const codexActions: AgentActions = {
  skills: {
    folders: sharedSkills,
  },
  hooks: codexHooks,
  servers: {
    // A project's configuration file is shared, and the entry contains paths of this machine.
    lists: ({ environment }, scope) =>
      scope === "user" ? [{ path: join(codexFolder(environment), "config.toml"), at: ["mcp_servers"] }] : [],
    hidesVariables: true,
  },
};
