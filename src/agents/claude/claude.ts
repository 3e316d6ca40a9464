import { join } from "node:path";
import { isObject, tryParse } from "../../jsonl/json-line.ts";
import { numberAt } from "../../jsonl/values.ts";
import type { Agent, RunningSession } from "../agent.ts";
import { firstFolder, inFolder } from "../rehomed-place.ts";
import { sessionIdAt } from "../session-id.ts";
import {
  agentIdOf,
  claudeFolders,
  claudeRoots,
  encodeProjectPath,
  groupClaudeFiles,
  ownsClaude,
  readClaudeSideFile,
} from "./files.ts";
import { readHistoryLine } from "./history-line.ts";
import { createClaudeParser } from "./parser.ts";

export const claude: Agent = {
  agent: "claude",
  name: "Claude Code",
  placeVariables: ["CLAUDE_CONFIG_DIR"],
  childVariables: ["CLAUDECODE"],
  leafRule: "last-message",
  roots: claudeRoots,
  owns: ownsClaude,
  group: groupClaudeFiles,
  readSidecar: readClaudeSideFile,
  subagentId: (path) => agentIdOf({ path }),
  registry: {
    folders: (surroundings) => claudeFolders(surroundings).map((folder) => join(folder, "sessions")),
    read: readRunning,
  },
  parser: createClaudeParser,
  resume: ({ id, project }) => ({ command: ["claude", "--resume", id], folder: project }),
  rehoming: {
    keys: [["cwd"], ["relocatedCwd"]],
    // Lists of work are below other roots, by session and not by project.
    place: (relative, rootName, project) =>
      rootName === "projects" ? inFolder(relative, encodeProjectPath(project)) : { relative },
    isOf: (relative, project) => firstFolder(relative) === encodeProjectPath(project),
  },
  history: {
    files: (surroundings) => claudeFolders(surroundings).map((folder) => join(folder, "history.jsonl")),
    readLine: readHistoryLine,
  },
  deletesAfterMs: 30 * 24 * 60 * 60 * 1000,
};

function readRunning(text: string): RunningSession | undefined {
  const value = tryParse(text);
  if (!isObject(value)) return undefined;
  const sessionId = sessionIdAt(value, "sessionId");
  const pid = numberAt(value, "pid");
  if (sessionId === undefined || pid === undefined) return undefined;
  // 0 and below name groups of processes, and some process is always in one.
  return Number.isSafeInteger(pid) && pid > 0 ? { sessionId, pid } : undefined;
}
