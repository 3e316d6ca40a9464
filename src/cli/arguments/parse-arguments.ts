import { type Command, everywhereFlags, type FlagTable, type ParsedArguments } from "../command.ts";
import { checkArguments } from "./check-arguments.ts";
import { parseLight } from "./parse-light.ts";
import { spellOut } from "./spell-out.ts";

/** Reads what was typed behind a command, with the parser that the command asks for. */
export async function parseArguments(
  name: string,
  command: Pick<Command, "flags" | "positionals" | "parser" | "dashWords">,
  argv: readonly string[],
): Promise<ParsedArguments> {
  const table: FlagTable = { ...command.flags, ...everywhereFlags };
  const spelled = spellOut(argv, table, command.dashWords === true);
  const raw =
    command.parser === "light"
      ? parseLight(spelled.argv, table)
      : await (await import("./parse-with-yargs.ts")).parseWithYargs(spelled.argv, table);
  return checkArguments(name, command, table, { ...raw, unknown: [...spelled.unknown, ...raw.unknown] });
}
