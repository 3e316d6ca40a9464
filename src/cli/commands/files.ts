import { exitCodes, type FileHit } from "../../index.ts";
import { isoTime, sessionJson } from "../../render/json/session-json.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf } from "../filter-flags.ts";
import { openHistoryIn } from "../open-history.ts";
import { relativeDate } from "../output/dates.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { listTitle, shortPath } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import { formatTable } from "../output/table.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Shows which sessions read or wrote a file, and when. Name the file by the end of its path, or by a glob.",
  examples: [
    { line: "sessions files auth.ts", says: "every file with that name" },
    { line: "sessions files 'src/api/*.ts' --since 30d", says: "a folder, in the last month" },
  ],
  positionals: [{ name: "path", description: "end of a path, or a glob" }],
  flags: {
    ...filterFlags,
    limit: {
      type: "number",
      default: 30,
      min: 1,
      placeholder: "N",
      description: "show at most this many sessions",
    },
    written: { type: "boolean", description: "only sessions that wrote it" },
    ids: { type: "boolean", alias: "q", description: "print only session ids" },
    ...agentFlags,
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: true });
    const {
      total,
      sessions: hits,
      coverage,
    } = await history.files(positionals[0] ?? "", {
      filter: filtersOf(flags),
      written: flags.written,
      limit: flags.limit,
    });
    if (flags.json) {
      printJson(world, {
        total,
        demo: history.demo,
        coverage: coverageJson(coverage),
        sessions: hits.map(hitJson),
      });
    } else if (flags.ids) world.stdout.write(hits.map(({ row }) => `${sanitize(row.digest.id)}\n`).join(""));
    else if (hits.length > 0) world.stdout.write(formatHits(hits, world));
    else
      world.stderr.write(
        `${createStyle(world.stderr.hasColor).dim("No session read or wrote such a file.")}\n`,
      );
    return total === 0 ? exitCodes.nothingFound : exitCodes.done;
  },
});

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

function formatHits(hits: readonly FileHit[], world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const rows = hits.flatMap(({ row, files }) => files.map((file) => ({ row, file })));
  return formatTable(
    rows,
    [
      {
        title: "ID",
        text: ({ row }) => (world.stdout.isTerminal ? row.digest.id.slice(0, 8) : row.digest.id),
        style: style.cyan,
      },
      {
        title: "WHEN",
        text: ({ row, file }) => when(file.lastAt ?? row.digest.endedAt, world),
        style: style.dim,
      },
      { title: "WROTE", text: ({ file }) => (file.writes === 0 ? "" : String(file.writes)), align: "right" },
      {
        title: "READ",
        text: ({ file }) => (file.reads === 0 ? "" : String(file.reads)),
        align: "right",
        style: style.dim,
      },
      { title: "FILE", text: ({ file }) => shortPath(file.path, world.home), shrinkTo: 24, cut: "middle" },
      {
        title: "SESSION",
        text: ({ row }) => listTitle(row.digest.title),
        shrinkTo: 16,
        style: style.dim,
      },
    ],
    { width: world.stdout.columns, titleStyle: style.dim },
  );
}

function when(at: number | null, world: World): string {
  return at === null ? "–" : relativeDate(at, world);
}
