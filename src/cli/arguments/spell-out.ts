import type { FlagTable } from "../command.ts";

export interface Spelled {
  readonly argv: readonly string[];
  /** Flags that are in no table, as typed. */
  readonly unknown: readonly string[];
}

/** `-5` is a word; `-5e3` and `-x` are not. */
const negativeNumber = /^-(\d+(\.\d+)?|\.\d+)$/;

/**
 * Writes short flags out as long ones, in the grammar of getopt: `-il` is two flags, `-C3`, `-C=3` and
 * `-C 3` are one with its value. The parsers behind it each read these in their own way; long flags they read
 * alike.
 *
 * With `dashWords` a dash makes a flag only of a single known letter, alone or with a number behind it; any
 * other `-word` stays a word.
 */
export function spellOut(argv: readonly string[], table: FlagTable, dashWords: boolean): Spelled {
  const letters = new Map(Object.entries(table).map(([name, flag]) => [flag.alias ?? "", name]));
  const spelled: string[] = [];
  const unknown: string[] = [];
  const end = argv.indexOf("--");
  const flagged = end < 0 ? argv : argv.slice(0, end);
  for (const arg of flagged) {
    if (isOdd(arg)) {
      unknown.push(arg);
    } else if (!/^-[^-]/.test(arg) || negativeNumber.test(arg)) {
      spelled.push(arg);
    } else {
      const long =
        dashWords && !/^-.(=?\d+)?$/.test(arg) ? undefined : spellLetters(arg.slice(1), table, letters);
      if (long !== undefined) spelled.push(...long);
      else if (dashWords) spelled.push(arg);
      else unknown.push(arg);
    }
  }
  return { argv: end < 0 ? spelled : [...spelled, ...argv.slice(end)], unknown };
}

/** The long flags that a group of letters stands for; undefined where one letter is not known. */
function spellLetters(
  group: string,
  table: FlagTable,
  letters: ReadonlyMap<string, string>,
): readonly string[] | undefined {
  const long: string[] = [];
  for (let index = 0; index < group.length; index++) {
    const name = letters.get(group.charAt(index));
    if (name === undefined) return undefined;
    const rest = group.slice(index + 1);
    const takesValue = table[name]?.type !== "boolean";
    if (rest !== "" && (takesValue || rest.startsWith("="))) {
      return [...long, `--${name}=${rest.replace(/^=/, "")}`];
    }
    long.push(`--${name}`);
  }
  return long;
}

/**
 * Flags that no table has and that yargs does not take for flags: dashes alone, keys of its own, and names
 * that every object has (it crashes on `--constructor`).
 */
function isOdd(arg: string): boolean {
  const name = /^--(?:no-)?([^=]+)/.exec(arg)?.[1];
  return name !== undefined && (/^-+$|^_$|^\$0$/.test(name) || name in Object.prototype);
}
