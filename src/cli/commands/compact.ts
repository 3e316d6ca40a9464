import { actionsOf, agentsThat } from "../../agents/actions.ts";
import {
  type CompactAnswer,
  exitCodes,
  type SelectedSession,
  type TokenEstimate,
  UserError,
} from "../../index.ts";
import { formatNumber, logSelector, shellQuote } from "../../render/words.ts";
import {
  type Command,
  defineCommand,
  dryRunFlag,
  type Flag,
  type FlagTable,
  type FlagValue,
  sessionPositional,
} from "../command.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { sanitize } from "../output/sanitize.ts";
import { shortPath } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import { formatTable } from "../output/table.ts";
import { wrapMessage } from "../output/text-width.ts";
import { forEachSession } from "../run-on-sessions.ts";
import { checkWhenIdle, loggedIfWaiting, startWhenIdle, whenIdleFlags } from "../when-idle.ts";
import type { World } from "../world.ts";
import { resumeLine, runResume } from "./resume.ts";

export const command: Command = defineCommand({
  description:
    "Makes a session smaller, so that it can be resumed with room left. Every byte is archived first: `sessions " +
    "restore ID --generation N` restores the old log, and search still finds everything.\n\n" +
    agentsThat("compaction")
      .map(({ agent, how }) => `${agent.displayName}: ${how.description}. `)
      .join("") +
    "A running session is not changed: --fork writes the smaller one as a new session, --when-idle waits for its end.",
  examples: [
    { line: "sessions compact last --dry-run", says: "show what it would save" },
    { line: "sessions compact 3f542803 --aggressive", says: "shrink smaller parts, too" },
    { line: "sessions compact current --fork", says: "write a smaller copy of the running session" },
  ],
  positionals: [sessionPositional],
  flags: {
    "dry-run": dryRunFlag,
    ...optionFlags(),
    auto: { type: "boolean", description: "only if the session is past its agent's own threshold" },
    force: { type: "boolean", description: "even if the log changed within the last 10 seconds" },
    fork: {
      type: "boolean",
      description: "write the smaller one as a new session, and leave this one unchanged",
    },
    ...whenIdleFlags,
    reconnect: { type: "boolean", description: "run the agent's resume command afterwards" },
    bak: { type: "boolean", description: "also write the old log to FILE.bak" },
    "all-copies": { type: "boolean", description: "take every log with that id" },
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, positionals }, world) {
    checkWhenIdle(flags);
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: flags["dry-run"] && !namesFile(positionals),
    });
    const sessions = await history.select(positionals, {
      everywhere: flags.everywhere,
      forWriting: true,
      allCopies: flags["all-copies"],
    });
    const [session, ...others] = sessions;
    if (session === undefined || (others.length > 0 && !isOneId(sessions))) {
      throw new UserError(`Cannot take ${sessions.length} sessions: this command works on one`, {
        exitCode: exitCodes.wrongUsage,
        hint: "name a single session; `sessions list` shows their ids",
      });
    }
    if (others.length > 0 && (flags["when-idle"] || flags.reconnect)) {
      throw new UserError("Cannot wait for or resume several copies: name one by its path", {
        exitCode: exitCodes.wrongUsage,
      });
    }
    if (flags["when-idle"]) return startWhenIdle(world, "compact", session, againWith(flags), flags.json);
    const compact = (one: SelectedSession): Promise<CompactAnswer> =>
      loggedIfWaiting(world, history, flags["wait-idle"], (waitUntilIdle) =>
        history.compact(one, {
          rules: chosenOptions(flags),
          auto: flags.auto,
          dryRun: flags["dry-run"],
          force: flags.force,
          bak: flags.bak,
          fork: flags.fork,
          waitUntilIdle,
        }),
      );
    if (flags["all-copies"]) {
      const { answers, problems, code } = await forEachSession(sessions, compact);
      if (flags.json)
        printJson(world, { sessions: answers.map(compactJson), problems: history.mask(problems) });
      else {
        world.stdout.write(answers.map((answer) => format(answer, false, world)).join("\n"));
        reportProblems(history.mask(problems), world);
      }
      return code;
    }
    const answer = await compact(session);
    if (flags.json) printJson(world, compactJson(answer));
    else world.stdout.write(format(answer, flags.reconnect, world));
    if (!flags.reconnect || answer.dryRun) return exitCodes.done;
    const { resume } = await history.resume(answer.fork?.path ?? answer.source, { everywhere: true });
    return runResume(resume, world, "the session is compacted; ");
  },
});

/** Whether they are all logs with one id. */
function isOneId(sessions: readonly SelectedSession[]): boolean {
  return new Set(sessions.map(({ agent, id }) => `${agent}:${id}`)).size === 1;
}

/** The flags that only some agents have, from the table of agents. */
function optionFlags(): FlagTable {
  const rows = agentsThat("compaction").flatMap(({ agent, how }) =>
    how.options.map(({ name, description, ...option }): [string, Flag] => {
      const says = `${agent.displayName}: ${description}`;
      if (option.type === "boolean") return [name, { ...option, description: says }];
      const { type, default: standard, min = 0 } = option;
      return [name, { type, min, placeholder: "N", description: `${says} (${standard})` }];
    }),
  );
  return Object.fromEntries(rows);
}

function chosenOptions(
  flags: Readonly<Record<string, FlagValue>>,
): Readonly<Record<string, number | boolean>> {
  const chosen = Object.keys(optionFlags()).flatMap((name): [string, number | boolean][] => {
    const value = flags[name];
    return typeof value === "number" || value === true ? [[name, value]] : [];
  });
  return Object.fromEntries(chosen);
}

/** The flags that the waiting process needs to do the same. */
function againWith(flags: Readonly<Record<string, FlagValue>>): readonly string[] {
  const options = Object.entries(chosenOptions(flags)).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, `${value}`],
  );
  return [...options, ...["auto", "bak"].flatMap((name) => (flags[name] === true ? [`--${name}`] : []))];
}

function compactJson(answer: CompactAnswer): object {
  const { id, agent, resume, fork, ...rest } = answer;
  return {
    sessionId: id,
    agent,
    ...rest,
    fork: fork === null ? null : { sessionId: fork.id, source: fork.path },
    resume: shellQuote(resume.command),
  };
}

function format(answer: CompactAnswer, willReconnect: boolean, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const { dryRun, nothing, fork, archive, backup, bak, shrunk, records, bytesBefore, bytesAfter } = answer;
  const { before, after, context } = answer;
  // Lines with a command or a path are never broken.
  const wrapped = (text: string): string => wrapMessage(text, world.stdout.columns);
  if (nothing !== null) return `${wrapped(`Nothing to do: ${nothing}.`)}\n`;
  const path = (text: string): string => sanitize(shortPath(text, world.home));
  const parts = shrunk.length === 0 ? "" : `, ${amountOf(shrunk.length, "part")} of tool calls`;
  const sent = records.lines === 0 ? "" : `, ${amountOf(records.lines, "record")} of requests to the model`;
  const lines = [
    // Agents and programs read markdown; a terminal shows a plain table.
    style.bold(`${world.stdout.isTerminal ? "" : "## "}Session Compacted${dryRun ? " (dry run)" : ""}`),
    ...(answer.otherCopies.length === 0 ? [] : [path(answer.source)]),
    "",
    world.stdout.isTerminal ? plainTable(before, after, world) : compactionTable(before, after),
    wrapped(`${formatBytes(bytesBefore)} → ${formatBytes(bytesAfter)}${parts}${sent}.`),
  ];
  // What was compacted away before is still in the log, and in the table.
  if (context.before < before.total)
    lines.push(
      wrapped(
        `The agent loads about ${formatNumber(context.before)} of these tokens, and ${formatNumber(context.after)} afterwards.`,
      ),
    );
  const note = actionsOf(answer.agent).compaction?.note;
  if (note !== undefined) lines.push(wrapped(note));
  if (dryRun) lines.push("Nothing was changed.");
  if (fork !== null) lines.push(`New session ${sanitize(fork.id)}: ${path(fork.path)}`);
  if (backup !== null) {
    const wayBack = answer.isAppended
      ? wrapped("Everything is still in the log: the compaction was appended to it.")
      : `The old log is archived: sessions restore ${sanitize(logSelector(answer))} --generation ${backup} --force`;
    lines.push(style.dim(wayBack));
  }
  if (archive !== null) lines.push(style.dim(`Readable copy: ${path(archive)}`));
  if (bak !== null) lines.push(style.dim(`The old log: ${path(bak)}`));
  if (!dryRun && !willReconnect) lines.push(`Resume with: ${sanitize(resumeLine(answer.resume))}`);
  return lines.map((line) => `${line}\n`).join("");
}

const CATEGORIES: readonly (readonly [string, keyof TokenEstimate])[] = [
  ["Tool Results", "toolResults"],
  ["Tool Inputs", "toolInputs"],
  ["Assistant Text", "assistantText"],
  ["User Text", "userText"],
];

/** Tokens and their share; percentages are rounded down. */
function cell(tokens: TokenEstimate, key: keyof TokenEstimate): string {
  const share = tokens.total === 0 ? 0 : Math.floor((100 * tokens[key]) / tokens.total);
  return `${formatNumber(tokens[key])} (${share}%)`;
}

function plainTable(before: TokenEstimate, after: TokenEstimate, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const rows = [
    ...CATEGORIES.map(([name, key]) => [name, cell(before, key), cell(after, key)] as const),
    ["Total", formatNumber(before.total), formatNumber(after.total)] as const,
  ];
  return formatTable(
    rows,
    [
      { title: "TOKENS", text: ([name]) => name },
      { title: "BEFORE", text: ([, then]) => then, align: "right" },
      { title: "AFTER", text: ([, , now]) => now, align: "right" },
    ],
    { width: world.stdout.columns, titleStyle: style.dim },
  );
}

/** Tokens by category before and after, as a markdown table: people and agents read it. */
function compactionTable(before: TokenEstimate, after: TokenEstimate): string {
  return [
    "| Category | Before | After |",
    "|----------|-------:|------:|",
    ...CATEGORIES.map(([name, key]) => `| ${name} | ${cell(before, key)} | ${cell(after, key)} |`),
    `| **Total** | **${formatNumber(before.total)}** | **${formatNumber(after.total)}** |`,
    "",
  ].join("\n");
}
