import { type Agent, firstFolder, inFolder } from "../agent.ts";
import { encodePiFolder, groupPiFiles, ownsPi, piRoots } from "./files.ts";
import { createPiParser } from "./parser.ts";
import { piTextRules } from "./text-rules.ts";

export const pi: Agent = {
  name: "pi",
  displayName: "Pi",
  placeVariables: ["PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"],
  // Set only for programs that its model runs; a command that the user types with `!` does not have it.
  childVariables: ["PI_SESSION_ID"],
  sessionVariable: "PI_SESSION_ID",
  leafRule: "named-parents",
  roots: piRoots,
  owns: ownsPi,
  group: groupPiFiles,
  parser: createPiParser,
  textRules: piTextRules,
  // Pi looks an id up among the sessions of the folder that it runs in, but opens a path anywhere.
  resume: ({ id, project, source }) => ({ command: ["pi", "--session", source ?? id], folder: project }),
  rehoming: {
    keys: [["cwd"]],
    onlyFirst: true,
    place: (relative, _rootName, project) => inFolder(relative, encodePiFolder(project)),
    isOf: (relative, project) => firstFolder(relative) === encodePiFolder(project),
  },
};
