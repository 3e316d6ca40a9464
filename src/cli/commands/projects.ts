import type { ProjectCount, ProjectsAnswer } from "../../index.ts";
import { isoTime } from "../../render/json/session-json.ts";
import { formatNumber } from "../../render/words.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { filterFlags } from "../filter-flags.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf } from "../output/amounts.ts";
import { relativeDate } from "../output/dates.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { shortPath } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import { formatTable } from "../output/table.ts";
import type { World } from "../world.ts";

const { project, agent, branch, since, until } = filterFlags;

export const command: Command = defineCommand({
  description:
    "Lists projects, the last active first, with the number of their sessions. Worktrees of a git repository are listed " +
    "below it, and their sessions count for it.",
  examples: [
    { line: "sessions projects", says: "the projects that were worked on last" },
    { line: "sessions projects --since 7d --agent claude", says: "with Claude Code, in the last week" },
  ],
  positionals: [],
  flags: {
    project,
    agent,
    branch,
    since,
    until,
    limit: { type: "number", default: 20, min: 1, placeholder: "N", description: "show at most this many" },
    offset: { type: "number", default: 0, placeholder: "N", description: "skip this many" },
    ...agentFlags,
  },
  async run({ flags }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: true });
    const { limit, offset, json: isJson, ...rest } = flags;
    const filter = {
      project: rest.project,
      agent: rest.agent,
      branch: rest.branch,
      since: rest.since,
      until: rest.until,
    };
    const answer = await history.projects({ filter, limit, offset });
    if (isJson) printJson(world, { ...projectsJson(answer), demo: history.demo });
    else if (answer.projects.length > 0) {
      world.stdout.write(formatProjects(answer.projects, world));
      const hidden = answer.total - offset - answer.projects.length;
      if (hidden > 0 && world.stdout.isTerminal)
        say(world, `${amountOf(hidden, "more", "more")}: --offset ${offset + answer.projects.length}`);
    } else if (answer.total > 0) {
      const all = amountOf(answer.total, "project matches", "projects match");
      say(world, `No more: ${all}, and --offset ${offset} skips all of them.`);
    } else say(world, "No projects match.");
    return 0;
  },
});

function say(world: World, text: string): void {
  world.stderr.write(`${createStyle(world.stderr.hasColor).dim(text)}\n`);
}

/** The answer of `sessions projects --json`. */
function projectsJson({ total, projects, coverage }: ProjectsAnswer): object {
  return {
    total,
    coverage: coverageJson(coverage),
    projects: projects.map(({ worktrees, startedAt, endedAt, ...counts }) => ({
      ...counts,
      startedAt: isoTime(startedAt),
      endedAt: isoTime(endedAt),
      worktrees: worktrees.map((each) => ({
        ...each,
        startedAt: isoTime(each.startedAt),
        endedAt: isoTime(each.endedAt),
      })),
    })),
  };
}

/** A line of the table: a project, or one of its worktrees. */
interface Line extends Pick<ProjectCount, "project" | "sessions" | "turns" | "endedAt"> {
  readonly name: string;
  readonly isWorktree: boolean;
  readonly agents: readonly string[];
}

/** Narrower terminals have no room for folders. */
const ROOM_FOR_FOLDERS = 80;

function formatProjects(projects: readonly ProjectCount[], world: World): string {
  const { columns: width, hasColor } = world.stdout;
  const style = createStyle(hasColor);
  const hasFolders = width === undefined || width >= ROOM_FOR_FOLDERS;
  const lines = projects.flatMap((each): readonly Line[] => [
    { ...each, isWorktree: false, agents: Object.keys(each.agents) },
    ...each.worktrees.map((tree) => ({ ...tree, name: tree.worktree, isWorktree: true, agents: [] })),
  ]);
  return formatTable(
    lines,
    [
      {
        title: "PROJECT",
        text: ({ name, isWorktree }) => (isWorktree ? `  worktree ${name}` : name),
        shrinkTo: hasFolders ? 26 : 12,
        cut: "middle",
        style: (text, { isWorktree }) => (isWorktree ? style.dim(text) : style.bold(text)),
      },
      { title: "SESSIONS", text: ({ sessions }) => formatNumber(sessions), align: "right" },
      { title: "TURNS", text: ({ turns }) => formatNumber(turns), align: "right", style: style.dim },
      {
        title: "LAST",
        text: ({ endedAt }) => (endedAt === null ? "–" : relativeDate(endedAt, world)),
        style: style.dim,
      },
      { title: "AGENTS", text: ({ agents }) => agents.join(", "), shrinkTo: 6, style: style.dim },
      ...(hasFolders
        ? [
            {
              title: "FOLDER",
              text: ({ project: folder }: Line) => (folder === null ? "" : shortPath(folder, world.home)),
              shrinkTo: 8,
              cut: "middle" as const,
              style: style.dim,
            },
          ]
        : []),
    ],
    { width, titleStyle: style.dim },
  );
}
