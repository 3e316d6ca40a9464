import {
  type CompactAnswer,
  type ExitCode,
  exitCodes,
  type FlattenAnswer,
  gravest,
  type History,
  type Problem,
  type RewriteCallOptions,
  type SelectedSession,
  type UnflattenAnswer,
  UserError,
} from "../index.ts";
import { formatNumber, shellQuote } from "../render/words.ts";
import { amountOf, formatBytes } from "./output/amounts.ts";
import { printJson } from "./output/print-json.ts";
import { reportProblems } from "./output/problems.ts";
import { sanitize } from "./output/sanitize.ts";
import { shortPath } from "./output/session-table.ts";
import { createStyle } from "./output/style.ts";
import { wrapMessage } from "./output/text-width.ts";
import type { World } from "./world.ts";

/** Flags that flatten and unflatten share. */
export const flattenFlags = {
  force: { type: "boolean", description: "even if the log changed within the last 10 seconds" },
  bak: { type: "boolean", description: "also write the old log to FILE.bak" },
  "exact-tokens": {
    type: "boolean",
    description: "count tokens with Anthropic's API (needs ANTHROPIC_API_KEY; sends the conversation there)",
  },
  "all-copies": { type: "boolean", description: "take every log with that id" },
  everywhere: { type: "boolean", description: "with last: in all projects" },
  "all-matching": {
    type: "boolean",
    description: "every session with these words in its title, branch or first request",
  },
} as const;

/** The named sessions, or with --all-matching all that match. */
export function selectForFlattening(
  history: History,
  words: readonly string[],
  flags: {
    readonly everywhere: boolean;
    readonly "all-matching": boolean;
    readonly "all-copies": boolean;
  },
): Promise<readonly SelectedSession[]> {
  return flags["all-matching"]
    ? history.matching(words)
    : history.select(words, {
        everywhere: flags.everywhere,
        forWriting: true,
        allCopies: flags["all-copies"],
      });
}

type Answer = FlattenAnswer | UnflattenAnswer;

interface Flags {
  readonly json: boolean;
  readonly "dry-run": boolean;
  readonly force: boolean;
  readonly bak: boolean;
  readonly "exact-tokens": boolean;
}

/** The outcome for several sessions. */
interface Outcomes<T> {
  readonly answers: readonly T[];
  readonly problems: readonly Problem[];
  readonly code: ExitCode;
}

/** Does the same to several sessions. If one is refused, the others are still done. */
export async function forEachSession<T extends CompactAnswer | Answer>(
  sessions: readonly SelectedSession[],
  work: (session: SelectedSession) => Promise<T>,
): Promise<Outcomes<T>> {
  const answers: T[] = [];
  const problems: Problem[] = [];
  const codes: ExitCode[] = [];
  for (const session of sessions) {
    try {
      const answer = await work(session);
      answers.push(answer);
      if (!("problems" in answer) || answer.problems.length === 0) continue;
      problems.push(...answer.problems);
      codes.push(exitCodes.withProblems);
    } catch (error) {
      // With one session this is the command's error; with several, the others go on.
      if (!(error instanceof UserError) || sessions.length < 2) throw error;
      codes.push(error.exitCode === exitCodes.nothingFound ? exitCodes.withProblems : error.exitCode);
      const path = session.others.length === 0 ? session.id : (session.files.files[0]?.path ?? session.id);
      problems.push({ path, line: 0, what: error.message });
    }
  }
  return { answers, problems, code: gravest(codes) };
}

/** Flattens or unflattens sessions, and prints the outcome. */
export async function runOnSessions(
  world: World,
  { mask }: Pick<History, "mask">,
  sessions: readonly SelectedSession[],
  flags: Flags,
  verb: "flatten" | "unflatten",
  work: (
    session: SelectedSession,
    how: RewriteCallOptions & { readonly exactTokens: boolean },
  ) => Promise<Answer>,
): Promise<number> {
  const { force, bak } = flags;
  const how = { dryRun: flags["dry-run"], force, bak, exactTokens: flags["exact-tokens"] };
  const { answers, problems, code } = await forEachSession(sessions, (session) => work(session, how));
  if (flags.json) printJson(world, { sessions: answers.map(toJson), problems: mask(problems) });
  else {
    world.stdout.write(answers.map((answer) => format(answer, verb, world)).join(""));
    reportProblems(mask(problems), world);
  }
  return code;
}

function toJson(answer: Answer): object {
  const { id, agent, dryRun, resume, fork, ...rest } = answer;
  return {
    sessionId: id,
    agent,
    dryRun,
    ...rest,
    ...("problems" in answer ? { problems: answer.problems.map(({ what }) => what) } : {}),
    fork: fork === null ? null : { sessionId: fork.id, source: fork.path },
    resume: shellQuote(resume.command),
  };
}

function format(answer: Answer, verb: "flatten" | "unflatten", world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const { id, dryRun, blocks, sidecar, fork, backup, resume } = answer;
  const path = (text: string): string => sanitize(shortPath(text, world.home));
  const lines = [style.bold(sanitize(id))];
  if (answer.otherCopies.length > 0) lines.push(`  ${path(answer.source)}`);
  if (blocks === 0 && answer.diskBytesSaved === 0) {
    lines.push(verb === "flatten" ? "  nothing to flatten" : unflattenNothing(answer));
    return lines.map((line) => `${line}\n`).join("");
  }
  const would = dryRun ? "would be " : "";
  lines.push(`  ${amountOf(blocks, "block")} ${would}${verb === "flatten" ? "moved out" : "put back"}`);
  lines.push(wrapMessage(`  ${amounts(answer)}`, world.stdout.columns));
  if ("fromArchive" in answer && answer.fromArchive > 0)
    lines.push(
      wrapMessage(
        `  ${formatNumber(answer.fromArchive)} of these and of their copies came from the archive`,
        world.stdout.columns,
      ),
    );
  if ("isExact" in answer && !answer.isExact) {
    const isSure = answer.problems.length === 0;
    const changed = "earlier lines have been changed by another program since; they stay as they are";
    const says = `  ${isSure ? changed : "not every byte could be verified"}`;
    lines.push(style.yellow(wrapMessage(says, world.stdout.columns)));
  }
  if (fork !== null) lines.push(`  new session ${sanitize(fork.id)}: ${path(fork.path)}`);
  if (sidecar !== null && !dryRun) lines.push(style.dim(`  sidecar: ${path(sidecar)}`));
  if (backup !== null) {
    const says = `  the log before this is archived as generation ${backup}`;
    lines.push(style.dim(wrapMessage(says, world.stdout.columns)));
  }
  if (!dryRun) {
    const folder = resume.folder === null ? "" : `cd ${shellQuote([resume.folder])} && `;
    lines.push(`  resume with: ${sanitize(`${folder}${shellQuote(resume.command)}`)}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function unflattenNothing(answer: Answer): string {
  if (!("wasFlat" in answer) || !answer.wasFlat) return "  it is not flattened";
  return answer.problems.length > 0 ? "  nothing could be put back" : "  nothing left to put back";
}

function amounts({ diskBytesSaved, contextTokensSaved, contextTokensTotal }: Answer): string {
  const isLess = diskBytesSaved >= 0;
  const bytes = `${formatBytes(Math.abs(diskBytesSaved))} ${isLess ? "less" : "more"} on disk`;
  const tokens = formatNumber(Math.abs(contextTokensSaved));
  return contextTokensSaved < 0
    ? `${bytes}, ${tokens} context tokens added`
    : `${bytes}, ${tokens} of ${formatNumber(contextTokensTotal)} context tokens saved`;
}
