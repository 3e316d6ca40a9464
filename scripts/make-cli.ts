import { writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type FlagTable, flagLines, globalFlags, usageOf } from "../src/cli/command.ts";
import { type CommandRow, commandGroups, commandTable } from "../src/cli/command-table.ts";
import { exitCodeLines } from "./exit-code-lines.ts";
import { makeManPage } from "./make-man.ts";

/** Makes docs/CLI.md from the command table. `npm run docs:cli` writes it, and a test fails if it is not up to date. */
export async function makeCliDocument(): Promise<string> {
  const rows = commandGroups.flatMap((group) => commandTable.filter((row) => row.group === group));
  const shown = rows.filter((row) => row.hidden !== true);
  const commands = await Promise.all(rows.map(describeCommand));
  return [
    "# Command line",
    "<!-- Made by scripts/make-cli.ts from the command table. Change the table, then run `npm run docs:cli`. -->",
    "`sessions <command> [arguments] [flags]`",
    table(
      ["command", "what it does"],
      shown.map((row) => [`[\`${row.name}\`](#${row.name})`, row.summary]),
    ),
    "## Global flags",
    flagTable(globalFlags),
    "Flags may come before or after other arguments. `--flag value` and `--flag=value` are the same, `--no-flag` " +
      "turns one off, letters can be joined (`-il`, `-C3`), and `--` ends the flags. If a flag that takes one value is " +
      "given twice, the last one counts.",
    "## Exit codes",
    table(["code", "what it means"], exitCodeLines),
    "If several apply, the most serious wins: 5, 4, 2, 3, 1, 0. With `--json`, errors are also printed to stdout, as " +
      '`{"schemaVersion":1,"error":{"message":…,"hint":…,"exitCode":…}}`.',
    ...commands,
  ]
    .join("\n\n")
    .concat("\n");
}

async function describeCommand(row: CommandRow): Promise<string> {
  const { command } = await row.load();
  const parts = [`## ${row.name}`, `\`${usageOf(row.name, command.positionals)}\``, command.description];
  if (command.positionals.length > 0) {
    const lines = command.positionals.map(({ name, description, choices }) => [
      `\`${name}\``,
      choices === undefined ? description : `${description} (${choices.join(", ")})`,
    ]);
    parts.push(table(["argument", "meaning"], lines));
  }
  if (flagLines(command.flags).length > 0) parts.push(flagTable(command.flags));
  const examples = command.examples.map(({ line, says }) => `# ${says}\n${line}`);
  parts.push(`\`\`\`sh\n${examples.join("\n")}\n\`\`\``);
  return parts.join("\n\n");
}

function flagTable(flags: FlagTable): string {
  return table(
    ["flag", "meaning"],
    flagLines(flags).map(({ term, says }) => [`\`${term}\``, says]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(fileURLToPath(new URL("../docs/CLI.md", import.meta.url)), await makeCliDocument());
  writeFileSync(fileURLToPath(new URL("../man/sessions.1", import.meta.url)), await makeManPage());
}
