import { basename, isAbsolute, sep } from "node:path";
import { type FileHit, projectLabel } from "../../index.ts";
import { labelProjects } from "../../render/project-labels.ts";
import { shortId, shortIds } from "../../render/short-ids.ts";
import { isFileOf } from "../../search/session-catalog.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { relativeDate } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { listTitle, placeLabel, shortPath } from "./session-table.ts";
import { createStyle } from "./style.ts";
import { formatTable, pad } from "./table.ts";
import { displayWidth, truncate } from "./text-width.ts";

type Row = FileHit["row"];
type TouchedFile = FileHit["files"][number];
type Uses = Pick<TouchedFile, "reads" | "writes" | "mentions">;

/** A session that touched a file, and how often it did. */
interface FileSession extends Uses {
  readonly row: Row;
  readonly lastAt: number | null;
}

/** A file with the sessions that touched it, the last one first. */
export interface FileRow extends Uses {
  readonly path: string;
  readonly lastAt: number | null;
  readonly sessions: readonly FileSession[];
}

/** Groups what sessions touched by file, the file that was touched last first. */
export function fileRows(hits: readonly FileHit[]): readonly FileRow[] {
  const pathOf = absolutePaths(hits);
  const byPath = new Map<string, FileSession[]>();
  for (const { row, files } of hits) {
    const own = new Map<string, FileSession>();
    for (const file of files) {
      const path = pathOf(file, row);
      const added = { row, ...sum([own.get(path) ?? NEVER, file]) };
      own.set(path, { ...added, lastAt: latest([own.get(path)?.lastAt, file.lastAt]) });
    }
    for (const [path, session] of own) {
      const lastAt = session.lastAt ?? row.digest.endedAt;
      byPath.set(path, [...(byPath.get(path) ?? []), { ...session, lastAt }]);
    }
  }
  return [...byPath]
    .map(([path, all]): FileRow => {
      const sessions = all.toSorted(newestFirst);
      return { path, lastAt: latest(all.map(({ lastAt }) => lastAt)), ...sum(all), sessions };
    })
    .toSorted(newestFirst);
}

const NEVER: Uses = { reads: 0, writes: 0, mentions: 0 };

function sum(all: readonly Uses[]): Uses {
  const of = (key: keyof Uses): number => all.reduce((total, each) => total + each[key], 0);
  return { reads: of("reads"), writes: of("writes"), mentions: of("mentions") };
}

function latest(times: readonly (number | null | undefined)[]): number | null {
  return times.reduce<number | null>((last, at) => (at != null && at > (last ?? 0) ? at : last), null);
}

function newestFirst(a: { readonly lastAt: number | null }, b: { readonly lastAt: number | null }): number {
  return (b.lastAt ?? 0) - (a.lastAt ?? 0);
}

/** Returns a function that finds the absolute path under which a file was read or written, if a session names it by a relative one. */
function absolutePaths(hits: readonly FileHit[]): (file: TouchedFile, row: Row) => string {
  const touched = new Map<string, Set<string>>();
  for (const { path, reads, writes } of hits.flatMap(({ files }) => files)) {
    if (reads + writes === 0 || !isAbsolute(path)) continue;
    const name = basename(path);
    touched.set(name, (touched.get(name) ?? new Set()).add(path));
  }
  return (file, row) => {
    const same = touched.get(basename(file.path));
    if (same === undefined || same.has(file.path)) return file.path;
    return [...same].find((whole) => isFileOf(file, row, whole)) ?? file.path;
  };
}

/** A path in its project. */
interface ProjectPath {
  readonly project: string;
  /** The rest of the path after the project. */
  readonly path: string;
}

/**
 * Paths relative to their projects, for terminals that are too narrow for whole ones. Projects with the same name are
 * told apart.
 */
function pathsInProjects(files: readonly FileRow[]): ReadonlyMap<string, ProjectPath> {
  const projects = new Map<string, string>();
  for (const { sessions } of files)
    for (const { row } of sessions)
      if (row.digest.project !== null) projects.set(row.digest.project, projectLabel(row.digest));
  const named = [...projects].map(([project, name]) => ({ project, name }));
  const labels = labelProjects(named);
  const paths = new Map<string, ProjectPath>();
  for (const { path } of files) {
    const at = named.findIndex(({ project }) => path.startsWith(`${project}${sep}`));
    const folder = named[at]?.project;
    if (folder !== undefined) paths.set(path, { project: labels[at] ?? "", path: path.slice(folder.length) });
  }
  return paths;
}

const MIN_FILE = 8;

/** Leaves out folders in the middle: both the project and the name of the file matter. */
function fitPath({ project, path }: ProjectPath, width: number): string {
  const whole = `${project}${path}`;
  const room = width - displayWidth(project) - 2;
  if (displayWidth(whole) <= width || room < MIN_FILE) return truncate(whole, width, "middle");
  const end = truncate(path, room + 1, "start").slice(1);
  const folder = end.indexOf("/");
  return `${project}/…${folder === -1 ? end : end.slice(folder)}`;
}

/** The columns with numbers, as one: a file that is only mentioned has none. */
const USES_TITLE = "WROTE  READ";

function usesText({ writes, reads }: Uses): string {
  if (writes + reads === 0) return "mentioned";
  const shown = (count: number): string => (count === 0 ? "" : String(count));
  return `${pad(shown(writes), 5, "right")}  ${pad(shown(reads), 4, "right")}`;
}

/** Narrower terminals leave out what is said elsewhere. */
const ROOM_FOR_ALL = 70;
const ROOM_FOR_ID = 60;

/** One file: its path, how often it was written and read, and a line for each of these sessions. */
export function formatFileSessions(file: FileRow, shown: readonly FileSession[], world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const { columns: width, isTerminal } = world.stdout;
  const whole = sanitize(shortPath(file.path, world.home));
  const inProject = pathsInProjects([file]).get(file.path);
  const path =
    width === undefined || displayWidth(whole) <= width
      ? whole
      : sanitize(inProject === undefined ? truncate(whole, width, "middle") : fitPath(inProject, width));
  const uses = [
    ...(file.writes > 0 ? [`written ${amountOf(file.writes, "time")}`] : []),
    ...(file.reads > 0 ? [`read ${amountOf(file.reads, "time")}`] : []),
  ];
  const said = uses.length === 0 ? "mentioned" : uses.join(", ");
  const ids = shortIds(file.sessions.map(({ row }) => row.digest.id));
  const hasProject = width === undefined || width >= ROOM_FOR_ALL;
  const table = formatTable(
    shown,
    [
      {
        title: "ID",
        text: ({ row: { digest } }) => (isTerminal ? (ids.get(digest.id) ?? digest.id) : digest.id),
        style: style.cyan,
      },
      { title: "WHEN", text: ({ lastAt }) => when(lastAt, world), style: style.dim },
      ...(hasProject
        ? [
            {
              title: "PROJECT",
              text: ({ row }: FileSession) => placeLabel(row.digest),
              shrinkTo: 8,
              cut: "middle" as const,
            },
          ]
        : []),
      { title: USES_TITLE, text: usesText, align: "right" },
      { title: "TITLE", text: ({ row }) => listTitle(row.digest.title), shrinkTo: 8 },
    ],
    { width, titleStyle: style.dim },
  );
  const sessions = amountOf(file.sessions.length, "session");
  return `${style.bold(path)}\n${style.dim(`${said} in ${sessions}`)}\n${table}`;
}

/** The width of the columns beside path and title, and the least that these two need. */
const OTHER_COLUMNS = 45;
const MIN_TITLE = 20;
const MIN_PATH = 44;
const SESSIONS_COLUMN = 10;
const ID_COLUMN = 10;

/** Several files, one line each, with the session that touched it last. */
export function formatFiles(files: readonly FileRow[], world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const { columns: width } = world.stdout;
  const hasCounts = width === undefined || width >= ROOM_FOR_ALL;
  const hasIds = width === undefined || width >= ROOM_FOR_ID;
  const newest = ({ sessions: [first] }: FileRow): Row["digest"] | undefined => first?.row.digest;
  const whole = ({ path }: FileRow): string => shortPath(path, world.home);
  const widest = Math.max(...files.map((file) => displayWidth(whole(file))));
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - OTHER_COLUMNS - MIN_TITLE;
  const paths = widest <= room ? new Map<string, ProjectPath>() : pathsInProjects(files);
  const hasTitles = room >= MIN_PATH || widest <= room;
  const pathRoom = hasTitles
    ? MIN_PATH
    : room + MIN_TITLE + (hasCounts ? 0 : SESSIONS_COLUMN) + (hasIds ? 0 : ID_COLUMN);
  const pathOf = (file: FileRow): string => {
    const inProject = paths.get(file.path);
    return inProject === undefined ? whole(file) : fitPath(inProject, pathRoom);
  };
  return formatTable(
    files,
    [
      { title: "FILE", text: pathOf, shrinkTo: hasTitles ? MIN_PATH : 12, cut: "middle" },
      { title: "WHEN", text: ({ lastAt }) => when(lastAt, world), style: style.dim },
      { title: USES_TITLE, text: usesText, align: "right" },
      ...(hasCounts
        ? [
            {
              title: "SESSIONS",
              text: ({ sessions }: FileRow) => String(sessions.length),
              align: "right" as const,
              style: style.dim,
            },
          ]
        : []),
      ...(hasIds
        ? [
            {
              title: "LAST",
              text: (file: FileRow) => {
                const id = newest(file)?.id ?? "";
                return world.stdout.isTerminal ? shortId(id) : id;
              },
              style: style.cyan,
            },
          ]
        : []),
      ...(hasTitles
        ? [
            {
              title: "TITLE",
              text: (file: FileRow) => listTitle(newest(file)?.title ?? null),
              shrinkTo: 8,
              style: style.dim,
            },
          ]
        : []),
    ],
    { width, titleStyle: style.dim },
  );
}

function when(at: number | null, world: World): string {
  return at === null ? "–" : relativeDate(at, world);
}
