import {
  type ExitCode,
  exitCodes,
  gravest,
  type OpenHistory,
  type RestoreAnswer,
  type RestoredFile,
  type RestoredSession,
  type ResumeCommand,
  UserError,
} from "../../index.ts";
import { missingNote, movedNote, restoreNotes } from "../../render/restore-notes.ts";
import { shellQuote } from "../../render/words.ts";
import { archivedPositional, type Command, defineCommand, dryRunFlag } from "../command.ts";
import { onlyExample, openHistoryIn } from "../open-history.ts";
import { amountOf } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { sanitize } from "../output/sanitize.ts";
import { shortPath } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Puts archived sessions back where their agent finds them: the same bytes, modes and times, with " +
    "sub-agents and long output. A file with different content is never overwritten unless --force is given; " +
    "then it is archived first, as another generation. If a log continues another one, both are restored.\n\n" +
    "With --into a session moves to another project, or to a renamed one: only the folder named in its lines " +
    "changes. With --to it is written below a folder that replaces the home, for another machine.\n\n" +
    "Sessions of opencode are in a database, so this runs `opencode import` (the `opencode` on the PATH) and " +
    "then checks that the session is there. With --to only the file for that command is written.\n\n" +
    "Folders of another machine (`sessions sync`) are mapped to this one: its home to this home, and others " +
    "by `paths` in config.json, if the folder of the project exists here.",
  examples: [
    { line: "sessions restore 3f542803", says: "restore a deleted session" },
    { line: "sessions restore 3f542803 --into ~/work/shop", says: "into another project" },
    { line: "sessions restore --all --to /mnt/other-home --dry-run", says: "show what would be written" },
  ],
  positionals: [archivedPositional],
  flags: {
    all: { type: "boolean", description: "all archived sessions of this machine, or of --machine" },
    machine: {
      type: "string",
      placeholder: "NAME",
      values: "machine",
      description: "sessions of this machine",
    },
    to: {
      type: "string",
      placeholder: "DIR",
      values: "file",
      description: "write below this folder, as if it were the home",
    },
    into: {
      type: "string",
      placeholder: "PROJECT_DIR",
      values: "file",
      description: "restore into this project",
    },
    generation: {
      type: "number",
      min: 1,
      placeholder: "N",
      description: "an earlier state of a rewritten log",
    },
    touch: { type: "boolean", description: "set the current time, so that no agent deletes it as old" },
    force: { type: "boolean", description: "overwrite other content; it is archived first" },
    "dry-run": dryRunFlag,
    "all-copies": { type: "boolean", description: "take every log with that id" },
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    if (flags.all === positionals.length > 0) {
      throw new UserError(
        flags.all
          ? "Cannot restore: name sessions or give --all, not both"
          : "Cannot restore: no session is named",
        { exitCode: exitCodes.wrongUsage, hint: "`sessions restore ID`, or `sessions restore --all`" },
      );
    }
    const answer = await history.restore(flags.all ? "all" : positionals, {
      machine: flags.machine,
      to: flags.to,
      into: flags.into,
      generation: flags.generation,
      touch: flags.touch,
      force: flags.force,
      dryRun: flags["dry-run"],
      everywhere: flags.everywhere,
      allCopies: flags["all-copies"],
    });
    const failures = flags["dry-run"] ? [] : await takeIn(answer, history, world);
    if (flags.json) printJson(world, restoreJson(answer, failures));
    else {
      world.stdout.write(onlyExample(history) ?? format(answer, world, failures));
      reportProblems(answer.problems, world);
    }
    return gravest([exitCodeOf(answer), failures.length > 0 ? exitCodes.withProblems : exitCodes.done]);
  },
});

/** A session that its agent did not import. */
interface ImportFailure {
  readonly session: RestoredSession;
  /** The commands that failed; all of them, if each reported success but the session is not there. */
  readonly commands: readonly FailedCommand[];
}

interface FailedCommand {
  readonly command: ResumeCommand;
  /** The last line of what it wrote to stderr; null if there is none. */
  readonly error: string | null;
}

/** Runs the import commands of agents, and checks whether the sessions are there afterwards. */
async function takeIn(
  { sessions }: RestoreAnswer,
  history: OpenHistory,
  world: World,
): Promise<readonly ImportFailure[]> {
  const failures: ImportFailure[] = [];
  for (const session of sessions) {
    if (session.imports.length === 0) continue;
    const ran: (FailedCommand & { readonly isDone: boolean })[] = [];
    for (const command of session.imports) {
      const [program = "", ...args] = command.command;
      const folder = command.folder !== null && isFolder(command.folder, world) ? command.folder : undefined;
      let errors = "";
      const code = await world.run(program, args, {
        quiet: true,
        takeErrors: (text) => (errors = text),
        ...(folder === undefined ? {} : { folder }),
      });
      const error = code === undefined ? `there is no program ${program}` : lastLine(errors);
      ran.push({ command, isDone: code === 0, error: error === null ? null : history.mask(error) });
    }
    const failed = ran.filter(({ isDone }) => !isDone);
    if (failed.length > 0) failures.push({ session, commands: failed });
    else if (!(await history.finishImport(session))) failures.push({ session, commands: ran });
  }
  return failures;
}

function lastLine(text: string): string | null {
  const lines = sanitize(text, "lines").split("\n");
  return lines.findLast((line) => line.trim() !== "")?.trim() ?? null;
}

function isFolder(path: string, { disk }: World): boolean {
  return !path.includes("\0") && disk.stat(path)?.kind === "folder";
}

function exitCodeOf({ sessions, problems }: RestoreAnswer): ExitCode {
  const codes: ExitCode[] = sessions.map(({ outcome }) => {
    if (outcome === "refused") return exitCodes.refused;
    return outcome === "damaged" ? exitCodes.withProblems : exitCodes.done;
  });
  return gravest([...codes, problems.length > 0 ? exitCodes.withProblems : exitCodes.done]);
}

function restoreJson(
  { dryRun, sessions, problems }: RestoreAnswer,
  failures: readonly ImportFailure[],
): object {
  const failureOf = (session: RestoredSession): ImportFailure | undefined =>
    failures.find((failure) => failure.session === session);
  return {
    dryRun,
    sessions: sessions.map((session) => {
      const { id, agent, copy: _copy, resume, imports, ...rest } = session;
      const failure = failureOf(session);
      return {
        sessionId: id,
        agent,
        ...rest,
        ...(failure === undefined ? {} : { outcome: "failed" }),
        resume: shellQuote(resume.command),
        folder: resume.folder,
        imports: imports.map((each) => {
          const failed = failure?.commands.find(({ command }) => command === each);
          const error = failed?.error ?? null;
          return { command: shellQuote(each.command), failed: failed !== undefined, error };
        }),
      };
    }),
    problems,
  };
}

/** Above this number, the rest is only counted. */
const MAX_LISTED = 20;

function format(
  { sessions, dryRun }: RestoreAnswer,
  world: World,
  failures: readonly ImportFailure[],
): string {
  const style = createStyle(world.stdout.hasColor);
  const shown = sessions.filter(({ outcome }) => outcome !== "unchanged");
  const isFailed = (session: RestoredSession): boolean => failures.some((each) => each.session === session);
  const lines = shown
    .slice(0, MAX_LISTED)
    .flatMap((session) => linesOf(session, dryRun || isFailed(session), world));
  if (shown.length > MAX_LISTED)
    lines.push(style.dim(`and ${amountOf(shown.length - MAX_LISTED, "more", "more")}`));
  const count = (outcome: RestoredSession["outcome"]): number =>
    sessions.filter((session) => session.outcome === outcome).length;
  const done = dryRun ? "would be restored" : "restored";
  const failed = failures.length;
  const parts = [
    `${amountOf(count("restored") - failed, "session")} ${done}`,
    ...(failed > 0 ? [style.red(`${failed} not taken in`)] : []),
    ...(count("unchanged") > 0 ? [`${count("unchanged")} already exist`] : []),
    ...(count("refused") > 0 ? [style.red(`${count("refused")} refused`)] : []),
    ...(count("damaged") > 0 ? [style.red(`${count("damaged")} damaged`)] : []),
  ];
  lines.push(`${parts.join(", ")}.`);
  if (sessions.some(({ mayBeSwept, outcome }) => mayBeSwept && outcome === "restored")) {
    lines.push(
      style.yellow(
        "Their agent deletes logs older than 30 days unless its settings say otherwise: --touch sets the current time.",
      ),
    );
  }
  for (const { command, error } of failures.flatMap(({ commands }) => commands)) {
    const { command: words, folder } = command;
    const line = `${folder === null ? "" : `cd ${shellQuote([folder])} && `}${shellQuote(words)}`;
    const why = error === null ? "" : ` (${error})`;
    const what = `${words[0] ?? ""} did not import it${why}; to do that by hand: ${line}`;
    lines.push(style.red(sanitize(what)));
  }
  return lines.map((line) => `${line}\n`).join("");
}

const ACTIONS: Readonly<Record<RestoredFile["action"], string>> = {
  written: "",
  identical: "already exists",
  grown: "exists, and has grown since",
  different: "exists with different content; --force archives that and replaces it",
  blocked: "can't be read, is not a file, or is a link out of the log folders: move it away first",
  packed: "is its log, packed or unpacked, so its agent would find the session twice: move it away first",
  outside: "is not a place where its agent keeps this session",
  damaged: "is damaged in the archive",
};

/** What restoring a session would do, or why it can't be restored, in the words of the picker's question. */
export function restorePlanLines(session: RestoredSession, home: string): readonly string[] {
  const { outcome, files } = session;
  const isGood = outcome === "restored";
  const shown = files.filter(({ action, role }) => (isGood ? role === "main" : action !== "written"));
  const notes = restoreNotes(session, "--into PROJECT_DIR").map((note) => sanitize(note));
  return [
    ...shown.slice(0, MAX_LISTED).map(({ path, action }) => {
      const what = ACTIONS[action];
      return `${sanitize(shortPath(path, home))}${what === "" ? "" : ` ${what}`}`;
    }),
    ...notes,
  ];
}

function linesOf(session: RestoredSession, isOpen: boolean, world: World): readonly string[] {
  const style = createStyle(world.stdout.hasColor);
  const { id, outcome, files, replaced, resume } = session;
  const isGood = outcome === "restored";
  const listed = files.filter(
    ({ action, role }) => (isGood ? action === "written" : action !== "written") || role === "main",
  );
  const lines = [style.bold(sanitize(id))];
  for (const { path, action } of listed.slice(0, MAX_LISTED)) {
    const what = ACTIONS[action];
    lines.push(`  ${sanitize(shortPath(path, world.home))}${what === "" ? "" : style.yellow(`  ${what}`)}`);
  }
  if (listed.length > MAX_LISTED)
    lines.push(style.dim(`  and ${amountOf(listed.length - MAX_LISTED, "more file")}`));
  const moved = movedNote(session);
  if (moved !== null) lines.push(style.dim(`  ${sanitize(moved)}`));
  const missing = missingNote(session, "--into PROJECT_DIR");
  if (missing !== null) lines.push(style.yellow(`  ${sanitize(missing)}`));
  if (replaced !== null)
    lines.push(style.dim(`  the replaced file is generation ${replaced} in the archive`));
  if (session.markers > 0) {
    const path = shellQuote([files.find(({ role }) => role === "main")?.path ?? id]);
    const blocks = session.blocks === 0 ? "copies of results" : amountOf(session.blocks, "block");
    const what = `it is flattened: ${blocks} can be put back with`;
    lines.push(style.yellow(`  ${what} sessions unflatten ${sanitize(path)}`));
  }
  if (isGood && !isOpen) {
    const folder = resume.folder === null ? "" : `cd ${shellQuote([resume.folder])} && `;
    lines.push(style.cyan(`  ${sanitize(`${folder}${shellQuote(resume.command)}`)}`));
  }
  return lines;
}
