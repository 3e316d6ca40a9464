import type { SessionLabel } from "../../history/history.ts";
import { sessionLabels } from "../../history/session-labels.ts";
import { projectLabel } from "../../session/checkout.ts";
import { type Command, type Flag, type FlagTable, flagDescription, globalFlags } from "../command.ts";
import type { CommandRow } from "../command-table.ts";
import { openStoreIn } from "../open-store.ts";
import { sanitize } from "../output/sanitize.ts";
import { truncate } from "../output/text-width.ts";
import type { World } from "../world.ts";

/** Something that the word under the cursor can become. */
export interface Suggestion {
  readonly value: string;
  /** What it is, for shells that show it. */
  readonly says: string;
}

export interface Completion {
  readonly candidates: readonly Suggestion[];
  /** The shell may offer names of files, too. */
  readonly files: boolean;
}

const NOTHING: Completion = { candidates: [], files: false };

/**
 * Completes the last of the words that follow the program's name. What can be typed comes from the command table; names of
 * sessions, projects and branches come from the index as it is.
 */
export async function completeLine(
  words: readonly string[],
  table: readonly CommandRow[],
  sessions: () => Promise<readonly SessionLabel[]>,
): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const fitting = ({ candidates, files }: Completion): Completion => ({
    candidates: candidates.filter(({ value }) => value.startsWith(current)),
    files,
  });
  const [name = "", ...rest] = words;
  if (words.length <= 1) return fitting(current.startsWith("-") ? flagsOf(globalFlags) : commandsOf(table));
  const row = table.find((each) => each.name === name);
  if (row === undefined) return NOTHING;
  const { command } = await row.load();
  const flags = { ...command.flags, ...globalFlags };
  const before = rest.slice(0, -1);
  const open = flagBefore(before.at(-1), flags);
  if (open !== undefined) return fitting(await valuesOf(open.name, open.flag, sessions));
  if (current.startsWith("-") && !before.includes("--")) return fitting(flagsOf(flags));
  const index = countPositionals(before, flags);
  return fitting(await positionalsOf({ name, command, index, current }, table, sessions));
}

function commandsOf(table: readonly CommandRow[]): Completion {
  const shown = table.filter(({ hidden }) => hidden !== true);
  return { candidates: shown.map(({ name, summary }) => ({ value: name, says: summary })), files: false };
}

function flagsOf(flags: FlagTable): Completion {
  const candidates = Object.entries(flags)
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => ({
      value: `--${flag.type === "boolean" && flag.default === true ? "no-" : ""}${name}`,
      says: flagDescription(flag),
    }));
  return { candidates, files: false };
}

/** The flag that the word before the cursor is, if it takes a value. */
function flagBefore(
  word: string | undefined,
  flags: FlagTable,
): { readonly name: string; readonly flag: Flag } | undefined {
  if (word === undefined || !word.startsWith("-")) return undefined;
  for (const [name, flag] of Object.entries(flags)) {
    const names = [`--${name}`, ...(flag.alias === undefined ? [] : [`-${flag.alias}`])];
    if (flag.type !== "boolean" && names.includes(word)) return { name, flag };
  }
  return undefined;
}

function countPositionals(words: readonly string[], flags: FlagTable): number {
  return words.filter(
    (word, index) => !word.startsWith("-") && flagBefore(words[index - 1], flags) === undefined,
  ).length;
}

type Sessions = () => Promise<readonly SessionLabel[]>;

async function valuesOf(name: string, flag: Flag, sessions: Sessions): Promise<Completion> {
  if (flag.type !== "boolean" && flag.type !== "number" && flag.choices !== undefined)
    return { candidates: flag.choices.map((value) => ({ value, says: "" })), files: false };
  switch (name) {
    case "project":
      return named(await sessions(), ({ project }) => project);
    case "branch":
      return named(await sessions(), ({ branch }) => branch);
    case "tool":
      return distinct((await sessions()).flatMap(({ tools }) => tools));
    default:
      return { candidates: [], files: flag.type === "string" || flag.type === "strings" };
  }
}

/** Projects or branches, the last used first, each with the number of its sessions. */
function named(
  sessions: readonly SessionLabel[],
  nameOf: (session: SessionLabel) => string | null,
): Completion {
  return distinct(sessions.flatMap((session) => nameOf(session) ?? []));
}

function distinct(names: readonly string[]): Completion {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const candidates = [...counts].map(([value, count]) => ({
    value: sanitize(value),
    says: count === 1 ? "1 session" : `${count} sessions`,
  }));
  return { candidates, files: false };
}

const TITLE_CHARS = 60;

interface PositionalPlace {
  readonly name: string;
  readonly command: Command;
  /** How many positionals come before it. */
  readonly index: number;
  /** What is typed of it. */
  readonly current: string;
}

async function positionalsOf(
  { name, command: { positionals }, index, current }: PositionalPlace,
  table: readonly CommandRow[],
  sessions: Sessions,
): Promise<Completion> {
  const last = positionals.at(-1);
  const positional = positionals[index] ?? (last?.many === true ? last : undefined);
  if (positional === undefined) return NOTHING;
  if (positional.choices !== undefined)
    return { candidates: positional.choices.map((value) => ({ value, says: "" })), files: false };
  switch (positional.name) {
    case "command":
      return commandsOf(table);
    case "session": {
      // Titles are cut only if they are shown: of thousands, that takes longer than to read them.
      const all = (await sessions())
        .filter(({ id }) => id.startsWith(current))
        .map((session) => ({ value: sanitize(session.id), says: labelOf(session) }));
      const newest = { value: "last", says: "the newest session of this folder" };
      return { candidates: name === "completion" ? all : [newest, ...all], files: false };
    }
    case "path":
      return { candidates: [], files: true };
    default:
      return NOTHING;
  }
}

/** The project is always shown; a long title is cut. */
function labelOf(session: SessionLabel): string {
  const project = sanitize(projectLabel(session));
  const title = sanitize(session.title ?? "(no title)");
  return `${truncate(title, Math.max(TITLE_CHARS - project.length - 3, TITLE_CHARS / 2))} · ${project}`;
}

/** Lists the sessions of the index without refreshing it. Opening the library would take longer than the rest of a Tab. */
export async function indexedSessions(world: World): Promise<readonly SessionLabel[]> {
  return sessionLabels(await openStoreIn(world, { allowDemo: false }));
}
