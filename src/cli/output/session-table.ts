import { sep } from "node:path";
import { shortIds } from "../../render/short-ids.ts";
import { formatNumber, logSelector, shellQuote } from "../../render/words.ts";
import type { OpenSession } from "../../search/open-session.ts";
import type { CatalogRow } from "../../search/session-catalog.ts";
import { projectLabel } from "../../session/checkout.ts";
import type { World } from "../world.ts";
import { amountOf, formatBytes, formatDuration } from "./amounts.ts";
import { day, localDateTime, localTime, relativeDate } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { createStyle } from "./style.ts";
import { formatTable } from "./table.ts";
import { displayWidth, truncate, wrap } from "./text-width.ts";

/** Ids of unknown form, and those that start alike, are longer, and exceed their column. */
export const ID_WIDTH = 13;

/** A narrower terminal shows neither agent nor turns: the title says more. */
const ALL_COLUMNS = 66;

/** Formats sessions, one line each. In a pipe ids are complete, for programs to use. */
export function formatSessions(rows: readonly CatalogRow[], world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const isTerminal = world.stdout.isTerminal;
  const ids = shortIds(rows.map(({ digest }) => digest.id));
  const hasRoom = world.stdout.columns === undefined || world.stdout.columns >= ALL_COLUMNS;
  return formatTable(
    rows,
    [
      {
        title: "ID",
        text: ({ digest }) => (isTerminal ? (ids.get(digest.id) ?? digest.id) : digest.id),
        ...(isTerminal ? { padTo: ID_WIDTH } : {}),
        style: style.cyan,
      },
      {
        title: "WHEN",
        text: ({ digest, state }) =>
          state === "live" ? "now" : digest.endedAt === null ? "–" : relativeDate(digest.endedAt, world),
        style: (text, { state }) => (state === "live" ? style.green(text) : style.dim(text)),
      },
      ...(hasRoom ? [{ title: "AGENT", text: agentOf, style: style.dim }] : []),
      { title: "PROJECT", text: ({ digest }) => placeLabel(digest), shrinkTo: 10, cut: "middle" },
      ...(hasRoom ? [{ title: "TURNS", text: turnsOf, align: "right", style: style.dim } as const] : []),
      { title: "TITLE", text: (row) => title(row), shrinkTo: hasRoom ? 12 : 10 },
    ],
    { width: world.stdout.columns, titleStyle: style.dim },
  );
}

const agentOf = ({ digest }: CatalogRow): string => digest.agent;
const turnsOf = ({ digest }: CatalogRow): string => String(digest.turns);

/** The project of a session, with the machine if it is another one: `desktop:shop`. */
export function placeLabel(digest: CatalogRow["digest"]): string {
  const label = projectLabel(digest);
  return digest.machine === undefined ? label : `${digest.machine}:${label}`;
}

function title({ digest, state, copies }: CatalogRow): string {
  // For a session of another machine it is obvious that its log is not here.
  const kept = (digest.machine === undefined && state === "kept") || state === "stub" ? `[${state}] ` : "";
  const several = copies > 1 ? `[${amountOf(copies, "copy", "copies")}] ` : "";
  return `${kept}${several}${listTitle(digest.title)}`;
}

/** A session above its hits. */
interface Heading {
  readonly id: string;
  readonly title: string | null;
  /** What it says before its project, and after it. */
  readonly before: readonly string[];
  readonly place: string;
  readonly after: readonly string[];
}

/** Shorter titles and names of projects say nothing. */
const MIN_TITLE = 12;
const MIN_PLACE = 8;

/**
 * The id and title of a session, its agent, project and date: in two lines if the terminal is narrow. Titles and projects
 * are cut so that they fit; a date stays whole.
 */
export function sessionHeading({ id, title, before, place, after }: Heading, { stdout }: World): string {
  const style = createStyle(stdout.hasColor);
  const { columns = Number.POSITIVE_INFINITY } = stdout;
  const isNarrow = columns < ALL_COLUMNS || id.length > columns / 2;
  const line = (shown: string): string => sanitize([...before, shown, ...after].join(" · "));
  const most = isNarrow ? columns - 2 : columns - id.length - MIN_TITLE - 4;
  const placeRoom = Math.max(MIN_PLACE, most - displayWidth(line("")));
  const about = line(truncate(sanitize(place), placeRoom, "middle"));
  const room = columns - id.length - (isNarrow ? 2 : displayWidth(about) + 4);
  const isAlone = isNarrow && room < MIN_TITLE;
  const shown = truncate(listTitle(title), isAlone ? columns - 2 : Math.max(MIN_TITLE, room));
  const gap = isAlone ? "\n  " : "  ";
  return `${style.cyan(sanitize(id))}${gap}${style.bold(shown)}${isNarrow ? "\n  " : "  "}${style.dim(about)}\n`;
}

/** Longer titles are shown completely only for a single session. */
const LIST_TITLE = 80;

/** A title in the form of lists. */
export function listTitle(title: string | null): string {
  return truncate(sanitize(title ?? "(no title)"), LIST_TITLE);
}

/** Describes a session in four lines: title, place and time, size, resume command. */
export function sessionHead(open: OpenSession, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const { digest, session } = open;
  const branch = digest.branch === null ? "" : ` (${digest.branch})`;
  const place = [
    ...(open.machine === null ? [] : [`on ${open.machine}`]),
    ...(digest.project === null ? [] : [`${shortPath(digest.project, world.home)}${branch}`]),
    ...(digest.worktree === null ? [] : [projectLabel(digest)]),
  ];
  const much = [
    amountOf(digest.turns, "turn"),
    amountOf(digest.messages, "message"),
    ...(digest.compactions > 0 ? [amountOf(digest.compactions, "compaction")] : []),
    ...(digest.subagents.length > 0 ? [amountOf(digest.subagents.length, "sub-agent")] : []),
    `about ${formatNumber(digest.tokens.total)} tokens`,
    formatBytes(open.bytes),
    ...(open.copies > 1 ? [amountOf(open.copies, "copy", "copies")] : []),
  ];
  const parent = digest.lineage === null ? [] : [`${digest.lineage.kind} of ${digest.lineage.session}`];
  const next = session.continuedIn === null ? [] : [`continued in ${session.continuedIn}`];
  const folder = open.resume.folder === null ? "" : `cd ${shellQuote([open.resume.folder])} && `;
  // Text from a log is sanitized before it is styled.
  const line = (parts: readonly string[]): string =>
    joinParts(
      parts.map((part) => sanitize(part)),
      world.stdout.columns,
    );
  const id = sanitize(digest.id);
  // A command is never broken, so that it can be copied.
  const isNarrow = world.stdout.columns !== undefined && world.stdout.columns < 80;
  const gone = open.machine === null ? "its log is gone;" : `its log is on ${sanitize(open.machine)};`;
  return [
    style.bold(line([digest.title ?? "(no title)"])),
    line([digest.id, digest.agent, ...place, ...when(open, world), open.state])
      .replace(id, () => style.cyan(id))
      .replace(/live$/, style.green),
    line([...(digest.model === null ? [] : [digest.model]), ...much, ...parent, ...next]),
    open.state === "stub"
      ? style.yellow(NOT_ARCHIVED)
      : open.state === "kept"
        ? `${style.yellow(gone)}${isNarrow ? "\n " : ""} first: ${style.cyan(restoreCommand({ ...open, id: digest.id }))}`
        : `${style.dim("resume:")} ${sanitize(`${folder}${shellQuote(open.resume.command)}`)}`,
    "",
  ].join("\n");
}

/** Why a session that is a stub can neither be resumed nor restored. */
export const NOT_ARCHIVED = "its log is gone and was not archived";

/** The command that brings back a log: by its path if others have its id. */
export function restoreCommand({ id, log, others }: RestorableLog): string {
  return `sessions restore ${sanitize(logSelector({ id, source: log ?? id, otherCopies: others }))}`;
}

interface RestorableLog extends Pick<OpenSession, "log" | "others"> {
  readonly id: string;
}

/** A space at which a line is not broken. */
const NO_BREAK = "\u00a0";

/** Joins parts with dots into lines of at most `width` columns, broken between parts rather than inside a date. */
function joinParts(parts: readonly string[], width: number | undefined): string {
  if (width === undefined) return parts.join(" · ");
  const lines: string[] = [];
  for (const part of parts) {
    const joined = `${lines.at(-1)} · ${part}`;
    if (lines.length > 0 && displayWidth(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(lines.length === 0 ? part : `  ${part}`);
  }
  return lines
    .map((text) => wrap(text, { width, firstIndent: "", indent: "  " }))
    .join("\n")
    .replaceAll(NO_BREAK, " ");
}

function when({ digest }: OpenSession, world: World): readonly string[] {
  const { startedAt, endedAt } = digest;
  if (startedAt === null || endedAt === null) return [];
  const sameDay = localDateTime(startedAt, world).slice(0, 10) === localDateTime(endedAt, world).slice(0, 10);
  const end = sameDay ? localTime(endedAt, world) : localDateTime(endedAt, world);
  const span = endedAt - startedAt >= 60_000 ? ` (${formatDuration(endedAt - startedAt)})` : "";
  // The date is shown already; only "3 days ago" adds to it.
  const ago = relativeDate(endedAt, world);
  const isDate = ago === day(endedAt, world);
  const start = localDateTime(startedAt, world);
  return [`${start} – ${end}${span}${isDate ? "" : `, ${ago.replaceAll(" ", NO_BREAK)}`}`];
}

/** Shortens a path: `~` for the home. */
export function shortPath(path: string, home: string): string {
  if (path === home) return "~";
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
