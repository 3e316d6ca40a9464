import { exitCodes, NO_PROJECT, type PendingSession, projectLabel } from "../../index.ts";
import { isoTime } from "../../render/json/session-json.ts";
import { shortIds } from "../../render/short-ids.ts";
import { pendingText } from "../../render/words.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf, offsetFlag } from "../filter-flags.ts";
import { noteMore } from "../note-more.ts";
import { openHistoryIn } from "../open-history.ts";
import { readingWidth } from "../output/conversation.ts";
import { relativeDate } from "../output/dates.ts";
import { printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { formatPendingItem } from "../output/session-digest.ts";
import { listTitle } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import { truncate, wrapMessage } from "../output/text-width.ts";
import type { World } from "../world.ts";

const MIN_TITLE = 20;

export const command: Command = defineCommand({
  description:
    "Lists unfinished work: open items of the agents' own todo and task lists (☐, ◐ in progress), next steps and " +
    "offers of the last reply (→), questions without an answer (?) and interrupted requests (■). Items that a " +
    "later session of the same folder, repository or worktree finished are left out, and one that several sessions of a " +
    "project left open is shown once, at the newest of them. In a project's folder it lists that project, " +
    "elsewhere all projects.",
  examples: [
    { line: "sessions pending", says: "in this folder's project" },
    { line: "sessions pending --everywhere --since 2w", says: "in all projects, in the last two weeks" },
  ],
  positionals: [],
  flags: {
    ...filterFlags,
    everywhere: { type: "boolean", description: "all projects" },
    todos: { type: "boolean", description: "only items of todo and task lists" },
    limit: {
      type: "number",
      default: 20,
      min: 1,
      placeholder: "N",
      description: "show at most this many sessions",
    },
    ...offsetFlag,
    ...agentFlags,
  },
  async run({ flags }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: true });
    const { everywhere, todos, limit, offset } = flags;
    const { total, totalWithRepeats, project, sessions } = await history.pending({
      filter: filtersOf(flags),
      everywhere,
      todos,
      // Nobody needs to read one template forty times.
      folded: true,
      limit,
      offset,
    });
    if (flags.json) {
      printJson(world, {
        total,
        totalWithRepeats,
        demo: history.demo,
        project: project ?? null,
        sessions: sessions.map(pendingJson),
      });
      return exitCodes.done;
    }
    const style = createStyle(world.stderr.hasColor);
    if (total === 0)
      world.stderr.write(
        `${style.dim(`No unfinished work${project === undefined ? "" : ` in ${project}`}.`)}\n`,
      );
    const ids = shortIds(sessions.map(({ row }) => row.digest.id));
    const format = (some: readonly PendingSession[]): string =>
      some.map((session) => formatSession(session, ids, world)).join("\n");
    world.stdout.write(project === undefined ? formatProjects(sessions, format, world) : format(sessions));
    noteMore({ total, offset, shown: sessions.length, unit: "session" }, world);
    return exitCodes.done;
  },
});

function pendingJson({ row, items }: PendingSession): object {
  const { digest } = row;
  return {
    sessionId: digest.id,
    agent: digest.agent,
    title: digest.title,
    project: digest.project,
    repository: digest.repository,
    worktree: digest.worktree,
    endedAt: isoTime(digest.endedAt),
    pending: items.map(({ text, turn, source, status, sessions }) => ({
      text,
      turn,
      source,
      status: status ?? null,
      sessions,
    })),
  };
}

/** Formats sessions below the name of their project; the project with the newest session comes first. */
function formatProjects(
  sessions: readonly PendingSession[],
  format: (sessions: readonly PendingSession[]) => string,
  world: World,
): string {
  const style = createStyle(world.stdout.hasColor);
  const projects = new Map<string, PendingSession[]>();
  for (const session of sessions) {
    const { digest } = session.row;
    const project = digest.project === null ? NO_PROJECT : projectLabel(digest);
    const others = projects.get(project);
    if (others === undefined) projects.set(project, [session]);
    else others.push(session);
  }
  return [...projects]
    .map(
      ([project, own]) =>
        `${style.bold(wrapMessage(sanitize(project), world.stdout.columns))}\n${format(own)}`,
    )
    .join("\n");
}

function formatSession(
  { row, items }: PendingSession,
  ids: ReadonlyMap<string, string>,
  world: World,
): string {
  const style = createStyle(world.stdout.hasColor);
  const { digest } = row;
  const when = digest.endedAt === null ? "" : ` ${relativeDate(digest.endedAt, world)}`;
  const id = world.stdout.isTerminal ? (ids.get(digest.id) ?? digest.id) : digest.id;
  const columns = world.stdout.columns ?? Number.POSITIVE_INFINITY;
  const room = columns - id.length - when.length - 1;
  const title = listTitle(digest.title);
  // A long id is in a line of its own.
  const head =
    room < MIN_TITLE
      ? `${style.cyan(id)}\n  ${truncate(title, columns - when.length - 2)}${style.dim(when)}`
      : `${style.cyan(id)} ${truncate(title, room)}${style.dim(when)}`;
  const lines = items.map((item) =>
    formatPendingItem({ ...item, text: pendingText(item) }, readingWidth(world.stdout)),
  );
  return `${head}\n${lines.join("\n")}\n`;
}
