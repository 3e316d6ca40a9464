import { exitCodes } from "../../errors.ts";
import { compilePattern } from "../../search/grep/compile-pattern.ts";
import type { GrepQuery } from "../../search/grep/grep-job.ts";
import { grepSessions } from "../../search/grep/grep-sessions.ts";
import { defaultRoles, type TextRole, textRoles } from "../../search/grep/text-role.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Arguments, type Command, defineCommand } from "../command.ts";
import { filterFlags, readFilters } from "../filter-flags.ts";
import { openLibrary } from "../open-library.ts";
import { createGrepJson, grepProgress } from "../output/grep-json.ts";
import { createGrepPrinter, createGrepTally } from "../output/grep-output.ts";
import type { World } from "../world.ts";

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

/** More threads cost more memory than they save time. */
const MAX_THREADS = 4;

export const command: Command = defineCommand({
  description:
    "Searches the decoded text of everything: requests, replies, thinking, tool input and output, progress, " +
    "summaries, notes; in logs, sub-agents, files with long output, and in sessions that only the archive " +
    "has. The pattern is a JavaScript regular expression with Unicode; ^ and $ match at line ends, \\n matches " +
    "a line end. Ids, times, folders and other fields of the format are searched only if nothing else " +
    "matches, or with --role field. Matches are printed as they are found, newest session first. For words, " +
    "`search` is faster.",
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
  async run(args, world) {
    const { flags, positionals } = args;
    const query = readQuery(args, world);
    const { library, mask, access } = await openLibrary(world, { reveal: flags.reveal, allowDemo: true });
    const printer = flags.json
      ? createGrepJson(world, {
          pattern: positionals[0] ?? "",
          fixed: flags.fixed,
          query,
          demo: library.demo,
        })
      : createGrepPrinter(world);
    const progress = grepProgress(world);
    const { startWorker: start, threads } = world;
    const tally = createGrepTally(world.now(), query.sessionsOnly);
    const limit = flags.limit ?? Number.POSITIVE_INFINITY;
    const search = async (roles: readonly TextRole[]): Promise<void> => {
      const events = grepSessions(
        library,
        access.engine,
        { ...query, roles },
        {
          onProgress: progress.update,
          ...(start === undefined ? {} : { threads: { start, count: Math.min(threads, MAX_THREADS) } }),
        },
      );
      for await (const event of events) {
        if (event.kind === "hits") {
          const hits = event.hits.slice(0, limit - tally.shown());
          tally.take(event.session, hits);
          progress.clear();
          printer.hits(
            mask(event.session),
            hits.map((hit) => ({ ...hit, path: mask(hit.path) })),
          );
        } else if (event.kind === "problem") tally.problem(mask(event.problem));
        else tally.finish();
        if (tally.shown() >= limit) break;
      }
    };
    try {
      await search(query.roles);
      // A pattern that no text has may be an id or another field of the format.
      if (tally.shown() === 0 && flags.role.length === 0) await search(["field"]);
    } finally {
      progress.clear();
    }
    const total = tally.total(progress.state(), world.now());
    printer.end(total);
    return total.sessions > 0 ? exitCodes.done : exitCodes.nothingFound;
  },
});

function readQuery({ flags, positionals }: Arguments<typeof flagTable>, world: World): GrepQuery {
  const [text = ""] = positionals;
  return {
    pattern: compilePattern({ text, ignoreCase: flags["ignore-case"], fixed: flags.fixed }),
    roles: flags.role.length === 0 ? defaultRoles : flags.role,
    contextLines: flags.context,
    sessionsOnly: flags.sessions,
    filter: readFilters(flags, [], world),
    reveal: flags.reveal,
    timeLimitMs: flags["time-limit"] * 1_000,
  };
}
