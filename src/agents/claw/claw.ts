import { join } from "node:path";
import type { Agent } from "../agent.ts";
import { clawRoots, groupClawFiles, ownsClaw, workspaceFingerprint } from "./files.ts";
import { createClawParser } from "./parser.ts";

export const claw: Agent = {
  name: "claw",
  displayName: "claw-code",
  placeVariables: ["CLAW_CONFIG_HOME"],
  leafRule: "last-entry",
  inProjects: true,
  compactsLogs: true,
  roots: clawRoots,
  owns: ownsClaw,
  group: groupClawFiles,
  parser: createClawParser,
  textRules: { types: [[/^prompt_history$/, "request"]] },
  resume: ({ id, project }) => ({ command: ["claw", "--resume", id], folder: project }),
  rehoming: {
    keys: [["workspace_root"]],
    place: (relative, _rootName, project) => ({
      relative: join(workspaceFingerprint(project), relative.split(/[/\\]/).at(-1) ?? relative),
      inProject: join(".claw", "sessions"),
    }),
  },
};
