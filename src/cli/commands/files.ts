import { exitCodes, type FileHit } from "../../index.ts";
import { isoTime, sessionJson } from "../../render/json/session-json.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf, offsetFlag } from "../filter-flags.ts";
import { noteMore } from "../note-more.ts";
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
  positionals: [{ name: "path", description: "end of a path, or a glob", values: "file" }],
  flags: {
    ...filterFlags,
    limit: {
      type: "number",
      default: 30,
      min: 1,
      placeholder: "N",
      description: "show at most this many sessions",
    },
    ...offsetFlag,
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
      offset: flags.offset,
    });
    if (flags.json) {
      printJson(world, {
        total,
        demo: history.demo,
        coverage: coverageJson(coverage),
        sessions: hits.map(hitJson),
      });
    } else if (flags.ids) world.stdout.write(hits.map(({ row }) => `${sanitize(row.digest.id)}\n`).join(""));
    else if (total > 0) {
      if (hits.length > 0) world.stdout.write(formatHits(hits, world));
      noteMore({ total, offset: flags.offset, shown: hits.length, unit: "session" }, world);
    } else
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

/** A file with the sessions that touched it, the newest first. */
interface FileRow {
  readonly path: string;
  readonly hits: readonly { readonly row: FileHit["row"]; readonly file: FileHit["files"][number] }[];
}

function fileRows(hits: readonly FileHit[]): readonly FileRow[] {
  const byPath = new Map<string, FileRow>();
  for (const { row, files } of hits)
    for (const file of files) {
      const before = byPath.get(file.path)?.hits ?? [];
      byPath.set(file.path, { path: file.path, hits: [...before, { row, file }] });
    }
  return [...byPath.values()];
}

/** Narrower terminals have no room for titles. */
const ROOM_FOR_TITLES = 70;

/** How many columns a path keeps, before the title is cut. */
function fileRoom(width: number | undefined): number {
  return width === undefined || width >= 100 ? 40 : width >= ROOM_FOR_TITLES ? 20 : 12;
}

function formatHits(hits: readonly FileHit[], world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const sum = ({ hits: all }: FileRow, key: "writes" | "reads"): string => {
    const total = all.reduce((before, { file }) => before + file[key], 0);
    return total === 0 ? "" : String(total);
  };
  const { columns: width } = world.stdout;
  const isNarrow = width !== undefined && width < ROOM_FOR_TITLES;
  const newest = ({ hits: [first] }: FileRow): FileHit["row"]["digest"] | undefined => first?.row.digest;
  return formatTable(
    fileRows(hits),
    [
      {
        title: "FILE",
        text: ({ path }) => shortPath(path, world.home),
        shrinkTo: fileRoom(width),
        cut: "middle",
      },
      {
        title: "WHEN",
        text: ({ hits: [first] }) => when(first?.file.lastAt ?? first?.row.digest.endedAt ?? null, world),
        style: style.dim,
      },
      { title: "WROTE", text: (row) => sum(row, "writes"), align: "right" },
      { title: "READ", text: (row) => sum(row, "reads"), align: "right", style: style.dim },
      ...(isNarrow
        ? []
        : [
            {
              title: "SESSIONS",
              text: ({ hits: all }: FileRow) => String(all.length),
              align: "right" as const,
              style: style.dim,
            },
          ]),
      {
        title: "LAST",
        text: (row) => {
          const id = newest(row)?.id ?? "";
          return world.stdout.isTerminal ? id.slice(0, 8) : id;
        },
        style: style.cyan,
      },
      ...(isNarrow
        ? []
        : [
            {
              title: "TITLE",
              text: (row: FileRow) => listTitle(newest(row)?.title ?? null),
              shrinkTo: 8,
              style: style.dim,
            },
          ]),
    ],
    { width, titleStyle: style.dim },
  );
}

function when(at: number | null, world: World): string {
  return at === null ? "–" : relativeDate(at, world);
}
