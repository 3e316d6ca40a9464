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
    lists: ({ surroundings }, scope) =>
      scope === "user" ? [{ path: join(codexFolder(surroundings), "config.toml"), at: ["mcp_servers"] }] : [],
    hidesVariables: true,
  },
};
