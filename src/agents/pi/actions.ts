import { join, resolve } from "node:path";
import type { AgentActions } from "../agent-actions.ts";
import { sharedSkills } from "../shared-skills.ts";
import { piApiMessage } from "./api-message.ts";
import { piBranches } from "./branch.ts";
import { piCompaction } from "./compact.ts";
import { piExtension } from "./extension.ts";
import { piFolder } from "./files.ts";
import { piFlattening } from "./flatten.ts";
import { forkPi } from "./fork.ts";
import { piSummaryForm } from "./summary.ts";

export const piActions: AgentActions = {
  compaction: piCompaction,
  fork: forkPi,
  flattening: piFlattening,
  apiMessage: piApiMessage,
  summary: piSummaryForm,
  branches: piBranches,
  extension: piExtension,
  skills: {
    folders: ({ environment }, scope) =>
      scope === "user"
        ? [resolve(environment.folder, piFolder(environment))]
        : [join(environment.folder, ".pi")],
    alsoReads: sharedSkills,
  },
};
