import yargs from "yargs";
import {
  type Command,
  type FlagTable,
  flagDescription,
  flagLines,
  globalFlags,
  longTerm,
  usageOf,
} from "./command.ts";
import { type CommandRow, commandGroups } from "./command-table.ts";
import { createStyle } from "./output/style.ts";
import { wrap, wrapMessage } from "./output/text-width.ts";
import type { Output } from "./world.ts";

/** The text of `sessions --help`: one screen, grouped. It needs only the table and loads no command. */
export function programHelp(table: readonly CommandRow[], output: Output): string {
  const style = createStyle(output.hasColor);
  const shown = table.filter((row) => row.hidden !== true);
  const flags = flagLines({
    ...globalFlags,
    version: { type: "boolean", description: "show the version" },
  }).map(({ term, says }) => ({ term: term.startsWith("--") ? `    ${term}` : term, says }));
  // One width for all groups, so that their summaries are in one column.
  const nameWidth = Math.max(
    ...shown.map((row) => row.name.length),
    ...flags.map((flag) => flag.term.length),
  );
  const margin = " ".repeat(nameWidth + 4);
  const row = ({ term, says }: { readonly term: string; readonly says: string }): string =>
    `  ${style.cyan(term)}${margin.slice(term.length + 2)}${wrapMessage(says, output.columns, margin)}\n`;
  const section = (title: string, lines: readonly { term: string; says: string }[]): string => {
    if (lines.length === 0) return "";
    return `${style.bold(title)}\n${lines.map(row).join("")}`;
  };
  const groups = commandGroups.map((group) =>
    section(
      `${group}:`,
      shown.filter((row) => row.group === group).map((row) => ({ term: row.name, says: row.summary })),
    ),
  );
  const paragraph = (text: string): string => `${wrap(text, { width: output.columns ?? 80 })}\n`;
  return [
    paragraph("The history of your coding agents: searchable, archived, never lost."),
    `${style.bold("Usage:")} sessions <command> [arguments] [flags]\n`,
    ...groups,
    section("Flags:", flags),
    paragraph("`sessions <command> --help` explains a command, with examples."),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** Longer lines are hard to read, however wide the terminal is. */
const MAX_COLUMNS = 100;
const ARGUMENTS = "Arguments:";

/** The text of `sessions <command> --help`, laid out by yargs. */
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
  addFlags(page, "Global flags:", globalFlags);
  return `${await page.getHelp()}\n`;
}

type Page = ReturnType<typeof yargs>;

function addArguments(page: Page, { positionals }: Pick<Command, "positionals">): void {
  for (const { name, description, choices } of positionals) {
    const says = choices === undefined ? description : `${description} (${choices.join(", ")})`;
    page.option(name, { describe: says }).group(name, ARGUMENTS);
  }
}

/** Adds flags to a page. The placeholder of a value becomes part of the name, because yargs has no place for it. */
function addFlags(page: Page, group: string, table: FlagTable): void {
  for (const [name, flag] of Object.entries(table)) {
    if (flag.hidden === true) continue;
    const term = longTerm(name, flag);
    page
      .option(term, {
        describe: flagDescription(flag),
        ...(flag.alias !== undefined && { alias: flag.alias }),
      })
      .group(term, group);
  }
}
