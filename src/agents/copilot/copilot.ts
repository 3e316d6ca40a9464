import type { Agent } from "../agent.ts";
import { copilotRoots, groupCopilotFiles, ownsCopilot, readWorkspace } from "./files.ts";
import { createCopilotParser } from "./parser.ts";
import { copilotTextRules } from "./text-rules.ts";

export const copilot: Agent = {
  name: "copilot",
  displayName: "Copilot CLI",
  placeVariables: ["COPILOT_HOME"],
  childVariables: ["COPILOT_CLI"],
  sessionVariable: "COPILOT_AGENT_SESSION_ID",
  leafRule: "last-entry",
  roots: copilotRoots,
  owns: ownsCopilot,
  group: groupCopilotFiles,
  readSideFile: readWorkspace,
  parser: createCopilotParser,
  textRules: copilotTextRules,
  resume: ({ id, project }) => ({ command: ["copilot", `--resume=${id}`], folder: project }),
  rehoming: {
    keys: [["data", "context", "cwd"]],
    // A session has its own folder, which is named after it and not after the project.
    place: (relative) => ({ relative }),
  },
};
