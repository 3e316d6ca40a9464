import yargs from "yargs";
import { type Command, everywhereFlags, type FlagTable } from "../command.ts";
import type { CommandRow } from "../command-table.ts";
import type { Output } from "../world.ts";
import { longTerm, saysOf } from "./flag-lines.ts";
import { usageOf } from "./usage-of.ts";

/** Longer lines are hard to read, however wide the terminal is. */
const MAX_COLUMNS = 100;
const ARGUMENTS = "Arguments:";

/** What `sessions <command> --help` prints, laid out by yargs. */
export async function commandHelp(
  { name, load }: Pick<CommandRow, "name" | "load">,
  output: Pick<Output, "columns">,
): Promise<string> {
  const { command } = await load();
  const page = yargs([])
    .exitProcess(false)
    .locale("en")
    .help(false)
    .version(false)
    .wrap(Math.min(MAX_COLUMNS, output.columns ?? 80))
    .updateStrings({ "Positionals:": ARGUMENTS })
    .usage(`Usage: ${usageOf(name, command.positionals)}\n\n${command.description}`)
    .example(command.examples.map(({ line, says }) => [line, says]));
  addArguments(page, command);
  addFlags(page, "Flags:", command.flags);
  addFlags(page, "Flags of every command:", everywhereFlags);
  return `${await page.getHelp()}\n`;
}

type Page = ReturnType<typeof yargs>;

function addArguments(page: Page, { positionals }: Pick<Command, "positionals">): void {
  for (const { name, description, choices } of positionals) {
    const says = choices === undefined ? description : `${description} (${choices.join(", ")})`;
    page.option(name, { describe: says }).group(name, ARGUMENTS);
  }
}

/** What stands for a value is made part of the name: yargs has no place for it, and help parses nothing. */
function addFlags(page: Page, group: string, table: FlagTable): void {
  for (const [name, flag] of Object.entries(table)) {
    if (flag.hidden === true) continue;
    const term = longTerm(name, flag);
    page
      .option(term, { describe: saysOf(flag), ...(flag.alias !== undefined && { alias: flag.alias }) })
      .group(term, group);
  }
}
