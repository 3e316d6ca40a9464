import { join } from "node:path";
import type { McpServers } from "../agent-actions.ts";
import { ownFolders } from "./retention.ts";

/**
 * Claude Code keeps its list of servers with its state: in `~/.claude.json`, or in the folder that CLAUDE_CONFIG_DIR
 * names. The list of one person in one project is there too; the project's own `.mcp.json` is shared, and our entry
 * contains paths of this machine.
 */
export const claudeServers: McpServers = {
  lists(library, scope) {
    const { home, folder, variables } = library.environment;
    const files = variables.CLAUDE_CONFIG_DIR
      ? ownFolders(library).map((each) => join(each, ".claude.json"))
      : [join(home, ".claude.json")];
    const at = scope === "user" ? ["mcpServers"] : ["projects", folder, "mcpServers"];
    return files.map((path) => ({ path, at }));
  },
};
