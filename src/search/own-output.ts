import { QUOTE_HEAD } from "../render/agent/quote-text.ts";
import { RECALL_MARK } from "../render/agent/recall-packet.ts";
import type { ToolCall, Turn } from "../session/session.ts";

/*
 * Our own output is excluded. An agent's log has the call `sessions search token refresh` and its answer: indexed, they
 * would be the best hits of the next search for these words.
 */

/** Commands that print what old sessions say; every other command of the table prints nothing that they say. */
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
export function isOwnCall({ name, command, files }: Pick<ToolCall, "name" | "command" | "files">): boolean {
  if (command !== undefined) return asksSessions(command) || command.includes(SKILL_FILE);
  return OWN_TOOL.test(name) || files.some(({ path }) => path.endsWith(SKILL_FILE));
}

/** A tool of our MCP server, also as agents name it if a plugin brings the server; or one of our extensions. */
const OWN_TOOL = /^(?:mcp__(?:plugin_[\w-]+_)?(?:agent-)?sessions__|sessions_(?:search|read)$)/;
const SKILL_FILE = "session-finder/SKILL.md";

/** Whether the user ran this program from the agent's shell prompt. */
export function isOwnTurn({ via, request }: Pick<Turn, "via" | "request">): boolean {
  return via === "bash" && asksSessions(request);
}

/** Whether a text is from our own hook or extension. */
export function isOwnText(text: string): boolean {
  return text.startsWith(RECALL_MARK) || text.startsWith(QUOTE_HEAD);
}
