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
    summary: "show what there is: agents, the newest sessions, how to go on",
    load: () => import("./commands/overview.ts"),
  },
  {
    name: "search",
    group: "Find",
    summary: "find sessions by what was said and done in them",
    load: () => import("./commands/search.ts"),
  },
  {
    name: "grep",
    group: "Find",
    summary: "find lines by a regular expression, in everything",
    load: () => import("./commands/grep.ts"),
  },
  {
    name: "list",
    group: "Find",
    summary: "list sessions, newest first",
    load: () => import("./commands/list.ts"),
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
    summary: "tell which sessions touched a file",
    load: () => import("./commands/files.ts"),
  },
  {
    name: "pending",
    group: "Find",
    summary: "list work that was left open",
    load: () => import("./commands/pending.ts"),
  },
  {
    name: "resume",
    group: "Find",
    summary: "print or run the agent's own resume command",
    load: () => import("./commands/resume.ts"),
  },
  {
    name: "archive",
    group: "Keep",
    summary: "keep every byte of sessions, and a readable copy",
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
    summary: "prove the archive against its hashes and its sources",
    load: () => import("./commands/verify.ts"),
  },
  {
    name: "forget",
    group: "Keep",
    summary: "take a session out of archive and index for good",
    load: () => import("./commands/forget.ts"),
  },
  {
    name: "export",
    group: "Keep",
    summary: "make one document of a session: markdown, HTML or JSON",
    load: () => import("./commands/export.ts"),
  },
  {
    name: "summary",
    group: "Shrink",
    summary: "sum up a session, without a model",
    load: () => import("./commands/summary.ts"),
  },
  {
    name: "index",
    group: "Keep",
    summary: "bring the index up to date, or build it anew",
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
    summary: "move bulky tool results out of a session, reversibly",
    load: () => import("./commands/flatten.ts"),
  },
  {
    name: "unflatten",
    group: "Shrink",
    summary: "put everything back that was moved out: the identical bytes",
    load: () => import("./commands/unflatten.ts"),
  },
  {
    name: "retrieve",
    group: "Shrink",
    summary: "give back what one tool call returned",
    load: () => import("./commands/retrieve.ts"),
  },
  {
    name: "hook",
    group: "Set up",
    summary: "called by agents: keep a session before it is compacted or ends",
    load: () => import("./commands/hook.ts"),
    neverFails: true,
  },
  {
    name: "guard",
    group: "More",
    summary: "archive what is not safe yet, quietly",
    load: () => import("./commands/guard.ts"),
    hidden: true,
  },
  {
    name: "install",
    group: "Set up",
    summary: "make agents archive by themselves: hooks, retention, skill",
    load: () => import("./commands/install.ts"),
  },
  {
    name: "uninstall",
    group: "Set up",
    summary: "take back what install did",
    load: () => import("./commands/uninstall.ts"),
  },
  {
    name: "doctor",
    group: "Set up",
    summary: "say what is wrong with the set-up, each with its fix",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "retention",
    group: "Set up",
    summary: "tell what Claude Code will delete, and make it keep sessions",
    load: () => import("./commands/retention.ts"),
  },
  {
    name: "help",
    group: "More",
    summary: "show what there is, or how to use one command",
    load: () => import("./commands/help.ts"),
  },
  {
    name: "version",
    group: "More",
    summary: "show which version this is",
    load: () => import("./commands/version.ts"),
  },
];

/** The command that `sessions` alone runs. */
export const defaultCommand = "overview";

/** Finds the row of a command; for an unknown name the error hints at the nearest one. */
export function findRow(name: string, table: readonly CommandRow[]): CommandRow {
  const row = table.find((each) => each.name === name);
  if (row !== undefined) return row;
  const known = table.filter((each) => each.hidden !== true).map((each) => each.name);
  throw new UserError(`Unknown command "${name}"`, {
    exitCode: exitCodes.wrongUsage,
    hint: hintNearest(name, known, (near) => `\`sessions ${near}\``) ?? "run `sessions --help`",
  });
}
