import yargs from "yargs";
import type { FlagTable } from "../command.ts";
import { takesNoValue, wrongUsage } from "./check-arguments.ts";
import type { RawArguments } from "./raw-arguments.ts";

/**
 * Reads a command line, spelled out, with yargs. It is imported only where it is used: loading it costs more than all
 * else that a short command does.
 */
export async function parseWithYargs(argv: readonly string[], table: FlagTable): Promise<RawArguments> {
  const parser = yargs()
    .exitProcess(false)
    .fail((message, error) => {
      // What yargs itself refuses is an error of its own kind; anything else was thrown by a bug.
      if (error !== undefined && error.name !== "YError") throw error;
      const name = /^Argument unexpected for: (.*)$/.exec(message)?.[1];
      throw name === undefined ? wrongUsage(message) : takesNoValue(name);
    })
    .locale("en")
    .help(false)
    .version(false)
    .parserConfiguration({
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "populate--": true,
    });
  for (const [name, flag] of Object.entries(table)) {
    // Without nargs a boolean would take the word `true` or `false` that follows it, and any `=value`.
    parser.option(name, flag.type === "boolean" ? { type: "boolean", nargs: 0 } : { type: "string" });
  }
  const parsed: Record<string, unknown> = await parser.parseAsync([...argv]);

  const flags = new Map<string, readonly (string | boolean)[]>();
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    if (name === "_" || name === "--" || name === "$0") continue;
    const values = valuesOf(value);
    const type = Object.hasOwn(table, name) ? table[name]?.type : undefined;
    // Only `--no-x` gives false; a flag that wants a value has no such form.
    if (type !== "boolean" && values.includes(false)) unknown.push(`--no-${name}`);
    else if (type === undefined) unknown.push(`--${name}`);
    else flags.set(name, values);
  }
  const words = wordsOf(parsed._);
  const positionals = [...words, ...wordsOf(parsed["--"])];
  return { flags, unknown, positionals, literalFrom: words.length };
}

function valuesOf(value: unknown): readonly (string | boolean)[] {
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  return [typeof value === "boolean" || typeof value === "string" ? value : ""];
}

function wordsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
