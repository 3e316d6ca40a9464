import type { Agent } from "../agent.ts";
import { clawRoots, groupClawFiles, ownsClaw } from "./files.ts";
import { createClawParser } from "./parser.ts";

export const claw: Agent = {
  agent: "claw",
  name: "claw-code",
  leafRule: "last-entry",
  inProjects: true,
  roots: clawRoots,
  owns: ownsClaw,
  group: groupClawFiles,
  parser: createClawParser,
  resume: ({ id, project }) => ({ command: ["claw", "--resume", id], folder: project }),
};
