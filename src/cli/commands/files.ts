import { sep } from "node:path";
import { exitCodes, type FileHit, projectLabel } from "../../index.ts";
import { isoTime, sessionJson } from "../../render/json/session-json.ts";
import { labelProjects } from "../../render/project-labels.ts";
import { shortId } from "../../render/short-ids.ts";
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
import { displayWidth, truncate } from "../output/text-width.ts";
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

/** A file with the sessions that touched it, the last one first. */
interface FileRow {
  readonly path: string;
  readonly lastAt: number | null;
  readonly hits: readonly TouchedFile[];
}

interface TouchedFile {
  readonly row: FileHit["row"];
  readonly file: FileHit["files"][number];
}

function fileRows(hits: readonly FileHit[]): readonly FileRow[] {
  const byPath = new Map<string, TouchedFile[]>();
  for (const { row, files } of hits)
    for (const file of files) {
      const before = byPath.get(file.path);
      if (before === undefined) byPath.set(file.path, [{ row, file }]);
      else before.push({ row, file });
    }
  const at = ({ row, file }: TouchedFile): number => file.lastAt ?? row.digest.endedAt ?? 0;
  return [...byPath]
    .map(([path, all]): FileRow => {
      const newestFirst = all.toSorted((a, b) => at(b) - at(a));
      return {
        path,
        lastAt: newestFirst[0] === undefined ? null : at(newestFirst[0]) || null,
        hits: newestFirst,
      };
    })
    .toSorted((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0));
}

/** A path in its project. */
interface ProjectPath {
  readonly project: string;
  /** Returns the rest of a path after its project. */
  readonly path: string;
}

/**
 * Paths relative to their projects, for terminals that are too narrow for whole ones. Projects with the same name are
 * told apart.
 */
function pathsInProjects(rows: readonly FileRow[]): ReadonlyMap<string, ProjectPath> {
  const projects = new Map<string, string>();
  for (const { hits } of rows)
    for (const { row } of hits)
      if (row.digest.project !== null) projects.set(row.digest.project, projectLabel(row.digest));
  const named = [...projects].map(([project, name]) => ({ project, name }));
  const labels = labelProjects(named);
  const paths = new Map<string, ProjectPath>();
  for (const { path } of rows) {
    const at = named.findIndex(({ project }) => path.startsWith(`${project}${sep}`));
    const folder = named[at]?.project;
    if (folder !== undefined) paths.set(path, { project: labels[at] ?? "", path: path.slice(folder.length) });
  }
  return paths;
}

/** Leaves out folders in the middle: both the project and the name of the file matter. */
function fitPath({ project, path }: ProjectPath, width: number): string {
  const whole = `${project}${path}`;
  const room = width - displayWidth(project) - 2;
  if (displayWidth(whole) <= width || room < MIN_FILE) return truncate(whole, width, "middle");
  const end = truncate(path, room + 1, "start").slice(1);
  const folder = end.indexOf("/");
  return `${project}/…${folder === -1 ? end : end.slice(folder)}`;
}

/** The width of the columns beside path and title, and the least that these two need. */
const OTHER_COLUMNS = 45;
const MIN_TITLE = 20;
const MIN_PATH = 44;
const MIN_FILE = 8;
/** Narrower terminals also leave out the number of sessions. */
const ROOM_FOR_SESSIONS = 70;
const SESSIONS_COLUMN = 10;

function formatHits(hits: readonly FileHit[], world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const sum = ({ hits: all }: FileRow, key: "writes" | "reads"): string => {
    const total = all.reduce((before, { file }) => before + file[key], 0);
    return total === 0 ? "" : String(total);
  };
  const { columns: width } = world.stdout;
  const isNarrow = width !== undefined && width < ROOM_FOR_SESSIONS;
  const newest = ({ hits: [first] }: FileRow): FileHit["row"]["digest"] | undefined => first?.row.digest;
  const rows = fileRows(hits);
  const whole = ({ path }: FileRow): string => shortPath(path, world.home);
  const widest = (text: (row: FileRow) => string): number =>
    Math.max(...rows.map((row) => displayWidth(text(row))));
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - OTHER_COLUMNS - MIN_TITLE;
  const paths = widest(whole) <= room ? new Map<string, ProjectPath>() : pathsInProjects(rows);
  const hasTitles = room >= MIN_PATH || widest(whole) <= room;
  const pathRoom = hasTitles ? MIN_PATH : room + MIN_TITLE + (isNarrow ? SESSIONS_COLUMN : 0);
  const pathOf = (row: FileRow): string => {
    const inProject = paths.get(row.path);
    return inProject === undefined ? whole(row) : fitPath(inProject, pathRoom);
  };
  return formatTable(
    rows,
    [
      { title: "FILE", text: pathOf, shrinkTo: hasTitles ? MIN_PATH : 12, cut: "middle" },
      {
        title: "WHEN",
        text: ({ lastAt }) => when(lastAt, world),
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
          return world.stdout.isTerminal ? shortId(id) : id;
        },
        style: style.cyan,
      },
      ...(!hasTitles
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
