import { type Agent, firstFolder, inFolder } from "../agent.ts";
import {
  encodeQwenFolder,
  groupQwenFiles,
  ownsQwen,
  qwenRoots,
  qwenSubagentId,
  readQwenSideFile,
} from "./files.ts";
import { createQwenParser } from "./parser.ts";
import { qwenTextRules } from "./text-rules.ts";

export const qwen: Agent = {
  name: "qwen",
  displayName: "Qwen Code",
  placeVariables: ["QWEN_RUNTIME_DIR", "QWEN_HOME"],
  childVariables: ["QWEN_CODE"],
  sessionVariable: "QWEN_CODE_SESSION_ID",
  leafRule: "last-entry",
  roots: qwenRoots,
  owns: ownsQwen,
  group: groupQwenFiles,
  readSideFile: readQwenSideFile,
  subagentId: qwenSubagentId,
  parser: createQwenParser,
  textRules: qwenTextRules,
  resume: ({ id, project }) => ({ command: ["qwen", "--resume", id], folder: project }),
  rehoming: {
    keys: [["cwd"]],
    place: (relative, _rootName, project) => inFolder(relative, encodeQwenFolder(project)),
    isOf: (relative, project) => firstFolder(relative) === encodeQwenFolder(project),
  },
};
