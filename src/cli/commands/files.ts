import { exitCodes, type FileHit } from "../../index.ts";
import { isoTime, sessionJson } from "../../render/json/session-json.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf, offsetFlag } from "../filter-flags.ts";
import { noteMore } from "../note-more.ts";
import { openHistoryIn } from "../open-history.ts";
import { type FileRow, fileRows, formatFileSessions, formatFiles } from "../output/file-history.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { createStyle } from "../output/style.ts";
import { wrapMessage } from "../output/text-width.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Shows which sessions read or wrote a file, and when. Name the file by the end of its path, or by a glob. If " +
    "several files match, each is one line with the session that touched it last; --limit and --offset then count " +
    "files, but with --json and --ids always sessions.",
  examples: [
    {
      line: "sessions files auth.ts",
      says: "the sessions that touched it; if several files have that name, these files",
    },
    { line: "sessions files 'src/api/*.ts' --since 30d", says: "a folder, in the last month" },
  ],
  positionals: [{ name: "path", description: "end of a path, or a glob", values: "file" }],
  flags: {
    ...filterFlags,
    limit: {
      type: "number",
      default: 30,
      min: 1,
      placeholder: "N",
      description: "show at most this many sessions, or files if several match",
    },
    ...offsetFlag,
    written: { type: "boolean", description: "only sessions that wrote it" },
    ids: { type: "boolean", alias: "q", description: "print only session ids" },
    ...agentFlags,
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: true });
    const { limit, offset, written } = flags;
    const filter = filtersOf(flags);
    // Counts of files are complete, whatever part of them is shown.
    const page = flags.json || flags.ids ? { limit, offset } : {};
    const {
      total,
      sessions: hits,
      coverage,
    } = await history.files(positionals[0] ?? "", {
      filter,
      written,
      ...page,
    });
    if (flags.json) {
      printJson(world, {
        total,
        demo: history.demo,
        coverage: coverageJson(coverage),
        sessions: hits.map(hitJson),
      });
    } else if (flags.ids) world.stdout.write(hits.map(({ row }) => `${sanitize(row.digest.id)}\n`).join(""));
    else if (total > 0) writeFiles(fileRows(hits), { limit, offset }, world);
    else
      world.stderr.write(
        `${createStyle(world.stderr.hasColor).dim("No session read or wrote such a file.")}\n`,
      );
    return total === 0 ? exitCodes.nothingFound : exitCodes.done;
  },
});

/** Prints the sessions of one file, or one line for each of several files. */
function writeFiles(
  files: readonly FileRow[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
  world: World,
): void {
  const [file] = files;
  if (file !== undefined && files.length === 1) {
    const shown = file.sessions.slice(offset, offset + limit);
    if (shown.length > 0) world.stdout.write(formatFileSessions(file, shown, world));
    noteMore({ total: file.sessions.length, offset, shown: shown.length, unit: "session" }, world);
    return;
  }
  const shown = files.slice(offset, offset + limit);
  if (shown.length > 0) world.stdout.write(formatFiles(shown, world));
  noteMore({ total: files.length, offset, shown: shown.length, unit: "file" }, world);
  const hint = "To see the sessions of one file, name only that one: `sessions files PATH`";
  world.stderr.write(`${createStyle(world.stderr.hasColor).dim(wrapMessage(hint, world.stderr.columns))}\n`);
}

function hitJson({ row, files }: FileHit): object {
  return {
    ...sessionJson(row),
    files: files.map(({ path, reads, writes, mentions, firstAt, lastAt }) => ({
      path,
      reads,
      writes,
      mentions,
      firstAt: isoTime(firstAt),
      lastAt: isoTime(lastAt),
    })),
  };
}
