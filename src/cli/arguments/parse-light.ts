import { parseArgs } from "node:util";
import type { FlagTable } from "../command.ts";
import type { RawArguments } from "./raw-arguments.ts";

/** Reads a command line, spelled out, with node:util alone, which costs no start-up. */
export function parseLight(argv: readonly string[], table: FlagTable): RawArguments {
  const { tokens } = parseArgs({
    args: shieldWords(argv),
    options: optionsOf(table),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, (string | boolean)[]>();
  const unknown: string[] = [];
  const positionals: string[] = [];
  let literalFrom: number | undefined;
  const add = (name: string, value: string | boolean): void => {
    const values = flags.get(name);
    if (values === undefined) flags.set(name, [value]);
    else values.push(value);
  };
  for (const token of tokens) {
    if (token.kind === "option-terminator") {
      literalFrom = positionals.length;
    } else if (token.kind === "positional") {
      positionals.push(argv[token.index] ?? token.value);
    } else {
      const type = typeOf(token.name, table);
      const positive = token.name.replace(/^no-/, "");
      if (type === "boolean") add(token.name, token.value ?? true);
      else if (type !== undefined) add(token.name, typedValue(token, argv));
      else if (typeOf(positive, table) === "boolean" && token.value === undefined) add(positive, false);
      else unknown.push(token.rawName);
    }
  }
  return { flags, unknown, positionals, literalFrom: literalFrom ?? positionals.length };
}

/**
 * parseArgs takes every dash for a flag. After spelling out, one dash is always a word (a negative number,
 * a negation): another word takes its place here, and the true one is found by its index.
 */
function shieldWords(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((arg, index) => ((end < 0 || index < end) && /^-[^-]/.test(arg) ? "word" : arg));
}

/** The value of a flag that wants one; `""` where it has none. A flag is no value: `--project --json` lacks one. */
function typedValue(
  token: {
    readonly index: number;
    readonly value?: string | undefined;
    readonly inlineValue?: boolean | undefined;
  },
  argv: readonly string[],
): string {
  if (token.value === undefined) return "";
  if (token.inlineValue === true) return token.value;
  const typed = argv[token.index + 1] ?? token.value;
  return /^-(?!\.?\d)/.test(typed) ? "" : typed;
}

function typeOf(name: string, table: FlagTable): string | undefined {
  return Object.hasOwn(table, name) ? table[name]?.type : undefined;
}

function optionsOf(table: FlagTable): Record<string, { type: "boolean" | "string" }> {
  return Object.fromEntries(
    Object.entries(table).map(([name, flag]) => [
      name,
      { type: flag.type === "boolean" ? "boolean" : "string" },
    ]),
  );
}
