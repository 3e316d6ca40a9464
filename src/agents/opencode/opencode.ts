import { basename } from "node:path";
import type { Agent } from "../agent.ts";
import { groupOpencodeFiles, nameOfLog, opencodeRoots, ownsOpencode, readOpencodeState } from "./files.ts";
import { opencodeImport } from "./import-file.ts";
import { mirrorSessions } from "./mirror.ts";
import { createOpencodeParser } from "./parser.ts";
import { opencodeTextRules } from "./text-rules.ts";

export const opencode: Agent = {
  name: "opencode",
  displayName: "opencode",
  placeVariables: ["XDG_DATA_HOME", "OPENCODE_DB"],
  childVariables: ["OPENCODE", "OPENCODE_PID"],
  leafRule: "last-entry",
  mirror: mirrorSessions,
  roots: opencodeRoots,
  owns: ownsOpencode,
  group: groupOpencodeFiles,
  readSideFile: readOpencodeState,
  subagentId: nameOfLog,
  parser: createOpencodeParser,
  textRules: opencodeTextRules,
  resume: ({ id, project }) => ({ command: ["opencode", "--session", id], folder: project }),
  imports: opencodeImport,
  rehoming: {
    keys: [["session", "directory"]],
    place: (relative) => ({ relative: basename(relative) }),
  },
};
