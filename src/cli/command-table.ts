import { exitCodes, UserError } from "../errors.ts";
import { hintNearest } from "./arguments.ts";
import type { Command } from "./command.ts";

/** Groups in the order of help: daily work first. */
export const commandGroups = ["Find", "Keep", "Shrink", "Set up", "More"] as const;

export interface CommandRow {
  readonly name: string;
  readonly group: (typeof commandGroups)[number];
  /** One line for help, which does not load the command. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
  /** Called by programs, not by people, and left out of help. */
  readonly hidden?: boolean;
  /** The exit code is always 0: another one would stop the agent that calls it. */
  readonly neverFails?: boolean;
}

/** A new command is one file and one row here. Its code is loaded only when it is called. */
export const commandTable: readonly CommandRow[] = [
  {
    name: "overview",
    group: "Find",
    summary: "show agents, the newest sessions, and what to try next",
    load: () => import("./commands/overview.ts"),
  },
  {
    name: "search",
    group: "Find",
    summary: "find sessions by what was said and done in them",
    load: () => import("./commands/search.ts"),
  },
  {
    name: "pick",
    group: "Find",
    summary: "search as you type, preview, and resume",
    load: () => import("./commands/pick.ts"),
  },
  {
    name: "grep",
    group: "Find",
    summary: "search every text with a regular expression",
    load: () => import("./commands/grep.ts"),
  },
  {
    name: "list",
    group: "Find",
    summary: "list sessions, newest first",
    load: () => import("./commands/list.ts"),
  },
  {
    name: "projects",
    group: "Find",
    summary: "list projects, with their worktrees and last activity",
    load: () => import("./commands/projects.ts"),
  },
  {
    name: "stats",
    group: "Find",
    summary: "count turns, tool calls, tokens and costs",
    load: () => import("./commands/stats.ts"),
  },
  {
    name: "show",
    group: "Find",
    summary: "show one session, or parts of its conversation",
    load: () => import("./commands/show.ts"),
  },
  {
    name: "files",
    group: "Find",
    summary: "show which sessions read or wrote a file",
    load: () => import("./commands/files.ts"),
  },
  {
    name: "pending",
    group: "Find",
    summary: "list unfinished work",
    load: () => import("./commands/pending.ts"),
  },
  {
    name: "resume",
    group: "Find",
    summary: "print or run the agent's own resume command",
    load: () => import("./commands/resume.ts"),
  },
  {
    name: "serve",
    group: "Find",
    summary: "show the history as a page in the browser",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "archive",
    group: "Keep",
    summary: "archive sessions: every byte, and a readable copy",
    load: () => import("./commands/archive.ts"),
  },
  {
    name: "restore",
    group: "Keep",
    summary: "put archived sessions back where their agent finds them",
    load: () => import("./commands/restore.ts"),
  },
  {
    name: "verify",
    group: "Keep",
    summary: "check the archive against its hashes and the agents' logs",
    load: () => import("./commands/verify.ts"),
  },
  {
    name: "forget",
    group: "Keep",
    summary: "remove a session from archive and index",
    load: () => import("./commands/forget.ts"),
  },
  {
    name: "export",
    group: "Keep",
    summary: "export a session as markdown, HTML or JSON",
    load: () => import("./commands/export.ts"),
  },
  {
    name: "summary",
    group: "Shrink",
    summary: "summarize a session, without a model",
    load: () => import("./commands/summary.ts"),
  },
  {
    name: "index",
    group: "Keep",
    summary: "update the search index, or rebuild it",
    load: () => import("./commands/index.ts"),
  },
  {
    name: "compact",
    group: "Shrink",
    summary: "make a session smaller by its agent's own rules",
    load: () => import("./commands/compact.ts"),
  },
  {
    name: "flatten",
    group: "Shrink",
    summary: "move large tool results out of a session, reversibly",
    load: () => import("./commands/flatten.ts"),
  },
  {
    name: "unflatten",
    group: "Shrink",
    summary: "put back what flatten moved out, byte for byte",
    load: () => import("./commands/unflatten.ts"),
  },
  {
    name: "retrieve",
    group: "Shrink",
    summary: "print the result of one tool call",
    load: () => import("./commands/retrieve.ts"),
  },
  {
    name: "hook",
    group: "Set up",
    summary: "called by agents: archive a session before it is compacted or ends",
    load: () => import("./commands/hook.ts"),
    neverFails: true,
  },
  {
    name: "mcp",
    group: "Set up",
    summary: "serve the history to agents as an MCP server",
    load: () => import("./commands/mcp.ts"),
  },
  {
    name: "completion",
    group: "Set up",
    summary: "complete commands, flags and session ids in bash, zsh and fish",
    load: () => import("./commands/completion.ts"),
  },
  {
    name: "complete",
    group: "More",
    summary: "print what a word can become, for the completion of a shell",
    load: () => import("./commands/complete.ts"),
    hidden: true,
  },
  {
    name: "guard",
    group: "More",
    summary: "archive sessions that are not archived yet",
    load: () => import("./commands/guard.ts"),
    hidden: true,
  },
  {
    name: "install",
    group: "Set up",
    summary: "set up agents: hooks, retention, skill",
    load: () => import("./commands/install.ts"),
  },
  {
    name: "uninstall",
    group: "Set up",
    summary: "undo install",
    load: () => import("./commands/uninstall.ts"),
  },
  {
    name: "doctor",
    group: "Set up",
    summary: "check the set-up, and show how to fix problems",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "retention",
    group: "Set up",
    summary: "show what Claude Code will delete, and make it keep sessions",
    load: () => import("./commands/retention.ts"),
  },
  {
    name: "sync",
    group: "Keep",
    summary: "share one history between your machines, encrypted",
    load: () => import("./commands/sync.ts"),
  },
  {
    name: "remote",
    group: "Set up",
    summary: "name other places: object stores, shared folders, search clusters",
    load: () => import("./commands/remote.ts"),
  },
  {
    name: "push",
    group: "Set up",
    summary: "push sessions to a cluster that a team searches",
    load: () => import("./commands/push.ts"),
  },
  {
    name: "help",
    group: "More",
    summary: "list the commands, or explain one",
    load: () => import("./commands/help.ts"),
  },
  {
    name: "version",
    group: "More",
    summary: "show the version",
    load: () => import("./commands/version.ts"),
  },
];

/** The command that `sessions` alone runs. */
export const defaultCommand = "overview";

/** Finds the row of a command; for an unknown name the error suggests the nearest one. */
export function findRow(name: string, table: readonly CommandRow[], next?: string): CommandRow {
  const row = table.find((each) => each.name === name);
  if (row !== undefined) return row;
  const known = table.filter((each) => each.hidden !== true).map((each) => each.name);
  const hint = hintMeant(name, next, known) ?? hintNearest(name, known, (near) => `\`sessions ${near}\``);
  throw new UserError(`Unknown command "${name}"`, {
    exitCode: exitCodes.wrongUsage,
    hint: hint ?? `to search: \`sessions search ${name}\`; all commands: \`sessions --help\``,
  });
}

/** Other programs' names for our commands. */
const otherNames: Readonly<Record<string, string>> = {
  find: "search",
  query: "search",
  browse: "pick",
  select: "pick",
  ls: "list",
  history: "list",
  view: "show",
  open: "show",
  cat: "show",
  last: "show last",
  current: "show current",
  delete: "forget",
  remove: "forget",
  rm: "forget",
  continue: "resume",
  todo: "pending",
  backup: "archive",
  undelete: "restore",
  import: "restore",
  cost: "stats",
  costs: "stats",
  usage: "stats",
  status: "overview",
  setup: "install",
  web: "serve",
  ui: "serve",
};

/**
 * Guesses the meaning of a first word that is not a command: an id, a question, or another program's name for a
 * command.
 */
function hintMeant(name: string, next: string | undefined, known: readonly string[]): string | undefined {
  // The program's own name, typed twice.
  if (/^sessions?$/.test(name)) {
    const command =
      next === undefined
        ? ""
        : ` ${known.includes(next) ? next : Object.hasOwn(otherNames, next) ? otherNames[next] : "search"}`;
    return `did you mean \`sessions${command}\`?`;
  }
  if (/^(?=.*\d)[0-9a-f-]{4,}$/i.test(name)) return `did you mean \`sessions show ${name}\`?`;
  if (/\s/.test(name)) return `did you mean \`sessions search ${JSON.stringify(name)}\`?`;
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  return other === undefined ? undefined : `did you mean \`sessions ${other}\`?`;
}
