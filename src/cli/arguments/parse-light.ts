import type { FlagTable } from "../command.ts";
import type { RawArguments } from "./raw-arguments.ts";

/**
 * Reads a command line, spelled out, as yargs does: `--name`, `--name=value`, `--name value`, and behind `--` words
 * alone. To load yargs takes longer than a search; parseArgs of node:util takes words with one dash for flags.
 */
export function parseLight(argv: readonly string[], table: FlagTable): RawArguments {
  const flags = new Map<string, (string | boolean)[]>();
  const unknown: string[] = [];
  const positionals: string[] = [];
  let literalFrom: number | undefined;
  const add = (name: string, value: string | boolean): void => {
    const values = flags.get(name);
    if (values === undefined) flags.set(name, [value]);
    else values.push(value);
  };
  for (let index = 0; index < argv.length; index++) {
    const arg = argv[index] ?? "";
    if (literalFrom !== undefined || !arg.startsWith("--")) {
      // After spelling out, one dash is always a word: a negative number, a negation.
      positionals.push(arg);
    } else if (arg === "--") {
      literalFrom = positionals.length;
    } else {
      const { name, value } = splitFlag(arg);
      const type = typeOf(name, table);
      const positive = name.replace(/^no-/, "");
      if (type === "boolean") add(name, value ?? true);
      else if (type !== undefined) add(name, value ?? nextValue(argv[++index]));
      else if (typeOf(positive, table) === "boolean" && value === undefined) add(positive, false);
      else unknown.push(`--${name}`);
    }
  }
  return { flags, unknown, positionals, literalFrom: literalFrom ?? positionals.length };
}

function splitFlag(arg: string): { readonly name: string; readonly value: string | undefined } {
  const at = arg.indexOf("=", 3);
  return at === -1
    ? { name: arg.slice(2), value: undefined }
    : { name: arg.slice(2, at), value: arg.slice(at + 1) };
}

/** `""` where a flag has no value. A flag is none: `--project --json` lacks one. */
function nextValue(next: string | undefined): string {
  return next === undefined || /^-(?!\.?\d)/.test(next) ? "" : next;
}

function typeOf(name: string, table: FlagTable): string | undefined {
  return Object.hasOwn(table, name) ? table[name]?.type : undefined;
}
