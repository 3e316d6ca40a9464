import * as z from "zod/mini";
import {
  exitCodes,
  FLATTEN_MIN_BYTES,
  type FlattenAnswer,
  type OpenHistory,
  type SelectedSession,
  type UnflattenAnswer,
  UserError,
} from "../../index.ts";
import type { AgentAnswer, AnswerItem } from "../../render/agent/page-answer.ts";
import { countOf, formatNumber, shellQuote } from "../../render/words.ts";
import { logKey } from "../../session/session.ts";
import { sessionLine } from "../answers/session-line.ts";
import {
  defineTool,
  flag,
  type McpTool,
  type SessionInput,
  selectorOf,
  sessionShape,
  type ToolContext,
  whole,
} from "./tool.ts";

export const archiveTool: McpTool = defineTool({
  name: "archive_session",
  title: "Archive a session",
  description:
    "Archive a session now, its exact bytes and a readable markdown copy, so that nothing of it is ever lost. It changes " +
    "nothing in the session and may be running. The answer names the copy.",
  input: sessionShape,
  isReadOnly: false,
  async run(input, context) {
    const history = await context.open(input.project_dir);
    const selector = selectorOf(input);
    const { archived, unchanged, problems } = await history.archive(selector, { signal: context.signal });
    const copies = unchanged === 0 ? [] : await history.select(selector, { allCopies: true });
    const texts = [
      ...archived.map(
        ({ id, markdown, bytes, generation, sha256 }) =>
          `session ${id} archived: ${markdown ?? "bytes only"}\n  ${formatNumber(bytes)} bytes, generation ${generation}, sha256 ${sha256 ?? "unknown"}`,
      ),
      ...copies
        .filter(({ key }) => !archived.some((each) => logKey(each) === key))
        .map(({ id, archive }) => `session ${id}: ${archive ?? "bytes only"}`),
      ...problems.map(({ path, line, what }) => `problem: ${path}:${line}: ${what}`),
    ];
    const what =
      archived.length > 0
        ? `${countOf(archived.length, "log")} archived.`
        : "Already archived; nothing has changed since.";
    return { says: [what], items: history.mask(texts).map((text, at) => ({ at, text })) };
  },
});

const rewriteShape = {
  ...sessionShape,
  dry_run: z._default(flag("Report what would be done without changing files."), false),
  force: z._default(
    flag("Accepted, but a session that may be in use is never rewritten, whatever it says."),
    false,
  ),
};

export const flattenTool: McpTool = defineTool({
  name: "flatten_session",
  title: "Flatten a session",
  description:
    "Reduce a session's file size and context tokens by moving bulky tool results (long output, screenshots) to a sidecar file. " +
    "A lightweight [FLATTENED …] marker takes their place; every prompt and event stays verbatim, and it resumes with far fewer " +
    "context tokens. Archived first, crash-safe, fully reversible with unflatten_session. Reports diskBytesSaved and " +
    "contextTokensSaved of contextTokensTotal (estimated locally). A session in use, such as the one that you are in, is never " +
    "rewritten: a flattened copy is made as a new session, and the answer has its resume command. A keyword instead of an id " +
    "changes nothing and returns the matching sessions. Claude Code and Pi only.",
  input: {
    ...rewriteShape,
    min_size: z._default(
      whole(0, 1_000_000_000, "Only flatten tool results larger than this many bytes."),
      FLATTEN_MIN_BYTES,
    ),
    include_tool_use_result: z._default(
      flag("Also flatten the copy of each result that Claude Code keeps for its own display (lossless)."),
      true,
    ),
  },
  isReadOnly: false,
  run: ({ dry_run, min_size, include_tool_use_result, ...input }, context) =>
    rewrite("flatten_session", input, context, async (history, session) => {
      const how = { minBytes: min_size, copies: include_tool_use_result, signal: context.signal };
      const inCopy = (): Promise<FlattenAnswer> => history.flatten(session, { ...how, fork: true });
      if (dry_run) return history.flatten(session, { ...how, dryRun: true });
      if (session.id === context.callingSession) return inCopy();
      try {
        return await history.flatten(session, how);
      } catch (error) {
        if (isRefused(error)) return inCopy();
        throw error;
      }
    }),
});

export const unflattenTool: McpTool = defineTool({
  name: "unflatten_session",
  title: "Unflatten a session",
  description:
    "Put every tool result that flatten_session moved out of a session back into it, byte for byte. A session " +
    "in use is refused; retrieve_flattened gets a single result without changing anything.",
  input: rewriteShape,
  isReadOnly: false,
  run: ({ dry_run, ...input }, context) =>
    rewrite("unflatten_session", input, context, async (history, session) => {
      if (session.id === context.callingSession && !dry_run) {
        throw new UserError(`Cannot rewrite session ${session.id}: it is the one that you are in`, {
          exitCode: exitCodes.refused,
          hint: "Use retrieve_flattened for single results, or let the user run it after this session has ended",
        });
      }
      return history.unflatten(session, { dryRun: dry_run, signal: context.signal });
    }),
});

function isRefused(error: unknown): boolean {
  return error instanceof UserError && error.exitCode === exitCodes.refused;
}

/** Rewrites the named sessions, or lists the sessions that match a keyword. */
async function rewrite(
  tool: string,
  input: SessionInput,
  context: ToolContext,
  work: (history: OpenHistory, session: SelectedSession) => Promise<FlattenAnswer | UnflattenAnswer>,
): Promise<AgentAnswer> {
  const history = await context.open(input.project_dir);
  const selector = selectorOf(input);
  let sessions: readonly SelectedSession[];
  try {
    sessions = await history.select(selector, { forWriting: true });
  } catch (error) {
    const isKeyword =
      error instanceof UserError &&
      error.exitCode === exitCodes.nothingFound &&
      selector[0] !== "last" &&
      selector[0] !== "current";
    if (!isKeyword) throw error;
    return matches(tool, history, selector, context);
  }
  const done: { readonly session: SelectedSession; readonly text: string }[] = [];
  for (const session of sessions) {
    try {
      done.push({ session, text: rewriteText(await work(history, session)) });
    } catch (error) {
      if (!(error instanceof UserError) || sessions.length === 1) throw error;
      done.push({ session, text: `session ${session.id}: ${error.message}` });
    }
  }
  return { says: [], items: history.mask(done).map(({ text }, at): AnswerItem => ({ at, text })) };
}

/** Lists the sessions that match a keyword: an agent that meant one must not change several. */
async function matches(
  tool: string,
  history: OpenHistory,
  words: readonly string[],
  { callingSession, signal }: ToolContext,
): Promise<AgentAnswer> {
  const found = new Set((await history.matching(words, { signal })).map(({ agent, id }) => `${agent}:${id}`));
  const { rows } = await history.list({ signal });
  const matching = rows.filter(({ digest }) => found.has(`${digest.agent}:${digest.id}`));
  return {
    says: [
      `No session has this id. ${countOf(matching.length, "session")} with this keyword; nothing was changed. Call ${tool} again with the id of the one that is meant.`,
    ],
    items: matching.map((row, at) => ({ at, text: sessionLine(row, callingSession) })),
  };
}

function rewriteText(answer: FlattenAnswer | UnflattenAnswer): string {
  const {
    id,
    dryRun,
    blocks,
    diskBytesSaved,
    contextTokensSaved,
    contextTokensTotal,
    sidecar,
    fork,
    backup,
    resume,
  } = answer;
  const isUnflatten = "wasFlat" in answer;
  if (blocks === 0 && diskBytesSaved === 0) {
    return `session ${id}: ${isUnflatten ? (answer.wasFlat ? "nothing left to put back" : "it is not flattened") : "nothing to flatten"}; unchanged`;
  }
  const would = dryRun ? "would be " : "";
  const lines = [
    `session ${id}: ${countOf(blocks, "block")} ${would}${isUnflatten ? "put back" : "moved out"}${dryRun ? " (dry run: nothing was changed)" : ""}`,
    `  diskBytesSaved ${diskBytesSaved}, contextTokensSaved ${contextTokensSaved} of contextTokensTotal ${contextTokensTotal} (estimated)`,
    ...("problems" in answer ? answer.problems.map(({ what }) => `  problem: ${what}`) : []),
  ];
  if (fork !== null) {
    lines.push(
      `  It may be in use, so it was left unchanged; the flattened copy is the new session ${fork.id}: ${fork.path}`,
    );
  }
  if (sidecar !== null && !dryRun) lines.push(`  sidecar: ${sidecar}`);
  if (backup !== null) lines.push(`  the log before this is archived as generation ${backup}`);
  if (!dryRun) {
    const folder = resume.folder === null ? "" : `cd ${shellQuote([resume.folder])} && `;
    lines.push(`  resume with: ${folder}${shellQuote(resume.command)}`);
  }
  return lines.join("\n");
}
