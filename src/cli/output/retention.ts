import { shortId } from "../../render/short-ids.ts";
import { archivingWords, formatNumber } from "../../render/words.ts";
import { isForEver } from "../../retention/retention-days.ts";
import type { RetentionStatus, RiskySession } from "../../retention/retention-status.ts";
import { lastPart } from "../../session/checkout.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { day } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { ID_WIDTH, listTitle, shortPath } from "./session-table.ts";
import { createStyle, type Style } from "./style.ts";
import { formatTable } from "./table.ts";
import { wrapMessage } from "./text-width.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_LISTED = 10;
/** Narrower terminals have no room for projects. */
const MIN_COLUMNS = 66;
const WIDE_COLUMNS = 100;

/** The forecast: which sessions agents will delete, and when. */
export function formatRetention(all: readonly RetentionStatus[], world: World): string {
  return all.map((status) => formatOne(status, world)).join("\n");
}

function formatOne(status: RetentionStatus, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const { effective, atRisk, folder } = status;
  const short = (path: string): string => sanitize(shortPath(path, world.home));
  const source = effective.from === "default" ? "its default" : short(effective.from);
  const days = isForEver(effective.days) ? "for ever" : `for ${amountOf(effective.days, "day")}`;
  const lines = [
    `${status.agentName} keeps sessions ${style.bold(days)} (${source}${effective.managed ? ", set by an administrator" : ""}).`,
    style.dim(`${short(folder)}: ${amountOf(status.sessions, "session")}, ${notArchived(status)}.`),
  ];
  if (effective.paused !== undefined) {
    lines.push(
      `${style.yellow("Nothing is deleted at present:")} ${short(effective.paused.place)}: ${sanitize(effective.paused.what)}.`,
      style.dim("Claude Code before 2.1.227 ignores that file, and deletes."),
    );
  }
  for (const { project, days: fewer, from } of status.earlierSweeps.slice(0, MAX_LISTED)) {
    lines.push(
      `${style.yellow("Started in")} ${short(project)} ${style.yellow("it deletes sessions of all projects")} after ` +
        `${amountOf(fewer, "day")} (${short(from)}).`,
    );
  }
  const { columns } = world.stdout;
  const text = `${wrapMessage(lines.join("\n"), columns)}\n`;
  return atRisk.length === 0
    ? `${text}${wrapMessage(nothingGoes(status, style), columns)}\n`
    : `${text}\n${formatRisks(status, world)}`;
}

function notArchived({ sessions, notArchived, archiving }: RetentionStatus): string {
  if (sessions === 0) return "nothing to archive";
  if (notArchived === 0) return "all archived";
  return archiving === null
    ? `${formatNumber(notArchived)} not archived, or changed since`
    : `${formatNumber(notArchived)} not archived yet`;
}

function nothingGoes({ agentName, withinMs, notArchived, archiving }: RetentionStatus, style: Style): string {
  const nothing = `Nothing is deleted within ${amountOf(Math.round(withinMs / DAY_MS), "day")}.`;
  if (notArchived === 0) return nothing;
  if (archiving !== null) return `${nothing}\n${style.dim(archivingWords(archiving))}`;
  return `${nothing}\n${style.dim(`${agentName} has been reported to ignore that setting; to be safe:`)} ${style.cyan("sessions archive")}`;
}

function formatRisks(status: RetentionStatus, world: World): string {
  const { agentName, atRisk, withinMs, sweepsAtMs } = status;
  const style = createStyle(world.stdout.hasColor);
  const unprotected = atRisk.filter(({ archived }) => !archived);
  const { columns = MIN_COLUMNS, isTerminal } = world.stdout;
  const isNarrow = columns < MIN_COLUMNS;
  // The title is cut before the project if there is room for both.
  const isWide = columns >= WIDE_COLUMNS;
  // A column with the same value for every session is useless.
  const isNext = (session: RiskySession): boolean => whenOf(session, sweepsAtMs, world) === NEXT_START;
  const isAllNext = atRisk.every(isNext);
  const isMixed = unprotected.length > 0 && unprotected.length < atRisk.length;
  const days = amountOf(Math.round(withinMs / DAY_MS), "day");
  const when = isAllNext ? `at the next start of ${agentName}` : `within ${days}`;
  const heading = `${amountOf(atRisk.length, "session")} will be deleted ${when}, ${protection(unprotected.length, atRisk.length, status)}:`;
  // Sessions that would be lost come first.
  const shown = [...unprotected, ...atRisk.filter(({ archived }) => archived)].slice(0, MAX_LISTED);
  const table = formatTable(
    shown,
    [
      { text: ({ id }) => shortId(id), style: style.bold, ...(isTerminal ? { padTo: ID_WIDTH } : {}) },
      ...(isAllNext ? [] : [{ text: (session: RiskySession) => whenOf(session, sweepsAtMs, world) }]),
      ...(isMixed
        ? [
            {
              text: ({ archived }: RiskySession) => (archived ? "archived" : "not archived"),
              style: (text: string, { archived }: RiskySession) =>
                archived ? style.green(text) : style.red(text),
            },
          ]
        : []),
      ...(isNarrow
        ? []
        : [
            {
              text: ({ project }: RiskySession) => (project === null ? "–" : lastPart(project)),
              style: style.dim,
              shrinkTo: isWide ? 30 : 8,
            },
          ]),
      { text: ({ title }) => listTitle(title), shrinkTo: isNarrow ? 6 : 20 },
    ],
    { width: world.stdout.columns },
  );
  const rest = atRisk.length - shown.length;
  const more = rest > 0 ? style.dim(`and ${formatNumber(rest)} more: sessions retention --json\n`) : "";
  const fix =
    unprotected.length === 0
      ? style.dim("Archived sessions can still be read, searched and restored.\n")
      : protectionFix(status, style);
  const wrapped = (text: string): string => wrapMessage(text, world.stdout.columns);
  return `${wrapped(heading)}\n${table}${more}${wrapped(fix)}`;
}

/** What can be done, or is being done, about sessions that are not archived. */
function protectionFix({ agentName, canBeSet, archiving }: RetentionStatus, style: Style): string {
  if (archiving !== null) return style.dim(`${archivingWords(archiving)}\n`);
  const keeps = canBeSet ? `; ${style.cyan("sessions retention forever")} makes ${agentName} keep them` : "";
  return `${style.cyan("sessions archive")} keeps every byte of them${keeps}.\n`;
}

function protection(unprotected: number, all: number, { archiving }: RetentionStatus): string {
  if (unprotected === 0) return "all of them archived";
  const yet = archiving === null ? "" : " yet";
  return unprotected === all
    ? `none of them archived${yet}`
    : `${formatNumber(unprotected)} of them not archived${yet}`;
}

function whenOf({ deletedAfterMs }: RiskySession, sweepsAtMs: number, world: World): string {
  if (deletedAfterMs > world.now()) return `after ${day(deletedAfterMs, world)}`;
  return sweepsAtMs > world.now() ? `from ${day(sweepsAtMs, world)}` : NEXT_START;
}

const NEXT_START = "at the next start";

/** One line for each agent, for the overview; empty if all is well. Sessions of the last day are not at risk yet. */
export function retentionWarning(all: readonly RetentionStatus[], world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const names = [...new Set(all.map(({ agentName }) => agentName))];
  const warnings = names.map((name) => {
    const lost = all
      .flatMap(({ agentName, atRisk }) => (agentName === name ? atRisk : []))
      .filter(({ archived, mtimeMs }) => !archived && mtimeMs < world.now() - DAY_MS);
    const [first] = lost.toSorted((a, b) => a.deletedAfterMs - b.deletedAfterMs);
    if (first === undefined) return "";
    const when =
      first.deletedAfterMs > world.now() ? `after ${day(first.deletedAfterMs, world)}` : "at its next start";
    const them = lost.length === 1 ? "it" : "the first of them";
    return `${style.yellow(
      `${amountOf(lost.length, "session")} of ${name} ${lost.length === 1 ? "is" : "are"} not archived, ` +
        `and it deletes ${them} ${when}:`,
    )} ${style.cyan("sessions archive")}\n`;
  });
  return warnings.join("");
}
