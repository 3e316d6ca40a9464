import { type Command, type FlagTable, globalFlags, type ParsedArguments } from "../command.ts";
import { checkArguments } from "./check-arguments.ts";
import { parseLight } from "./parse-light.ts";
import { spellOut } from "./spell-out.ts";

type Described = Pick<Command, "flags" | "positionals" | "parser" | "dashWords">;

/** Reads what was typed behind a command, with the parser that the command asks for. */
export async function parseArguments(
  name: string,
  command: Described,
  argv: readonly string[],
): Promise<ParsedArguments> {
  if (command.parser === "light") return parseLightArguments(name, command, argv);
  const { parseWithYargs } = await import("./parse-with-yargs.ts");
  const { table, spelled } = spell(command, argv);
  const raw = await parseWithYargs(spelled.argv, table);
  return checkArguments(name, command, table, { ...raw, unknown: [...spelled.unknown, ...raw.unknown] });
}

/** The same for a command with the light parser, without the other one. */
export function parseLightArguments(
  name: string,
  command: Described,
  argv: readonly string[],
): ParsedArguments {
  const { table, spelled } = spell(command, argv);
  const raw = parseLight(spelled.argv, table);
  return checkArguments(name, command, table, { ...raw, unknown: [...spelled.unknown, ...raw.unknown] });
}

function spell(
  command: Described,
  argv: readonly string[],
): { readonly table: FlagTable; readonly spelled: ReturnType<typeof spellOut> } {
  const table: FlagTable = { ...command.flags, ...globalFlags };
  return { table, spelled: spellOut(argv, table, command.dashWords === true) };
}
