import type { World } from "./world.ts";

/**
 * The kind of thing that a value names, so that Tab can complete it; without it nothing is offered, unless there are
 * choices.
 */
export type ValueKind =
  | "branch"
  | "command"
  | "file"
  | "machine"
  | "project"
  | "session"
  | "tool"
  /** A name from the list of remotes: any kind, those for `sync`, or those for `push`. */
  | "remote"
  | "repository"
  | "cluster"
  /** Words and fields (`agent:pi`): in a query they may be in quotes, in a list of filters each is one argument. */
  | "query"
  | "filter";

interface FlagBase {
  /** One letter: `-q`. */
  readonly alias?: string;
  /** Other accepted names; help shows only the flag's own. */
  readonly otherNames?: readonly string[];
  readonly description: string;
  /** The name of its value in help: `--turns A-B`. */
  readonly placeholder?: string;
  /** Accepted, but not shown in help. */
  readonly hidden?: boolean;
}

interface ValueBase {
  readonly choices?: readonly string[];
  readonly values?: ValueKind;
}

/**
 * One row of a command's table of flags; its key in the table is its name. The parser, help and docs/CLI.md are
 * generated from it. A name never starts with `no-`: every boolean has its `--no-` form, and one with `default: true`
 * is shown in that form.
 */
export type Flag =
  | (FlagBase & { readonly type: "boolean"; readonly default?: boolean })
  | (FlagBase & {
      /** A whole number: every number that this program takes is a count or a size. */
      readonly type: "number";
      readonly default?: number;
      /** The smallest accepted number; 0 if absent. */
      readonly min?: number;
    })
  | (FlagBase &
      ValueBase & {
        readonly type: "string";
        readonly default?: string;
      })
  /** May be repeated; each time adds one. */
  | (FlagBase & ValueBase & { readonly type: "strings" });

export type FlagTable = Readonly<Record<string, Flag>>;

export type FlagValue = boolean | number | string | readonly string[] | undefined;

type Word<F> = F extends { readonly choices: readonly (infer C extends string)[] } ? C : string;

/** The type of a flag's value, which its default or the lack of one affects. */
export type ValueOf<F> = F extends { readonly type: "boolean" }
  ? boolean
  : F extends { readonly type: "strings" }
    ? readonly Word<F>[]
    : F extends { readonly type: "number" }
      ? F extends { readonly default: number }
        ? number
        : number | undefined
      : F extends { readonly default: string }
        ? Word<F>
        : Word<F> | undefined;

export type FlagValues<T> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

/** Flags that every command has. */
export const globalFlags = {
  json: { type: "boolean", description: "print JSON, for programs" },
  reveal: { type: "boolean", description: "show secrets unmasked (only on a terminal)" },
  color: { type: "boolean", default: true, description: "print without colours" },
  help: { type: "boolean", alias: "h", description: "show this help" },
} as const;

/** The flag of every command with a dry run. */
export const dryRunFlag = {
  type: "boolean",
  alias: "n",
  otherNames: ["dry"],
  description: "show what would be done, and change nothing",
} as const;

/** Set by the plugin of an agent, which provides the same as `sessions install`. */
export const pluginFlag = {
  type: "string",
  placeholder: "AGENT",
  description: "called by this agent's plugin: does nothing if `sessions install` set up the same",
} as const;

/** The sessions that a command is about. */
export const sessionPositional = {
  name: "session",
  description: "id, start of an id, last, current, or a path",
  many: true,
  values: "session",
} as const;

/** Archived sessions; without any, all that match the other flags. */
export const archivedPositional = {
  name: "session",
  description: "id, start of an id, last, last N, or the path of its log",
  optional: true,
  many: true,
  values: "session",
} as const;

export interface Positional {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** Takes all remaining arguments. Only the last one can. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
  /** Guesses which command a word that is none of the choices was meant as. */
  readonly meant?: (word: string) => string | undefined;
  readonly values?: ValueKind;
}

/** The arguments that a command gets: checked, with defaults filled in. */
export interface Arguments<T = FlagTable> {
  readonly flags: FlagValues<T & typeof globalFlags>;
  /** Names of the flags that were typed; the others have their defaults. */
  readonly given: ReadonlySet<string>;
  readonly positionals: readonly string[];
  /** Index of the first positional after `--`; their number if there was no `--`. */
  readonly literalFrom: number;
}

export interface Example {
  readonly line: string;
  readonly says: string;
}

interface CommandBase<T> {
  /** A paragraph or two, for help and for docs/CLI.md. The one-line summary is in the command table. */
  readonly description: string;
  readonly examples: readonly [Example, ...Example[]];
  readonly positionals: readonly Positional[];
  readonly flags: T;
  /** `-word` is a word unless it is a known flag: the negation of search. */
  readonly dashWords?: boolean;
}

/** A command of any table of flags, as `defineCommand` makes it. */
export interface Command extends CommandBase<FlagTable> {
  run(args: ParsedArguments, world: World): Promise<number>;
}

/** Arguments before the types of the flags are known. */
export interface ParsedArguments extends Omit<Arguments, "flags"> {
  readonly flags: Readonly<Record<string, FlagValue>>;
}

interface TypedCommand<T extends FlagTable> extends CommandBase<T> {
  /** Prints its answer and returns the exit code. */
  run(args: Arguments<T>, world: World): Promise<number>;
}

/**
 * Ties the table of flags to the arguments that `run` gets, so that `args.flags.limit` is a number
 * because the table says so.
 */
export function defineCommand<const T extends FlagTable>(command: TypedCommand<T>): Command {
  return {
    ...command,
    // parseArguments() fills every row of the table with a value of its type, which the type system cannot follow.
    run: (args, world) => command.run(args as unknown as Arguments<T>, world),
  };
}

/** The usage line of a command: `sessions archive [selector…] [flags]`. */
export function usageOf(name: string, positionals: readonly Positional[]): string {
  const parts = positionals.map((positional) => {
    const words = positional.choices?.join("|") ?? positional.name;
    const text = positional.many === true ? `${words}…` : words;
    return positional.optional === true ? `[${text}]` : `<${text}>`;
  });
  return ["sessions", name, ...parts, "[flags]"].join(" ");
}

interface FlagLine {
  /** As it is typed: `-q, --quiet`, `--limit N`, `--no-refresh`. */
  readonly term: string;
  readonly says: string;
}

/** The flags of a table as help and docs show them. */
export function flagLines(table: FlagTable): readonly FlagLine[] {
  return Object.entries(table)
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => ({
      term: `${flag.alias === undefined ? "" : `-${flag.alias}, `}--${longTerm(name, flag)}`,
      says: flagDescription(flag),
    }));
}

/** The name without dashes, with the name of its value. */
export function longTerm(name: string, flag: Flag): string {
  if (flag.type === "boolean") return flag.default === true ? `no-${name}` : name;
  return `${name} ${flag.placeholder ?? (flag.type === "number" ? "N" : "VALUE")}`;
}

/** The description with the possible values and the default. */
export function flagDescription(flag: Flag): string {
  if (flag.type === "boolean") return flag.description;
  const notes: string[] = [];
  if (flag.type !== "number" && flag.choices !== undefined) notes.push(flag.choices.join(", "));
  if (flag.type !== "strings" && flag.default !== undefined) notes.push(`default ${flag.default}`);
  if (flag.type === "strings") notes.push("may be repeated");
  return notes.length === 0 ? flag.description : `${flag.description} (${notes.join("; ")})`;
}
