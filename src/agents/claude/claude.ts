import { join } from "node:path";
import { isObject, type JsonObject, readJsonLine, tryParse } from "../../jsonl/json-line.ts";
import type { Line } from "../../jsonl/lines.ts";
import { numberAt, objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import { type Agent, firstFolder, type HistoryPrompt, inFolder, type RunningSession } from "../agent.ts";
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
import { createClaudeParser } from "./parser.ts";
import { claudeTextRules } from "./text-rules.ts";

export const claude: Agent = {
  name: "claude",
  displayName: "Claude Code",
  placeVariables: ["CLAUDE_CONFIG_DIR"],
  childVariables: ["CLAUDECODE"],
  sessionVariable: "CLAUDE_CODE_SESSION_ID",
  projectVariable: "CLAUDE_PROJECT_DIR",
  leafRule: "last-message",
  roots: claudeRoots,
  owns: ownsClaude,
  group: groupClaudeFiles,
  readSideFile: readClaudeSideFile,
  subagentId: (path) => agentIdOf({ path }),
  registry: {
    folders: (environment) => claudeFolders(environment).map((folder) => join(folder, "sessions")),
    read: readRunning,
  },
  parser: createClaudeParser,
  textRules: claudeTextRules,
  resume: ({ id, project }) => ({ command: ["claude", "--resume", id], folder: project }),
  rehoming: {
    keys: [["cwd"], ["relocatedCwd"]],
    // Todo lists are below other roots, by session and not by project.
    place: (relative, rootName, project) =>
      rootName === "projects" ? inFolder(relative, encodeProjectPath(project)) : { relative },
    isOf: (relative, project) => firstFolder(relative) === encodeProjectPath(project),
  },
  history: {
    files: (environment) => claudeFolders(environment).map((folder) => join(folder, "history.jsonl")),
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

/** A command without arguments requests nothing. */
const BARE_COMMAND = /^\/[\w:-]+\s*$/;
const PASTED = /\[(?:Pasted text|Image) #(\d+)[^\]]*\]/g;

/** The prompts on a line of history.jsonl, which outlives the logs; none if it is not a request of the user. */
function readHistoryLine(line: Line): readonly HistoryPrompt[] {
  return readJsonLine(line.bytes, line.ended).objects.flatMap((object) => {
    const display = stringAt(object, "display");
    if (display === undefined || display.trim() === "" || BARE_COMMAND.test(display)) return [];
    return [
      {
        // Read in the same way as the names of logs.
        sessionId: sessionIdAt(object, "sessionId")?.toLowerCase() ?? null,
        project: stringAt(object, "project") ?? null,
        at: timeAt(object, "timestamp") ?? null,
        text: withPasted(display, objectAt(object, "pastedContents")),
      },
    ];
  });
}

/** Replaces the placeholder of pasted text by the text, if the line has it. */
function withPasted(display: string, pasted: JsonObject | undefined): string {
  if (pasted === undefined) return display;
  return display.replace(PASTED, (holder, number: string) => {
    const entry = pasted[number];
    return (isObject(entry) ? stringAt(entry, "content") : undefined) ?? holder;
  });
}
