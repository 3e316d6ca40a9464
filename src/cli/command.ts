import type { World } from "./world.ts";

interface FlagBase {
  /** One letter: `-q`. */
  readonly alias?: string;
  readonly description: string;
  /** What stands for the value in help: `--turns A-B`. */
  readonly placeholder?: string;
  /** Accepted, but not told in help. */
  readonly hidden?: boolean;
}

/**
 * One row of a command's table of flags; the key in the table is its name. Both parsers, help and
 * docs/CLI.md are fed from it. A name never begins with `no-`: every boolean has its `--no-` form, and
 * one with `default: true` is shown in that form.
 */
export type Flag =
  | (FlagBase & { readonly type: "boolean"; readonly default?: boolean })
  | (FlagBase & {
      /** A whole number. Counts and sizes are all that this program asks for. */
      readonly type: "number";
      readonly default?: number;
      /** The least that makes sense; 0 where nothing is said. */
      readonly min?: number;
    })
  | (FlagBase & { readonly type: "string"; readonly choices?: readonly string[]; readonly default?: string })
  /** May be repeated; each time adds one. */
  | (FlagBase & { readonly type: "strings"; readonly choices?: readonly string[] });

export type FlagTable = Readonly<Record<string, Flag>>;

export type FlagValue = boolean | number | string | readonly string[] | undefined;

type Word<F> = F extends { readonly choices: readonly (infer C extends string)[] } ? C : string;

/** What a row of the table gives: a default, or absence, is part of the type. */
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
  reveal: { type: "boolean", description: "do not mask secrets (on a terminal only)" },
  color: { type: "boolean", default: true, description: "print without colours" },
  help: { type: "boolean", alias: "h", description: "show this help" },
} as const;

export interface Positional {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** Takes all that follow. Only the last one can. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
}

/** What a command is called with: checked, with defaults filled in. */
export interface Arguments<T = FlagTable> {
  readonly flags: FlagValues<T & typeof globalFlags>;
  /** Names of the flags that were typed, so that a setting can stand in for those that were not. */
  readonly given: ReadonlySet<string>;
  readonly positionals: readonly string[];
  /** Index of the first positional that stood behind `--`; their number where there was none. */
  readonly literalFrom: number;
}

export interface Example {
  readonly line: string;
  readonly says: string;
}

interface CommandBase<T> {
  /** A paragraph or two, for help and for docs/CLI.md. The one-line summary stands in the command table. */
  readonly description: string;
  readonly examples: readonly [Example, ...Example[]];
  readonly positionals: readonly Positional[];
  readonly flags: T;
  /**
   * `light` is a small parser of our own, for commands whose start-up counts; the others are parsed by yargs,
   * with the same results.
   */
  readonly parser: "light" | "yargs";
  /** `-word` is a word unless it is a known flag: the negation of search. Only with the light parser. */
  readonly dashWords?: boolean;
}

/** A command as the frame sees it. Made by `defineCommand`, which alone knows the types of its flags. */
export interface Command extends CommandBase<FlagTable> {
  run(args: ParsedArguments, world: World): Promise<number>;
}

/** Arguments before the types of the flags are known. */
export interface ParsedArguments extends Omit<Arguments, "flags"> {
  readonly flags: Readonly<Record<string, FlagValue>>;
}

interface TypedCommand<T extends FlagTable> extends CommandBase<T> {
  /** Prints its answer and gives the exit code. */
  run(args: Arguments<T>, world: World): Promise<number>;
}

/**
 * Ties the table of flags to the arguments that `run` gets, so that `args.flags.limit` is a number
 * because the table says so.
 */
export function defineCommand<const T extends FlagTable>(command: TypedCommand<T>): Command {
  return {
    ...command,
    // The parsers fill every row of the table with a value of its type (checkArguments), which the type
    // system cannot follow through a table.
    run: (args, world) => command.run(args as unknown as Arguments<T>, world),
  };
}
