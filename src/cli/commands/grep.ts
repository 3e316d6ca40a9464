import { exitCodes, textRoles } from "../../index.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf } from "../filter-flags.ts";
import { openHistoryIn } from "../open-history.ts";
import { createGrepJson, createGrepPrinter, createGrepTally, grepProgress } from "../output/grep-output.ts";

const flagTable = {
  "ignore-case": { type: "boolean", alias: "i", description: "ignore case" },
  fixed: {
    type: "boolean",
    alias: "F",
    description: "the pattern is plain text, not a regular expression",
  },
  sessions: { type: "boolean", alias: "l", description: "list only sessions, each once" },
  context: {
    type: "number",
    alias: "C",
    default: 0,
    placeholder: "N",
    description: "show this many lines before and after",
  },
  role: { type: "strings", choices: textRoles, description: "only in texts of this kind" },
  "all-lines": {
    type: "boolean",
    description: "also in agents' records of their own requests: instructions, tools, repeated messages",
  },
  ...filterFlags,
  limit: {
    type: "number",
    min: 1,
    placeholder: "N",
    description: "stop after this many lines, with -l after this many sessions",
  },
  "time-limit": {
    type: "number",
    default: 10,
    min: 1,
    placeholder: "SECONDS",
    description: "give up on a file after this long, sooner if it happens repeatedly",
  },
  ...agentFlags,
} as const;

export const command: Command = defineCommand({
  description:
    "Searches the decoded text of everything: requests, replies, thinking, tool input and output, progress, " +
    "summaries, notes; in logs, sub-agents, files with long output, and in sessions that only the archive " +
    "has. The pattern is a JavaScript regular expression with Unicode; ^ and $ match at line ends, \\n matches " +
    "a line end. Ids, times, folders and other fields of the format are searched only if nothing else " +
    "matches, or with --role field; an agent's records of its own requests to the model only with " +
    "--all-lines. Matches are printed as they are found, newest session first. For words, `search` is faster.",
  examples: [
    { line: "sessions grep 'exit code [1-9]\\d*' --project .", says: "every failed command in this project" },
    {
      line: "sessions grep -i -C2 'deadlock' --role output --since 30d",
      says: "in tool output, in the last month",
    },
    { line: "sessions grep -lF 'TypeError: x is undefined' --json", says: "which sessions have it, as JSON" },
  ],
  positionals: [{ name: "regex", description: "what to search for" }],
  flags: flagTable,
  async run({ flags, positionals }, world) {
    const [pattern = ""] = positionals;
    const { fixed, sessions: sessionsOnly, "ignore-case": ignoreCase } = flags;
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: true });
    const progress = grepProgress(world);
    const tally = createGrepTally(world.now(), sessionsOnly);
    const limit = flags.limit ?? Number.POSITIVE_INFINITY;
    const events = history.grep(pattern, {
      fixed,
      ignoreCase,
      sessionsOnly,
      contextLines: flags.context,
      roles: flags.role,
      allLines: flags["all-lines"],
      filter: filtersOf(flags),
      timeLimitMs: flags["time-limit"] * 1_000,
      onProgress: progress.update,
    });
    const printer = flags.json
      ? createGrepJson(world, { pattern, fixed, ignoreCase, sessionsOnly, demo: history.demo })
      : createGrepPrinter(world);
    try {
      for await (const event of events) {
        if (event.kind === "hits") {
          const hits = event.hits.slice(0, limit - tally.shown());
          tally.take(event.session, hits);
          progress.clear();
          printer.hits(event.session, hits);
        } else if (event.kind === "problem") tally.problem(event.problem);
        else tally.finish();
        if (tally.shown() >= limit) break;
      }
    } finally {
      progress.clear();
    }
    const total = tally.total(progress.state(), world.now());
    printer.end(total);
    return total.sessions > 0 ? exitCodes.done : exitCodes.nothingFound;
  },
});
