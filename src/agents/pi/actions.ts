import { join, resolve } from "node:path";
import type { AgentActions } from "../agent-actions.ts";
import { piApiMessage } from "./api-message.ts";
import { piCompaction } from "./compact.ts";
import { piFolder } from "./files.ts";
import { piFlattening } from "./flatten.ts";
import { forkPi } from "./fork.ts";

export const piActions: AgentActions = {
  compaction: piCompaction,
  fork: forkPi,
  flattening: piFlattening,
  apiMessage: piApiMessage,
  skills: {
    folders: ({ surroundings }, scope) =>
      scope === "user"
        ? [resolve(surroundings.folder, piFolder(surroundings))]
        : [join(surroundings.folder, ".pi")],
  },
};
