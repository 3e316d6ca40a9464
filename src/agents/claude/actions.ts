import { join } from "node:path";
import type { AgentActions } from "../agent-actions.ts";
import { claudeApiMessage } from "./api-message.ts";
import { claudeCompaction } from "./compact.ts";
import { claudeFlattening } from "./flatten.ts";
import { forkClaude } from "./fork.ts";
import { claudeHooks } from "./hooks.ts";
import { claudePlugins } from "./plugin.ts";
import { claudeRetention, ownFolders } from "./retention.ts";
import { claudeServers } from "./servers.ts";

export const claudeActions: AgentActions = {
  compaction: claudeCompaction,
  fork: forkClaude,
  flattening: claudeFlattening,
  apiMessage: claudeApiMessage,
  retention: claudeRetention,
  skills: {
    folders: (library, scope) =>
      scope === "user" ? ownFolders(library) : [join(library.environment.folder, ".claude")],
  },
  // They contain this program's path on this machine, and a project's commands are shared.
  slashCommands: {
    folders: (library, scope) =>
      scope === "user" ? ownFolders(library).map((folder) => join(folder, "commands")) : [],
  },
  hooks: claudeHooks,
  servers: claudeServers,
  plugins: claudePlugins,
};
