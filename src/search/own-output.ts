import { QUOTE_HEAD } from "../render/agent/quote-text.ts";
import { RECALL_MARK } from "../render/agent/recall-packet.ts";
import type { ToolCall, Turn } from "../session/session.ts";

/*
 * Excludes our own output. An agent's log has the call `sessions search token refresh` and its answer: indexed, they
 * would be the best hits of the next search for these words.
 */

/** Commands that print text of old sessions; the other commands of the table do not. */
export const historyCommands = [
  "search",
  "grep",
  "list",
  "projects",
  "show",
  "files",
  "pending",
  "summary",
  "export",
  "retrieve",
  "resume",
  "pick",
  "hook",
  "retention",
] as const;
/** A call of this program in a shell command, with the assignments and runners that may come before it. */
const CALL = new RegExp(
  "(?:^|[;&|({`\\n]|\\b(?:then|do|else|time|xargs)\\s)\\s*" +
    "(?:[A-Za-z_]\\w*=(?:\"[^\"]*\"|'[^']*'|[^\\s;&|]*)\\s+)*" +
    "(?:(?:npx|bunx|pnpm|yarn|npm|deno|node|tsx|env|command)\\s+(?:(?:exec|run|dlx|task|--|-[\\w-]+)\\s+)*)?" +
    "(?:[^\\s;&|()'\"`]*/)?(?:agent-)?sessions(?:\\.c?js)?\\s+(?:--?[\\w-]*\\s+)*" +
    `(?:${historyCommands.join("|")})(?![\\w.-])`,
);
const LONGEST_CALL = 4_000;

/** Whether a command line runs this program to read old sessions. */
export function asksSessions(command: string): boolean {
  if (!command.includes("sessions")) return false;
  // A here document is input of a program: it may mention a command without running it.
  const hereDocument = command.indexOf("<<");
  return CALL.test(command.slice(0, hereDocument < 0 ? LONGEST_CALL : Math.min(hereDocument, LONGEST_CALL)));
}

/** Whether the result of a call is output of this program, or its skill. */
export function isOwnCall({
  name,
  command,
  files,
  result,
}: Pick<ToolCall, "name" | "command" | "files" | "result">): boolean {
  if (isOwnText(result?.text.trimStart() ?? "")) return true;
  if (command !== undefined) return asksSessions(command) || command.includes(SKILL_FILE);
  return OWN_TOOL.test(name) || files.some(({ path }) => path.endsWith(SKILL_FILE));
}

/** The tools of our MCP server. */
export const serverTools = [
  "search_sessions",
  "read_session",
  "list_sessions",
  "list_projects",
  "find_file_history",
  "pending_work",
  "session_summary",
  "archive_session",
  "flatten_session",
  "unflatten_session",
  "retrieve_flattened",
] as const;
/**
 * A tool of our MCP server, with the server's name before it and, if a plugin provides the server, the plugin's.
 * Agents join them in different ways: `mcp__sessions__read_session`, `sessions-read_session`,
 * `sessions_read_session`. Or a tool of one of our extensions.
 */
const OWN_TOOL = new RegExp(
  `^(?:(?:.*[^a-z])?(?:agent-)?sessions[^a-z]+(?:${serverTools.join("|")})|sessions_(?:search|read))$`,
  "i",
);
const SKILL_FILE = "session-finder/SKILL.md";

/** Whether the user ran this program from the agent's shell prompt. */
export function isOwnTurn({ via, request }: Pick<Turn, "via" | "request">): boolean {
  return via === "bash" && asksSessions(request);
}

/** Whether a text is from our own hook or extension. */
export function isOwnText(text: string): boolean {
  return text.startsWith(RECALL_MARK) || text.startsWith(QUOTE_HEAD);
}
