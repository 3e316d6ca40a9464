import { RECALL_MARK } from "../render/agent/recall-packet.ts";
import type { ToolCall, Turn } from "../session/session.ts";

/*
 * What this program told an agent stands in that agent's log. Indexed, the call `sessions search token refresh`
 * would be the best hit of the next search for these words, and its answer, which quotes the sessions that matter,
 * the second best. Only commands that name the program are looked at closer: this stands on the way of every log.
 */

const VERBS = "search|grep|list|show|files|pending|summary|export|retrieve|resume|hook";
/** Where a shell looks for a program, with the assignments and the runners that may stand before it. */
const CALL = new RegExp(
  "(?:^|[;&|({`\\n]|\\b(?:then|do|else|time|xargs)\\s)\\s*" +
    "(?:[A-Za-z_]\\w*=(?:\"[^\"]*\"|'[^']*'|[^\\s;&|]*)\\s+)*" +
    "(?:(?:npx|bunx|pnpm|yarn|npm|deno|node|tsx|env|command)\\s+(?:(?:exec|run|dlx|task|--|-[\\w-]+)\\s+)*)?" +
    "(?:[^\\s;&|()'\"`]*/)?(?:agent-)?sessions(?:\\.c?js)?\\s+(?:--?[\\w-]*\\s+)*" +
    `(?:${VERBS})(?![\\w.-])`,
);
const LONGEST_CALL = 4_000;

/** Does this command line ask this program for old sessions? */
export function asksSessions(command: string): boolean {
  if (!command.includes("sessions")) return false;
  // What follows is what some program reads: a text may speak of a command without running it.
  const hereDocument = command.indexOf("<<");
  return CALL.test(command.slice(0, hereDocument < 0 ? LONGEST_CALL : Math.min(hereDocument, LONGEST_CALL)));
}

/** Is what this call gave back an answer of this program, or what agents are told of it? */
export function isOwnCall({ name, command, files }: Pick<ToolCall, "name" | "command" | "files">): boolean {
  if (command !== undefined) return asksSessions(command) || command.includes(SKILL_FILE);
  return name.startsWith("mcp__sessions__") || files.some(({ path }) => path.endsWith(SKILL_FILE));
}

const SKILL_FILE = "session-finder/SKILL.md";

/** Did the user ask this program, in a shell line of their own? */
export function isOwnTurn({ via, request }: Pick<Turn, "via" | "request">): boolean {
  return via === "bash" && asksSessions(request);
}

/** Did a hook of ours say this? */
export function isRecalled(text: string): boolean {
  return text.startsWith(RECALL_MARK);
}
