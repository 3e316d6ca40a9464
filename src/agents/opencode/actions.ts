import { join } from "node:path";
import type { Library } from "../../fs/library.ts";
import type { AgentActions } from "../agent-actions.ts";
import { claudeSkills, sharedSkills } from "../shared-skills.ts";

export const opencodeActions: AgentActions = {
  skills: {
    folders: (library, scope) => [
      scope === "user" ? configFolder(library) : join(library.environment.folder, ".opencode"),
    ],
    alsoReads: (library, scope) => [...claudeSkills(library, scope), ...sharedSkills(library, scope)],
  },
  servers: {
    // A project's configuration file is shared, and the entry contains paths of this machine.
    lists: (library, scope) =>
      scope === "user" ? [{ path: join(configFolder(library), "opencode.json"), at: ["mcp"] }] : [],
    form: "list",
  },
};

function configFolder({ environment: { home, variables } }: Library): string {
  return join(variables.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}
