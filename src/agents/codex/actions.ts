import { join } from "node:path";
import type { AgentActions } from "../agent-actions.ts";
import { codexFolder } from "./files.ts";
import { codexHooks } from "./hooks.ts";

export const codexActions: AgentActions = {
  skills: {
    folders: ({ surroundings: { home, folder } }, scope) => [
      join(scope === "user" ? home : folder, ".agents"),
    ],
  },
  hooks: codexHooks,
  servers: {
    lists: ({ surroundings }, scope) => {
      const folder = scope === "user" ? codexFolder(surroundings) : join(surroundings.folder, ".codex");
      return [{ path: join(folder, "config.toml"), at: ["mcp_servers"] }];
    },
    hidesVariables: true,
  },
};
