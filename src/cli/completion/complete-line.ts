import { assertNever } from "../../errors.ts";
import type { SessionLabel } from "../../history/history.ts";
import { sessionLabels } from "../../history/session-labels.ts";
import type { Remote } from "../../remote/remotes.ts";
import { THIS_MACHINE } from "../../search/session-condition.ts";
import { projectLabel } from "../../session/checkout.ts";
import { type Flag, type FlagTable, flagDescription, globalFlags, type ValueKind } from "../command.ts";
import type { CommandRow } from "../command-table.ts";
import { filterFlags } from "../filter-flags.ts";
import { openStoreIn } from "../open-store.ts";
import { sanitize } from "../output/sanitize.ts";
import { truncate } from "../output/text-width.ts";
import type { World } from "../world.ts";

/** A completion of the word under the cursor. */
export interface Suggestion {
  readonly value: string;
  /** Its description, for shells that show it. */
  readonly says: string;
}

export interface Completion {
  readonly candidates: readonly Suggestion[];
  /** The shell may also offer names of files. */
  readonly files: boolean;
}

type BooleanFlag = Extract<Flag, { readonly type: "boolean" }>;

const NOTHING: Completion = { candidates: [], files: false };

/** Names on this machine, read only if needed. */
export interface KnownNames {
  sessions(): Promise<readonly SessionLabel[]>;
  remotes(): Promise<readonly Pick<Remote, "name" | "kind">[]>;
}

/**
 * Completes the last of the words after the program's name. Commands and flags come from the command table; names of
 * sessions, projects, branches, tools and machines come from the index without a refresh, those of remotes from their
 * list.
 */
export async function completeLine(
  words: readonly string[],
  table: readonly CommandRow[],
  known: KnownNames,
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
  const place = { table, known, current };
  const before = rest.slice(0, -1);
  const open = flagBefore(before.at(-1), flags);
  if (open !== undefined) return fitting(await valuesOf(open, place));
  // `-agent:pi` is a negation in a query.
  const isFlag = /^-(?![a-z]+:)/.test(current) && !before.includes("--");
  const [, named, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (isFlag && named !== undefined && value !== undefined) {
    const flag = flagBefore(named, flags);
    if (flag === undefined) return NOTHING;
    return fitting(withPrefix(`${named}=`, await valuesOf(flag, { ...place, current: value })));
  }
  if (isFlag) return fitting(flagsOf(flags));
  const { positionals } = command;
  const last = positionals.at(-1);
  const positional = positionals[countPositionals(before, flags)] ?? (last?.many === true ? last : undefined);
  return positional === undefined ? NOTHING : fitting(await valuesOf(positional, place));
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

/** The flag before the cursor, if it takes a value. */
function flagBefore(word: string | undefined, flags: FlagTable): Exclude<Flag, BooleanFlag> | undefined {
  if (word === undefined || !word.startsWith("-")) return undefined;
  for (const [name, flag] of Object.entries(flags)) {
    const names = [`--${name}`, ...(flag.alias === undefined ? [] : [`-${flag.alias}`])];
    if (flag.type !== "boolean" && names.includes(word)) return flag;
  }
  return undefined;
}

function countPositionals(words: readonly string[], flags: FlagTable): number {
  return words.filter(
    (word, index) => !word.startsWith("-") && flagBefore(words[index - 1], flags) === undefined,
  ).length;
}

/** The description of a flag's or positional's values. */
interface ValuePlace {
  readonly description: string;
  readonly choices?: readonly string[];
  readonly values?: ValueKind;
}

interface ValueContext {
  readonly table: readonly CommandRow[];
  readonly known: KnownNames;
  /** The typed part of the value. */
  readonly current: string;
}

async function valuesOf({ choices, values }: ValuePlace, context: ValueContext): Promise<Completion> {
  if (choices !== undefined) return candidatesOf(choices);
  if (values === undefined) return NOTHING;
  const { table, known, current } = context;
  switch (values) {
    case "file":
      return { candidates: [], files: true };
    case "command":
      return commandsOf(table);
    case "session":
      return sessionsOf(await known.sessions(), current);
    case "project":
      return named(await known.sessions(), ({ project }) => project);
    case "branch":
      return named(await known.sessions(), ({ branch }) => branch);
    case "tool":
      return distinct((await known.sessions()).flatMap(({ tools }) => tools));
    case "machine":
      return distinct((await known.sessions()).map(({ machine }) => machine ?? THIS_MACHINE));
    case "remote":
      return remotesOf(await known.remotes(), ["s3", "folder", "opensearch"]);
    case "repository":
      return remotesOf(await known.remotes(), ["s3", "folder"]);
    case "cluster":
      return remotesOf(await known.remotes(), ["opensearch"]);
    case "query":
    case "filter":
      return fieldValuesOf(values, context);
    default:
      return assertNever(values);
  }
}

function candidatesOf(values: readonly string[]): Completion {
  return { candidates: values.map((value) => ({ value, says: "" })), files: false };
}

function remotesOf(
  remotes: readonly Pick<Remote, "name" | "kind">[],
  kinds: readonly Remote["kind"][],
): Completion {
  const fitting = remotes.filter(({ kind }) => kinds.includes(kind));
  return { candidates: fitting.map(({ name, kind }) => ({ value: name, says: kind })), files: false };
}

/** Values of the field that is being typed, `agent:cl` or `-agent:cl`; they are those of the flag with its name. */
async function fieldValuesOf(kind: "query" | "filter", context: ValueContext): Promise<Completion> {
  const [, prefix = "", name = "", value = ""] = /^(-?([a-z]+):)(.*)$/s.exec(context.current) ?? [];
  const field = Object.entries(filterFlags).find(([each]) => each === name)?.[1];
  if (field === undefined) return NOTHING;
  const { candidates } = await valuesOf(field, { ...context, current: value });
  const quoted = candidates.map((each) => {
    const isBroken = kind === "query" && /\s/.test(each.value);
    return isBroken ? { ...each, value: `"${each.value}"` } : each;
  });
  return withPrefix(prefix, { candidates: quoted, files: false });
}

function withPrefix(prefix: string, { candidates, files }: Completion): Completion {
  return { candidates: candidates.map((each) => ({ ...each, value: prefix + each.value })), files };
}

/** Projects or branches, the most recently used first, each with its number of sessions. */
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

function sessionsOf(sessions: readonly SessionLabel[], current: string): Completion {
  // Titles are cut only if they are shown: cutting thousands takes longer than reading them.
  const all = sessions
    .filter(({ id }) => id.startsWith(current))
    .map((session) => ({ value: sanitize(session.id), says: labelOf(session) }));
  return { candidates: [{ value: "last", says: "the newest session of this folder" }, ...all], files: false };
}

/** The project is always shown; a long title is cut. */
function labelOf(session: SessionLabel): string {
  const project = sanitize(projectLabel(session));
  const title = sanitize(session.title ?? "(no title)");
  return `${truncate(title, Math.max(TITLE_CHARS - project.length - 3, TITLE_CHARS / 2))} · ${project}`;
}

/** Reads the index without refreshing it. Opening the library would take longer than the rest of a Tab. */
export function knownNames(world: World): KnownNames {
  const store = (): ReturnType<typeof openStoreIn> => openStoreIn(world, { allowDemo: false });
  return {
    sessions: async () => sessionLabels(await store()),
    async remotes() {
      const { readRemotes } = await import("../../remote/remotes.ts");
      return readRemotes((await store()).library);
    },
  };
}
